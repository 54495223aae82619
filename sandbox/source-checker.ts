import { sha256Text } from '../core/hash.ts';
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

/**
 * Names the check of sources: a source that one check accepted may be refused by another. SHA-256 over the number of
 * the check, the pinned engines and the prelude. `test/sandbox/source-checker.test.ts` computes it, so that the kernel,
 * which remembers accepted sources, needs neither engine nor prelude for it.
 */
export const SOURCE_CHECK = 'f21c371b12102e9a72a99076dbb540a764908f7e4c8193c4484a2389039b38fb';

/** SHA-256 over the check and all that its verdict depends on: the source, its powers and its limits. */
export function sourceKey({ source, powers = [], limits }: GuestSource): string {
  const all = { ...CALL_LIMITS, ...limits };
  const each = Object.keys(CALL_LIMITS).map((name) => all[name as keyof typeof all]);
  return sha256Text(JSON.stringify([SOURCE_CHECK, source, powers, each]));
}
