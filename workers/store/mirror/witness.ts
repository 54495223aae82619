import { hashText, isHash } from '../../../core/hash.ts';
import { isObject } from '../../../core/json/value.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { ORIGIN } from '../origin.ts';

/** Size of the log at its last observation, stored apart from the log and its files. */
export interface Witness {
  readonly epoch: number;
  readonly size: number;
  readonly root: string;
}

/** Often enough that few records lack a witness, rarely enough that it costs no noticeable time. */
const EVERY_MS = 1_000;

/** Undefined where the log cannot be told now. */
export type LookAtLog = () => Promise<Frontier | undefined>;

export interface WitnessKeeper {
  read(): Promise<Witness | undefined>;
  /** Stores an observation within a second. `look` returns the log, whose order is in a file by then. */
  see(epoch: number, look: LookAtLog): void;
  /** Stores the last observation now: the page hides, or the kernel ends. */
  settle(): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A witness in a cache of its own, which survives the wipe of a broken database. Without caches there is no witness.
 */
export function witnessKeeper(name: string): WitnessKeeper {
  const { caches } = ORIGIN;
  if (caches === undefined) return NOBODY;
  const cacheName = cacheNameOf(name);
  // an address that is never fetched: a cache knows its entries by addresses only
  const address = new URL('/.sallyport/witness', location.origin).href;
  let seen: (() => Promise<Witness | undefined>) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  const settle = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const noted = seen;
    seen = undefined;
    if (noted !== undefined) writing = writing.then(async () => write(await noted())).catch(() => undefined);
    await writing;
  };
  const write = async (noted: Witness | undefined): Promise<void> => {
    if (noted === undefined) return;
    const cache = await caches.open(cacheName);
    await cache.put(address, new Response(JSON.stringify(noted)));
  };
  return {
    async read() {
      const answer = await (await caches.open(cacheName)).match(address);
      return parseWitness(await answer?.text());
    },
    see(epoch, look) {
      seen = async () => {
        const log = await look();
        return log && { epoch, size: log.size, root: hashText(rootOf(log)) };
      };
      timer ??= setTimeout(() => void settle(), EVERY_MS);
    },
    settle,
    async remove() {
      await settle();
      await removeWitness(name);
    },
  };
}

/** Removes the witness of a ledger that no kernel of this origin has open. */
export async function removeWitness(name: string): Promise<void> {
  await ORIGIN.caches?.delete(cacheNameOf(name));
}

const cacheNameOf = (name: string): string => `${name}.witness`;

/** Parses a witness; undefined for a torn or foreign text. */
function parseWitness(text: string | undefined): Witness | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isObject(value)) return undefined;
    const { epoch, size, root } = value;
    const numbers = Number.isSafeInteger(epoch) && Number.isSafeInteger(size);
    return numbers && isHash(root) ? (value as unknown as Witness) : undefined;
  } catch {
    return undefined;
  }
}

const NOBODY: WitnessKeeper = {
  read: async () => undefined,
  see: () => undefined,
  settle: async () => undefined,
  remove: async () => undefined,
};
