import type { Symbols } from '../../../core/content/symbols.ts';
import { refuse } from '../../../core/errors.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { makeTurnQueue } from '../../async.ts';
import type { Ports } from '../../ports.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { TableWrite } from '../../store/tables.ts';
import { digest } from './digest.ts';
import { fileRow, STAMP } from './file.ts';
import { fileOf } from './ingest.ts';
import { type CorpusIndex, changedCopy, makeCorpusIndex } from './section-index.ts';
import { loadContent, newStamp, type RepositoryChange, readStamp, rowsOf, symbolsAfter } from './stored-content.ts';
import { makeTexts } from './texts.ts';

/**
 * The content of a store: its index, its symbols and its text. Its state is the last committed state: a failed change
 * leaves it unchanged.
 */
export interface ContentRepository {
  readonly corpus: CorpusIndex;
  readonly symbols: Symbols;
  /** Differs for each state of the content. */
  readonly version: string;
  /** Packs whose files are all unchanged since they were added. */
  readonly packs: ReadonlySet<string>;
  /** Loads changes that another tab has committed; called before the state is used. `store_lost` */
  refresh(): Promise<Outcome<void>>;
  /** A file's normalised text as it is stored now, not verified against its hashes. `content_missing` */
  text(path: string): Promise<Outcome<string>>;
  /** Indexes text as a change that writes it. `path_invalid`, `content_utf8` */
  written(path: string, text: string): Promise<Outcome<RepositoryChange>>;
  /** The rows of a change, for a transaction with further rows. Call `committed` after the transaction. */
  writes(change: RepositoryChange): readonly TableWrite[];
  committed(change: RepositoryChange, writes: readonly TableWrite[]): void;
  /** Writes a change on its own, all of it or nothing of it. */
  put(change: RepositoryChange): Promise<Outcome<void>>;
  /** Waits for the turn to change content in this kernel; the caller calls the result to end its turn. */
  turn(): Promise<() => void>;
  /**
   * Runs the work exclusively among all kernels on the store, from the check of the current state to the write. An
   * addition holds the turn while its files arrive, but is alone only while it commits.
   */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

type Exclusive = NonNullable<Ports['exclusive']>;

export function openContentRepository(
  store: LedgerStore,
  exclusive: Exclusive = async () => () => undefined,
): ContentRepository {
  return new StoredContent(store, exclusive);
}

class StoredContent implements ContentRepository {
  readonly turn: () => Promise<() => void> = makeTurnQueue();
  corpus: CorpusIndex = makeCorpusIndex();
  symbols: Symbols = new Map();
  readonly #store: LedgerStore;
  readonly #exclusive: Exclusive;
  readonly #texts = makeTexts();
  #stamp: string | undefined;
  /** The load in progress. Every caller of `refresh` shares it, because it reads the whole store. */
  #loading: { readonly stamp: string; readonly done: Promise<Outcome<void>> } | undefined;

  constructor(store: LedgerStore, exclusive: Exclusive) {
    this.#store = store;
    this.#exclusive = exclusive;
  }

  get version(): string {
    return this.#stamp?.split(' ', 1)[0] ?? '';
  }

  get packs(): ReadonlySet<string> {
    return new Set(this.#stamp?.split(' ').slice(1));
  }

  async refresh(): Promise<Outcome<void>> {
    const now = await readStamp(this.#store);
    if (!now.ok) return now;
    const stamp = now.value;
    if (stamp === this.#stamp) return pass(undefined);
    if (this.#loading?.stamp !== stamp) this.#loading = { stamp, done: this.#load(stamp) };
    const mine = this.#loading;
    const done = await mine.done;
    if (this.#loading === mine) this.#loading = undefined;
    return done;
  }

  async #load(found: string): Promise<Outcome<void>> {
    const loaded = await loadContent(this.#store, found);
    if (!loaded.ok) return loaded;
    const { corpus, symbols, stamp } = loaded.value;
    [this.corpus, this.symbols, this.#stamp] = [corpus, symbols, stamp];
    return pass(undefined);
  }

  async text(path: string): Promise<Outcome<string>> {
    const known = this.corpus.files.get(path)?.content_hash;
    const cached = known && this.#texts.get(path, known);
    if (cached !== undefined && cached !== '') return pass(cached);
    const found = await this.#store.get('files', path);
    if (!found.ok) return found;
    const row = path === STAMP ? undefined : fileRow(found.value);
    const text = row && decodeUtf8(row.text);
    if (row === undefined || text === undefined) return refuse('content_missing', { path });
    if (row.content_hash === known) this.#texts.set(path, known, text);
    return pass(text);
  }

  async written(path: string, text: string): Promise<Outcome<RepositoryChange>> {
    const bytes = encodeText(text);
    const filed = await fileOf(path, bytes, await digest(bytes));
    return filed.ok ? pass({ files: new Map([[path, filed.value]]) }) : filed;
  }

  writes(change: RepositoryChange): readonly TableWrite[] {
    return [...rowsOf(change, newStamp(change))];
  }

  committed(change: RepositoryChange, rows: readonly TableWrite[]): void {
    this.#adopt(change, rows.at(-1)?.value as string);
  }

  async put(change: RepositoryChange): Promise<Outcome<void>> {
    const stamp = newStamp(change);
    const rows = { [Symbol.iterator]: () => rowsOf(change, stamp) };
    const [done, next] = await Promise.all([this.#store.put(rows, 'strict'), this.#ahead(change)]);
    if (done.ok) this.#adopt(change, stamp, next);
    return done;
  }

  /** Prepares data while the store writes: the next index hash, and the index itself where most of it is new. */
  async #ahead({ files }: RepositoryChange): Promise<CorpusIndex | undefined> {
    if (files === undefined) return undefined;
    const { corpus } = this;
    const next = files.size > corpus.files.size ? await changedCopy(corpus, files) : undefined;
    void (next === undefined ? corpus.indexHash(files) : next.indexHash());
    return next;
  }

  #adopt(change: RepositoryChange, stamp: string, next?: CorpusIndex): void {
    if (next === undefined) this.corpus.change(change.files ?? new Map());
    else this.corpus = next;
    this.symbols = symbolsAfter(this.symbols, change);
    this.#stamp = stamp;
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    const release = await this.#exclusive();
    return work().finally(release);
  }
}
