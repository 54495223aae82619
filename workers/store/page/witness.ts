import { hashText, isHash } from '../../../core/hash.ts';
import { isObject } from '../../../core/json/value.ts';
import { type Frontier, rootOf } from '../../../core/ledger/tree.ts';
import { ORIGIN } from '../origin.ts';

/** Size of the log at its last observation, stored apart from the log and its files. */
export interface Observation {
  readonly epoch: number;
  readonly size: number;
  readonly root: string;
}

/** Often enough that few records lack a witness, rarely enough that it costs no noticeable time. */
const EVERY_MS = 1_000;

/**
 * Remembers the last observation of a log in a cache of its own, which survives the wipe of a broken database. Without
 * caches nothing is remembered.
 */
export class Witness {
  private readonly name: string;
  private look: (() => Promise<Observation | undefined>) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writing: Promise<unknown> = Promise.resolve();
  private isEnded = false;

  constructor(name: string) {
    this.name = name;
  }

  async read(): Promise<Observation | undefined> {
    const answer = await (await this.cache())?.match(addressHere());
    return parseObservation(await answer?.text());
  }

  /**
   * Stores an observation within a second. `look` returns the log, whose order is in a file by then; undefined where it
   * cannot be told now.
   */
  see(epoch: number, look: () => Promise<Frontier | undefined>): void {
    if (ORIGIN.caches === undefined || this.isEnded) return;
    this.look = async () => {
      const log = await look();
      return log && { epoch, size: log.size, root: hashText(rootOf(log)) };
    };
    this.timer ??= setTimeout(() => void this.settle(), EVERY_MS);
  }

  /** Stores the last observation now: the page hides, or the kernel ends. */
  async settle(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { look } = this;
    this.look = undefined;
    if (look !== undefined)
      this.writing = this.writing.then(async () => this.write(await look())).catch(() => undefined);
    await this.writing;
  }

  /** Ends the observations: a ledger that is being closed may soon be that of another kernel, or gone. */
  async end(): Promise<void> {
    this.isEnded = true;
    clearTimeout(this.timer);
    this.look = undefined;
    await this.writing;
  }

  /** Ends the observations, and forgets the last. */
  async remove(): Promise<void> {
    await this.end();
    await removeWitness(this.name);
  }

  private async write(seen: Observation | undefined): Promise<void> {
    if (seen === undefined) return;
    const cache = await this.cache();
    await cache?.put(addressHere(), new Response(JSON.stringify(seen)));
  }

  private async cache(): Promise<Cache | undefined> {
    return ORIGIN.caches?.open(cacheNameOf(this.name));
  }
}

/** Removes the witness of a ledger that no kernel of this origin has open. */
export async function removeWitness(name: string): Promise<void> {
  await ORIGIN.caches?.delete(cacheNameOf(name));
}

const cacheNameOf = (name: string): string => `${name}.witness`;

/** An address that is never fetched: a cache knows its entries by addresses only. */
const addressHere = (): string => new URL('/.sallyport/witness', location.origin).href;

/** Undefined for a torn or foreign text. */
function parseObservation(text: string | undefined): Observation | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    if (!isObject(value)) return undefined;
    const { epoch, size, root } = value;
    const numbers = Number.isSafeInteger(epoch) && Number.isSafeInteger(size);
    return numbers && isHash(root) ? (value as unknown as Observation) : undefined;
  } catch {
    return undefined;
  }
}
