import type { Symbols } from '../../../core/content/symbols.ts';
import type { SymbolRow } from '../../../core/content/target.ts';
import { refuse } from '../../../core/errors.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { Collector, makePace, makeTurnQueue, pause } from '../../async.ts';
import type { Ports } from '../../ports.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import { pages } from '../../store/paging.ts';
import type { LedgerStore } from '../../store/store.ts';
import type { TableRow, TableWrite } from '../../store/tables.ts';
import { digest, entryOf, type FileRow, fileRow, fileWrite, STAMP, type StorableFile } from './file.ts';
import { fileOf } from './ingest.ts';
import { type CorpusIndex, changedCopy, makeCorpusIndex } from './section-index.ts';

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

/** A change of the content that is applied at once; a file or a symbol without a value is removed. */
export interface RepositoryChange {
  readonly files?: ReadonlyMap<string, StorableFile | undefined>;
  readonly symbols?: ReadonlyMap<string, SymbolRow | undefined>;
  /** Hashes of the packs that make up the content after this change, where they are known. */
  readonly packs?: readonly string[];
}

/** The content as the store had it under a stamp. */
interface CommittedContent {
  readonly corpus: CorpusIndex;
  readonly symbols: Symbols;
  readonly stamp: string;
}

/** The stamp of the content that is in the store now. */
async function readStamp(store: LedgerStore): Promise<Outcome<string>> {
  const found = await store.get('files', STAMP);
  if (!found.ok) return found;
  return pass(typeof found.value === 'string' ? found.value : '');
}

/** Loads the content under this stamp, or under a later stamp where another tab commits meanwhile. */
async function loadContent(store: LedgerStore, stamp: string): Promise<Outcome<CommittedContent>> {
  const [corpus, names] = [makeCorpusIndex(), await store.all('symbols')];
  if (!names.ok) return names;
  const read = await eachFile(store, (path, row) => corpus.change(new Map([[path, { entry: entryOf(row) }]])));
  if (!read.ok) return read;
  const now = await readStamp(store);
  if (!now.ok) return now;
  if (now.value !== stamp) return loadContent(store, now.value);
  const symbols = new Map(names.value.map(([key, value]) => [key, value as unknown as SymbolRow]));
  return pass({ corpus, symbols, stamp });
}

/** The symbols after a change. A copy, because a caller may hold the previous registry. */
function symbolsAfter(before: Symbols, { symbols = new Map() }: RepositoryChange): Symbols {
  const named = new Map(before);
  for (const [key, row] of symbols) {
    if (row === undefined) named.delete(key);
    else named.set(key, row);
  }
  return named;
}

function newStamp({ packs = [] }: RepositoryChange): string {
  return [crypto.randomUUID(), ...packs].join(' ');
}

/** The rows of a change, made in turn so that only a single text is in memory; the stamp is the last row. */
function* rowsOf({ files, symbols }: RepositoryChange, stamp: string): Generator<TableWrite, undefined> {
  for (const [path, filed] of files ?? []) yield fileWrite(path, filed);
  for (const [key, row] of symbols ?? []) yield { table: 'symbols', key, value: row && { ...row } };
  yield { table: 'files', key: STAMP, value: stamp };
}

/** Rows that are read at a time, so that no corpus has to fit into memory with its text. */
const PAGE = 128;

/**
 * Visits every file of the store, in the order of its keys, a page at a time. Releases a file's text after the visit.
 */
export async function eachFile(
  store: LedgerStore,
  visit: (path: string, row: FileRow) => void | Promise<void>,
): Promise<Outcome<void>> {
  const [isDue, garbage] = [makePace(), new Collector()];
  for await (const page of pages<TableRow>(PAGE, (last) => store.all('files', last?.[0] ?? STAMP, PAGE))) {
    if (!page.ok) return page;
    for (const [path, value] of page.value) {
      const row = fileRow(value);
      const due = isDue(row?.text.length ?? 0);
      if (row !== undefined) await visit(path, row);
      garbage.count((row?.text.length ?? 0) + (row?.sections.length ?? 0));
      if (row?.text instanceof Uint8Array) releaseBuffer(row.text);
      if (due) await pause();
    }
  }
  return pass(undefined);
}

/** UTF-16 units of text that stay in memory, because a model often reads the same text again. */
const UNITS_MAX = 8 << 20;

/** Recently read texts, by path and content hash; a changed file has another hash. */
interface Texts {
  get(path: string, content_hash: string): string | undefined;
  set(path: string, content_hash: string, text: string): void;
}

function makeTexts(): Texts {
  const kept = new Map<string, { readonly content_hash: string; readonly text: string }>();
  let units = 0;
  const drop = (path: string): void => {
    units -= kept.get(path)?.text.length ?? 0;
    kept.delete(path);
  };
  return {
    get(path, content_hash) {
      const found = kept.get(path);
      if (found?.content_hash !== content_hash) return undefined;
      // The text moves to the end of the order, so that it is dropped last.
      kept.delete(path);
      kept.set(path, found);
      return found.text;
    },
    set(path, content_hash, text) {
      drop(path);
      kept.set(path, { content_hash, text });
      units += text.length;
      for (const oldest of kept.keys()) {
        if (units <= UNITS_MAX) return;
        drop(oldest);
      }
    },
  };
}
