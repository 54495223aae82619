import { BUDGETS, type Budgets, NOTHING_SPENT } from '../../../core/content/budget.ts';
import { expand } from '../../../core/content/expand.ts';
import {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  lookUp,
  readSymbol,
  type Symbols,
} from '../../../core/content/symbols.ts';
import { resolveSection, resolveSymbol, type SymbolRow, type Target } from '../../../core/content/target.ts';
import { refuse } from '../../../core/errors.ts';
import { isHash } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import type { ContentChange, ContentFile, ContentOverview, Found, Rebuilt, SliceRead } from '../../api.ts';
import { releaseBuffer } from '../../release-buffer.ts';
import type { LedgerStore } from '../../store/store.ts';
import { recordInLog } from '../../store/system-log.ts';
import { digest, type FileEntry } from './file.ts';
import { fileOf, type Intake, newIntake, type Pack, takeIn } from './ingest.ts';
import { type ContentRepository, eachFile, type RepositoryChange } from './repository.ts';
import type { Search } from './search.ts';
import { type CorpusIndex, indexHash, inOrder } from './section-index.ts';
import { undoOf } from './undo.ts';

/**
 * The content as the client reaches it: every answer is a value, and large tables are JSON text, so that it crosses a
 * port well.
 */
export interface ContentService extends SymbolService {
  /** Opens an addition; later changes wait until it is committed or dropped. */
  beginAddition(): Promise<Outcome<number>>;
  /** Indexes a pack; the service owns its bytes from then on. */
  stageFiles(addition: number, pack: Pack): Promise<Outcome<void>>;
  commitAddition(addition: number, whole: boolean): Promise<Outcome<ContentChange>>;
  dropAddition(addition: number): Promise<void>;
  removeFiles(paths: readonly string[]): Promise<Outcome<ContentChange>>;
  contentOverview(): Promise<Outcome<ContentOverview>>;
  /** A page of all files; undefined where the content has changed since the previous page. */
  listFiles(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly ContentFile[]> | undefined>>;
  /** A page of the packed tables of all files; undefined where the content has changed since the previous page. */
  sectionTables(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly string[]> | undefined>>;
  sectionTable(path: string): Promise<Outcome<string>>;
  fileText(path: string): Promise<Outcome<string>>;
  expandRef(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  searchContent(query: string, most: number): Promise<Outcome<Found>>;
  rebuildIndex(): Promise<Outcome<Rebuilt>>;
  undoStep(run_id: string, step: number): Promise<Outcome<ContentChange>>;
}

/** @param isTool whether a capability has this name: `@TOOLS/<name>` is taken then; @param epoch of the log */
export function makeContentService(
  store: LedgerStore,
  repository: ContentRepository,
  search: Search,
  isTool: (name: string) => boolean,
  epoch: () => number = () => 1,
): ContentService {
  const additions = new Additions(store, repository);
  const turns = turnsOf(repository);
  const { inTurn, fresh } = turns;
  return {
    beginAddition: () => additions.begin(),
    stageFiles: (addition, pack) => additions.stage(addition, pack),
    commitAddition: (addition, whole) => additions.commit(addition, whole),
    dropAddition: (addition) => additions.end(addition),
    removeFiles: (paths) =>
      inTurn(async () => {
        const missing = paths.find((path) => !repository.corpus.files.has(path));
        if (missing !== undefined) return refuse('content_missing', { path: missing });
        const files = new Map(paths.map((path) => [path, undefined]));
        const counts = { added: 0, changed: 0, unchanged: 0, removed: files.size };
        return changeFiles(store, repository, { files }, counts);
      }),
    contentOverview: () => fresh(async () => pass(await overviewOf(repository))),
    listFiles: (cursor) => fresh(async () => pass(await pageOf(repository, cursor, listedFile))),
    sectionTables: (cursor) =>
      fresh(async () => pass(await pageOf(repository, cursor, (_path, { sections }) => sections))),
    sectionTable: (path) =>
      fresh(() => {
        const file = repository.corpus.files.get(path);
        return file === undefined ? refuse('content_missing', { path }) : pass(file.sections);
      }),
    fileText: (path) => repository.text(path),
    ...symbolService(repository, turns, isTool),
    expandRef: (ref, slice) => trySlice(repository, ref, slice, BUDGETS),
    searchContent: (query, most) => fresh(() => search.find(query, most)),
    rebuildIndex: () => inTurn(() => rebuild(store, repository.corpus)),
    undoStep: (run_id, step) =>
      inTurn(async () => {
        const undo = await undoOf(store, repository, run_id, step);
        if (!undo.ok) return undo;
        const { change, note } = undo.value;
        const rows = repository.writes(change);
        const noted = await recordInLog(store, epoch(), note, rows);
        if (!noted.ok) return noted;
        repository.committed(change, rows);
        const changed = note.files.length;
        return pass({ ...(await overviewOf(repository)), added: 0, changed, unchanged: 0, removed: 0 });
      }),
  };
}

function turnsOf(repository: ContentRepository): ContentTurns {
  const fresh: ContentTurns['fresh'] = async (work) => {
    const done = await repository.refresh();
    return done.ok ? work() : done;
  };
  return {
    fresh,
    inTurn: async (work) => {
      const release = await repository.turn();
      return repository.alone(() => fresh(work)).finally(release);
    },
  };
}

function listedFile(path: string, { bytes, content_hash, places }: FileEntry): ContentFile {
  return { path, bytes, content_hash, sections: places.length };
}

type Counts = Pick<ContentChange, 'added' | 'changed' | 'unchanged' | 'removed'>;

/** Writes a change of files, and returns the content after it. */
async function changeFiles(
  store: Pick<LedgerStore, 'tidy'>,
  repository: ContentRepository,
  change: RepositoryChange,
  counts: Counts,
): Promise<Outcome<ContentChange>> {
  const isEmpty = (change.files?.size ?? 0) === 0;
  const done = isEmpty ? pass(undefined) : await repository.put(change);
  // Removed content also leaves the copies; a failed cleanup happens again when the ledger is opened next.
  if (done.ok && counts.removed > 0) await store.tidy();
  return done.ok ? pass({ ...(await overviewOf(repository)), ...counts }) : done;
}

async function overviewOf({ corpus, symbols }: ContentRepository): Promise<ContentOverview> {
  const bytes = [...corpus.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const counts = { files: corpus.files.size, sections: corpus.sections, symbols: symbols.size, bytes };
  return { ...counts, index_hash: await corpus.indexHash() };
}

interface Addition {
  readonly intake: Intake;
  readonly release: () => void;
}

/** Additions under way. Each holds the turn to change content from its beginning to its commit or end. */
class Additions {
  readonly #store: LedgerStore;
  readonly #repository: ContentRepository;
  readonly #open = new Map<number, Addition>();
  #begun = 0;

  constructor(store: LedgerStore, repository: ContentRepository) {
    this.#store = store;
    this.#repository = repository;
  }

  async begin(): Promise<Outcome<number>> {
    const release = await this.#repository.turn();
    const done = await this.#repository.refresh();
    if (!done.ok) {
      release();
      return done;
    }
    this.#open.set(++this.#begun, { intake: newIntake(this.#store.scratch), release });
    return pass(this.#begun);
  }

  async stage(addition: number, pack: Pack): Promise<Outcome<void>> {
    const open = this.#open.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    const { corpus, packs } = this.#repository;
    const taken = await takeIn(open.intake, pack, { files: corpus.files, packs });
    releaseBuffer(pack.bytes);
    // An incomplete addition must not be committed.
    if (!taken.ok) await this.end(addition);
    return taken;
  }

  async commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>> {
    const open = this.#open.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    try {
      return await this.#repository.alone(() => this.#put(open.intake, whole));
    } finally {
      await this.end(addition);
    }
  }

  async #put(intake: Intake, whole: boolean): Promise<Outcome<ContentChange>> {
    const repository = this.#repository;
    const fresh = await repository.refresh();
    if (!fresh.ok) return fresh;
    const moved = movedSince(repository, intake);
    if (moved !== undefined) return moved;
    const { files, counts } = balance(repository, intake, whole);
    return changeFiles(this.#store, repository, { files, packs: intake.packs }, counts);
  }

  /** Ends an addition, committed or not. */
  async end(addition: number): Promise<void> {
    const open = this.#open.get(addition);
    this.#open.delete(addition);
    await open?.intake.spill.close();
    open?.release();
  }
}

/** Refuses an unchanged file that another tab has changed since it was staged. */
function movedSince({ corpus }: ContentRepository, { seen, filed }: Intake): Refused | undefined {
  for (const [path, expected] of seen) {
    const found = corpus.files.get(path)?.source_hash ?? '';
    if (!filed.has(path) && found !== expected) return refuse('content_changed', { path, expected });
  }
  return undefined;
}

/** The changes of an addition. With `whole`, it removes every file that the addition does not contain. */
function balance({ corpus }: ContentRepository, { seen, filed }: Intake, whole: boolean) {
  const gone = whole ? [...corpus.files.keys()].filter((path) => !seen.has(path)) : [];
  const added = [...filed.keys()].filter((path) => !corpus.files.has(path)).length;
  return {
    files: new Map([...filed, ...gone.map((path) => [path, undefined] as const)]),
    counts: { added, changed: filed.size - added, unchanged: seen.size - filed.size, removed: gone.length },
  };
}

/** How a service runs work on the committed state: `inTurn` without other changes, `fresh` for reading. */
interface ContentTurns {
  inTurn<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>>;
  fresh<T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>>;
}

/** Calls of the content service about symbols. */
interface SymbolService {
  defineSymbol(symbol: JsonValue): Promise<Outcome<SymbolRow>>;
  undefineSymbol(symbol_id: string): Promise<Outcome<void>>;
  listSymbols(): Promise<Outcome<readonly SymbolRow[]>>;
  exportSymbols(): Promise<Outcome<string>>;
  importSymbols(text: string): Promise<Outcome<readonly SymbolRow[]>>;
}

/** Calls that define symbols, and list them. A symbol cannot have the name of a capability. */
function symbolService(
  repository: ContentRepository,
  { inTurn, fresh }: ContentTurns,
  isTool: (name: string) => boolean,
): SymbolService {
  const name = (rows: readonly SymbolRow[]): Promise<Outcome<void>> =>
    repository.put({ symbols: new Map(rows.map((row) => [row.symbol_id, row])) });
  return {
    defineSymbol: (symbol) =>
      inTurn(async () => {
        const row = readSymbol(isObject(symbol) ? symbol : null);
        const defined = row.ok ? defineSymbol(repository.symbols, row.value, repository.corpus, isTool) : row;
        if (!defined.ok) return defined;
        const done = await name([defined.value]);
        return done.ok ? defined : done;
      }),
    undefineSymbol: (symbol) =>
      inTurn(async () => {
        if (!repository.symbols.has(symbol)) return refuse('symbol_unknown', { symbol });
        return repository.put({ symbols: new Map([[symbol, undefined]]) });
      }),
    listSymbols: () => fresh(() => pass(listSymbols(repository.symbols))),
    exportSymbols: () => fresh(() => pass(exportSymbols(repository.symbols))),
    importSymbols: (text) =>
      inTurn(async () => {
        const all = importSymbols(repository.symbols, encodeText(text), repository.corpus, isTool);
        if (!all.ok) return all;
        const rows = newIn(all.value, repository.symbols);
        const done = await name(rows);
        return done.ok ? pass(rows) : done;
      }),
  };
}

function newIn(all: Symbols, before: Symbols): readonly SymbolRow[] {
  return [...all.values()].filter((row) => !before.has(row.symbol_id));
}

/** Place where a listing continues, and the version of the content that it lists. */
export interface Cursor {
  readonly from: number;
  readonly version: string;
}

/** Part of a long answer. Between two pages the kernel answers other requests. */
export interface ContentPage<T> {
  readonly part: T;
  readonly next?: Cursor;
}

/** UTF-16 units of section tables in a single message. Every file has at least two hundred. */
const UNITS = 1 << 20;

/** A page of values of each file, in order; undefined where the content's version differs from the cursor's. */
export async function pageOf<T>(
  repository: ContentRepository,
  cursor: Cursor | undefined,
  of: (path: string, entry: FileEntry) => T,
): Promise<ContentPage<readonly T[]> | undefined> {
  const { corpus, version } = repository;
  const paths = await corpus.paths();
  if (repository.version !== (cursor?.version ?? version))
    return cursor === undefined ? pageOf(repository, cursor, of) : undefined;
  const part: T[] = [];
  let from = cursor?.from ?? 0;
  for (let units = 0; from < paths.length && units < UNITS; from++) {
    const path = paths[from] ?? '';
    const entry = corpus.files.get(path);
    if (entry === undefined) continue;
    part.push(of(path, entry));
    units += entry.sections.length;
  }
  return { part, ...(from < paths.length && { next: { from, version } }) };
}

/** Current target of a reference: a symbol, a section id, or, for a person who tries slices, the path of a file. */
function targetOf({ corpus, symbols }: ContentRepository, ref: string): Outcome<Target> {
  if (ref.startsWith('@')) return lookUp(symbols, ref, corpus);
  if (isHash(ref)) return resolveSection(ref, corpus.fileOf(ref));
  const file = { symbol_id: ref, target_type: 'FILE', target_ref: ref, default_slice_policy: '' } as const;
  return resolveSymbol(file, corpus.file(ref));
}

/**
 * Expands a slice as for a message without charges. Where another tab has changed the content since, looks it up again
 * on the current content.
 */
async function trySlice(
  repository: ContentRepository,
  ref: string,
  slice: string,
  budgets: Budgets,
): Promise<Outcome<SliceRead>> {
  const first = await readSlice(repository, ref, slice, budgets);
  const stale = !first.ok && STALE.has(first.refusal.code);
  const before = repository.corpus;
  if (!stale || !(await repository.refresh()).ok || repository.corpus === before) return first;
  return readSlice(repository, ref, slice, budgets);
}

const STALE: ReadonlySet<string> = new Set([
  'content_changed',
  'content_missing',
  'section_range',
  'section_unknown',
  'symbol_unknown',
  'target_gone',
]);

async function readSlice(
  repository: ContentRepository,
  ref: string,
  slice: string,
  budgets: Budgets,
): Promise<Outcome<SliceRead>> {
  const target = targetOf(repository, ref);
  if (!target.ok) return target;
  const text = await repository.text(target.value.file_path);
  if (!text.ok) return text;
  const facts = { run_id: '', target: target.value, slice, text: text.value, spent: NOTHING_SPENT, budgets };
  const read = expand(facts);
  if (!read.ok) return read;
  const { expansion, bytes, file_path, spent } = read.value;
  const { content_hash, payload_ref } = expansion;
  return pass({ text: read.value.text, bytes, content_hash, payload_ref, file_path, sections: spent.sections.size });
}

/** Indexes the stored text anew and reports differing files by name. Changes no data. */
async function rebuild(store: LedgerStore, known: CorpusIndex): Promise<Outcome<Rebuilt>> {
  const tables = new Map<string, string>();
  const differing = new Set<string>(known.files.keys());
  const read = await eachFile(store, async (path, row) => {
    const again = await fileOf(path, row.text, await digest(row.text));
    if (!again.ok) return;
    const { content_hash, sections } = again.value.entry;
    const before = known.files.get(path);
    const same = before?.content_hash === content_hash && before.sections === sections;
    // An equal table is shared: a second index of the whole corpus would take as much memory again.
    tables.set(path, same ? before.sections : sections);
    if (same) differing.delete(path);
    else differing.add(path);
  });
  if (!read.ok) return read;
  const paths = await inOrder([...tables.keys()]);
  const index_hash = await indexHash(paths.map((path) => tables.get(path) ?? ''));
  return pass({ index_hash, same: index_hash === (await known.indexHash()), differing: [...differing] });
}
