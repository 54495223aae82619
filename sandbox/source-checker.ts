import { CALL_LIMITS, type CallLimits } from '../core/limits.ts';
import { buildRealm, checkLimits, tryLoad } from './build.ts';
import { BARE, checkSource, type GuestSource, realmSource } from './capability.ts';
import type { Engine } from './engine.ts';
import type { Realm } from './realm.ts';

/**
 * Checks sources without making an image of each: a source runs on the heap of a realm with the prelude alone, which is
 * then put back. It takes a twentieth of the time of `loadCapability`.
 */
export class SourceChecker {
  readonly #engine: Engine;
  /** Realm of the last check; most capabilities have the same limits. */
  #bare: Realm | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Throws as `loadCapability` does. */
  check(source: GuestSource): void {
    const limits = { ...CALL_LIMITS, ...source.limits };
    checkSource(source);
    checkLimits(this.#engine, limits);
    tryLoad(this.#bareFor(limits), realmSource(source, limits), limits.fuel);
  }

  #bareFor(limits: CallLimits): Realm {
    const { memoryBytes, stackBytes } = this.#bare?.limits ?? {};
    const fits = memoryBytes === limits.memoryBytes && stackBytes === limits.stackBytes;
    this.#bare = fits && this.#bare !== undefined ? this.#bare : buildRealm(this.#engine, BARE, limits);
    return this.#bare;
  }
}
