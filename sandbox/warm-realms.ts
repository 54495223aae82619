import type { Realm } from './realm.ts';

/** Instances that are kept warm. An image is an eighth of a megabyte; an instance has that again, and six of address space. */
const WARM = 4;

/** Lets the realms that were used least recently rest: their next call forks from the image, which takes a millisecond. */
export class WarmRealms {
  #warm: readonly Realm[] = [];
  readonly #max: number;

  constructor(max: number = WARM) {
    this.#max = max;
  }

  use(realm: Realm): void {
    this.#warm = [...this.#warm.filter((other) => other !== realm), realm];
    const cold = this.#warm.slice(0, -this.#max);
    for (const other of cold) other.rest();
    this.#warm = this.#warm.slice(-this.#max);
  }
}
