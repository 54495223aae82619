import type { SymbolRow } from '../../core/content/symbol.ts';
import type { Symbols } from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { decodeUtf8, encodeText } from '../../core/json/utf8.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { makePace, pause } from '../async/pause.ts';
import { releaseBuffer } from '../async/release-buffer.ts';
import { makeTurnQueue } from '../async/serial-queue.ts';
import type { Ports } from '../ports.ts';
import { type LedgerStore, pages } from '../store/store.ts';
import type { TableRow, TableWrite } from '../store/tables.ts';
import { digest } from './digest.ts';
import { entryOf, type FileRow, fileRow, fileWrite, STAMP, type StorableFile } from './file.ts';
import { fileOf } from './ingest.ts';
import { type CorpusIndex, changedCopy, makeCorpusIndex } from './section-index.ts';
import { makeTexts } from './texts.ts';

/** A change of the content that is applied at once; a file or a symbol without a value is removed. */
export interface RepositoryChange {
  readonly files?: ReadonlyMap<string, StorableFile | undefined>;
  readonly symbols?: ReadonlyMap<string, SymbolRow | undefined>;
  /** Hashes of the packs that make up the content after this change, where they are known. */
  readonly packs?: readonly string[];
}

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

/** Rows that are read at a time, so that no corpus has to fit into memory with its text. */
const PAGE = 128;

export function openContentRepository(
  store: LedgerStore,
  exclusive: Exclusive = async () => () => undefined,
): ContentRepository {
  let corpus = makeCorpusIndex();
  let symbols: Symbols = new Map();
  let stamp: string | undefined;
  /** The load in progress. Every caller of `refresh` shares it, because it reads the whole store. */
  let loading: { readonly stamp: string; readonly done: Promise<Outcome<void>> } | undefined;
  const texts = makeTexts();
  const turn = makeTurnQueue();

  async function stampNow(): Promise<Outcome<string>> {
    const found = await store.get('files', STAMP);
    if (!found.ok) return found;
    return pass(typeof found.value === 'string' ? found.value : '');
  }

  /** Loads the index, and repeats the load if another tab has committed meanwhile. */
  async function load(found: string): Promise<Outcome<void>> {
    const [fresh, names] = [makeCorpusIndex(), await store.all('symbols')];
    if (!names.ok) return names;
    const read = await eachFile(store, (path, row) => fresh.change(new Map([[path, { entry: entryOf(row) }]])));
    if (!read.ok) return read;
    const now = await stampNow();
    if (!now.ok) return now;
    if (now.value !== found) return load(now.value);
    corpus = fresh;
    symbols = new Map(names.value.map(([key, value]) => [key, value as unknown as SymbolRow]));
    stamp = found;
    return pass(undefined);
  }

  /** Prepares data while the store writes: the next index hash, and the index itself where most of it is new. */
  async function ahead({ files }: RepositoryChange): Promise<CorpusIndex | undefined> {
    if (files === undefined) return undefined;
    const next = files.size > corpus.files.size ? await changedCopy(corpus, files) : undefined;
    void (next === undefined ? corpus.indexHash(files) : next.indexHash());
    return next;
  }

  const adopt = (change: RepositoryChange, written: string, next?: CorpusIndex): void => {
    if (next === undefined) corpus.change(change.files ?? new Map());
    else corpus = next;
    // A copy, because a caller may hold the previous registry.
    const named = new Map(symbols);
    for (const [key, row] of change.symbols ?? []) {
      if (row === undefined) named.delete(key);
      else named.set(key, row);
    }
    symbols = named;
    stamp = written;
  };

  return {
    get corpus() {
      return corpus;
    },
    get symbols() {
      return symbols;
    },
    get version() {
      return stamp?.split(' ', 1)[0] ?? '';
    },
    get packs() {
      return new Set(stamp?.split(' ').slice(1));
    },
    async refresh() {
      const now = await stampNow();
      if (!now.ok) return now;
      if (now.value === stamp) return pass(undefined);
      if (loading?.stamp !== now.value) loading = { stamp: now.value, done: load(now.value) };
      const mine = loading;
      const done = await mine.done;
      if (loading === mine) loading = undefined;
      return done;
    },
    async text(path) {
      const known = corpus.files.get(path)?.content_hash;
      const cached = known && texts.get(path, known);
      if (cached !== undefined && cached !== '') return pass(cached);
      const found = await store.get('files', path);
      if (!found.ok) return found;
      const row = path === STAMP ? undefined : fileRow(found.value);
      const text = row && decodeUtf8(row.text);
      if (row === undefined || text === undefined) return refuse('content_missing', { path });
      if (row.content_hash === known) texts.set(path, known, text);
      return pass(text);
    },
    async written(path, text) {
      const bytes = encodeText(text);
      const filed = await fileOf(path, bytes, await digest(bytes));
      return filed.ok ? pass({ files: new Map([[path, filed.value]]) }) : filed;
    },
    writes: (change) => [...rowsOf(change, newStamp(change))],
    committed: (change, rows) => adopt(change, rows.at(-1)?.value as string),
    async put(change) {
      const written = newStamp(change);
      const rows = { [Symbol.iterator]: () => rowsOf(change, written) };
      const [done, next] = await Promise.all([store.put(rows, 'strict'), ahead(change)]);
      if (!done.ok) return done;
      adopt(change, written, next);
      return done;
    },
    turn,
    async alone(work) {
      const release = await exclusive();
      return work().finally(release);
    },
  };
}

type Exclusive = NonNullable<Ports['exclusive']>;

function newStamp({ packs = [] }: RepositoryChange): string {
  return [crypto.randomUUID(), ...packs].join(' ');
}

/** The rows of a change, made in turn so that only a single text is in memory; the stamp is the last row. */
function* rowsOf({ files, symbols }: RepositoryChange, stamp: string): Generator<TableWrite, undefined> {
  for (const [path, filed] of files ?? []) yield fileWrite(path, filed);
  for (const [key, row] of symbols ?? []) yield { table: 'symbols', key, value: row && { ...row } };
  yield { table: 'files', key: STAMP, value: stamp };
}

/**
 * Visits every file of the store, in the order of its keys, a page at a time. Releases a file's text after the visit.
 */
export async function eachFile(
  store: LedgerStore,
  visit: (path: string, row: FileRow) => void | Promise<void>,
): Promise<Outcome<void>> {
  const isDue = makePace();
  for await (const page of pages<TableRow>(PAGE, (last) => store.all('files', last?.[0] ?? STAMP, PAGE))) {
    if (!page.ok) return page;
    for (const [path, value] of page.value) {
      const row = fileRow(value);
      const due = isDue(row?.text.length ?? 0);
      if (row !== undefined) await visit(path, row);
      if (row?.text instanceof Uint8Array) releaseBuffer(row.text);
      if (due) await pause();
    }
  }
  return pass(undefined);
}
