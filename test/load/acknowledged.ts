import type { AcknowledgedBatch } from './orders.ts';

/** What the processes were told by the store. It lives outside of the processes that are killed. */
export class Acknowledged {
  readonly #hashes = new Map<string, Set<string>>();
  readonly #roots = new Map<string, Map<number, string>>();
  /** Two answers with different roots for a size of the same log. */
  forks = 0;

  add({ log, acknowledged, size, root }: AcknowledgedBatch): void {
    const [hashes, roots] = [of(this.#hashes, log, () => new Set<string>()), of(this.#roots, log, () => new Map())];
    for (const hash of acknowledged) hashes.add(hash);
    if ((roots.get(size) ?? root) !== root) this.forks++;
    roots.set(size, root);
  }

  get size(): number {
    return [...this.#hashes.values()].reduce((sum, hashes) => sum + hashes.size, 0);
  }

  hashes(log: string): readonly string[] {
    return [...(this.#hashes.get(log) ?? [])];
  }

  roots(log: string): ReadonlyMap<number, string> {
    return this.#roots.get(log) ?? new Map();
  }
}

function of<T>(all: Map<string, T>, log: string, make: () => T): T {
  const found = all.get(log) ?? make();
  all.set(log, found);
  return found;
}
