import { BUDGETS } from '../../core/content/budget.ts';
import type { SymbolRow } from '../../core/content/symbol.ts';
import {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  readSymbol,
  type Symbols,
} from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { encodeText } from '../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { ContentChange, ContentFile, ContentOverview, Found, Rebuilt, SliceRead } from '../api.ts';
import { releaseBuffer } from '../async/release-buffer.ts';
import type { LedgerStore } from '../store/store.ts';
import { recordInLog } from '../store/system-log.ts';
import type { FileEntry } from './file.ts';
import { type Intake, newIntake, type Pack, takeIn } from './ingest.ts';
import { type ContentPage, type Cursor, pageOf } from './pages.ts';
import { rebuild } from './rebuild.ts';
import type { ContentRepository, RepositoryChange } from './repository.ts';
import type { Search } from './search.ts';
import { trySlice } from './slice.ts';
import { undoOf } from './undo.ts';

/**
 * The content as the client reaches it: every answer is a value, and large tables are JSON text, so that it crosses a
 * port well.
 */
export interface ContentService {
  /** Opens an addition; later changes wait until it is committed or dropped. */
  begin(): Promise<Outcome<number>>;
  /** Indexes a pack; the service owns its bytes from then on. */
  stage(addition: number, pack: Pack): Promise<Outcome<void>>;
  commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>>;
  drop(addition: number): Promise<void>;
  remove(paths: readonly string[]): Promise<Outcome<ContentChange>>;
  overview(): Promise<Outcome<ContentOverview>>;
  /** A page of all files; undefined where the content has changed since the previous page. */
  files(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly ContentFile[]> | undefined>>;
  /** A page of the packed tables of all files; undefined where the content has changed since the previous page. */
  tables(cursor: Cursor | undefined): Promise<Outcome<ContentPage<readonly string[]> | undefined>>;
  sections(path: string): Promise<Outcome<string>>;
  text(path: string): Promise<Outcome<string>>;
  define(symbol: JsonValue): Promise<Outcome<SymbolRow>>;
  undefine(symbol_id: string): Promise<Outcome<void>>;
  symbols(): Promise<Outcome<readonly SymbolRow[]>>;
  exportSymbols(): Promise<Outcome<string>>;
  importSymbols(text: string): Promise<Outcome<readonly SymbolRow[]>>;
  expand(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  search(query: string, most: number): Promise<Outcome<Found>>;
  rebuild(): Promise<Outcome<Rebuilt>>;
  undo(run_id: string, step: number): Promise<Outcome<ContentChange>>;
}

interface Addition {
  readonly intake: Intake;
  readonly release: () => void;
}

/** @param isTool whether a capability has this name: `@TOOLS/<name>` is taken then; @param epoch of the log */
export function makeContentService(
  store: LedgerStore,
  repository: ContentRepository,
  search: Search,
  isTool: (name: string) => boolean,
  epoch: () => number = () => 1,
): ContentService {
  const additions = new Map<number, Addition>();
  let begun = 0;

  /** Runs the work exclusively, on the committed state. */
  async function inTurn<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const release = await repository.turn();
    return repository.alone(() => fresh(work)).finally(release);
  }

  async function fresh<T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>> {
    const done = await repository.refresh();
    return done.ok ? work() : done;
  }

  const changed = async (change: RepositoryChange, counts: Counts): Promise<Outcome<ContentChange>> => {
    const anything = (change.files?.size ?? 0) > 0;
    const done = anything ? await repository.put(change) : pass(undefined);
    // Removed content also leaves the copies; a failed cleanup happens again when the ledger is opened next.
    if (done.ok && counts.removed > 0) await store.tidy();
    return done.ok ? pass({ ...(await overviewOf(repository)), ...counts }) : done;
  };

  const name = async (rows: readonly SymbolRow[]): Promise<Outcome<void>> =>
    repository.put({ symbols: new Map(rows.map((row) => [row.symbol_id, row])) });

  async function begin(): Promise<Outcome<number>> {
    const release = await repository.turn();
    const done = await repository.refresh();
    if (!done.ok) {
      release();
      return done;
    }
    additions.set(++begun, { intake: newIntake(store.scratch), release });
    return pass(begun);
  }

  async function close(addition: number): Promise<void> {
    const open = additions.get(addition);
    additions.delete(addition);
    await open?.intake.spill.close();
    open?.release();
  }

  async function commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>> {
    const open = additions.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    const { intake } = open;
    const put = () => {
      const moved = movedSince(repository, intake);
      if (moved !== undefined) return moved;
      const { files, counts } = balance(repository, intake, whole);
      return changed({ files, packs: intake.packs }, counts);
    };
    try {
      return await repository.alone(() => fresh(put));
    } finally {
      await close(addition);
    }
  }

  return {
    begin,
    async stage(addition, pack) {
      const open = additions.get(addition);
      if (open === undefined) return refuse('option_invalid', { name: 'addition' });
      const taken = await takeIn(open.intake, pack, { files: repository.corpus.files, packs: repository.packs });
      releaseBuffer(pack.bytes);
      // An incomplete addition must not be committed.
      if (!taken.ok) await close(addition);
      return taken;
    },
    commit,
    drop: close,
    remove: (paths) =>
      inTurn(async () => {
        const missing = paths.find((path) => !repository.corpus.files.has(path));
        if (missing !== undefined) return refuse('content_missing', { path: missing });
        const files = new Map(paths.map((path) => [path, undefined]));
        return changed({ files }, { added: 0, changed: 0, unchanged: 0, removed: files.size });
      }),
    overview: () => fresh(async () => pass(await overviewOf(repository))),
    files: (cursor) => fresh(async () => pass(await pageOf(repository, cursor, fileOf))),
    tables: (cursor) => fresh(async () => pass(await pageOf(repository, cursor, (_path, { sections }) => sections))),
    sections: (path) =>
      fresh(() => {
        const file = repository.corpus.files.get(path);
        return file === undefined ? refuse('content_missing', { path }) : pass(file.sections);
      }),
    text: (path) => repository.text(path),
    define: (symbol) =>
      inTurn(async () => {
        const row = readSymbol(isObject(symbol) ? symbol : null);
        const defined = row.ok ? defineSymbol(repository.symbols, row.value, repository.corpus, isTool) : row;
        if (!defined.ok) return defined;
        const done = await name([defined.value]);
        return done.ok ? defined : done;
      }),
    undefine: (symbol) =>
      inTurn(async () => {
        if (!repository.symbols.has(symbol)) return refuse('symbol_unknown', { symbol });
        return repository.put({ symbols: new Map([[symbol, undefined]]) });
      }),
    symbols: () => fresh(() => pass(listSymbols(repository.symbols))),
    exportSymbols: () => fresh(() => pass(exportSymbols(repository.symbols))),
    importSymbols: (text) =>
      inTurn(async () => {
        const all = importSymbols(repository.symbols, encodeText(text), repository.corpus, isTool);
        if (!all.ok) return all;
        const rows = newIn(all.value, repository.symbols);
        const done = await name(rows);
        return done.ok ? pass(rows) : done;
      }),
    expand: (ref, slice) => trySlice(repository, ref, slice, BUDGETS),
    search: (query, most) => fresh(() => search.find(query, most)),
    rebuild: () => inTurn(() => rebuild(store, repository.corpus)),
    undo: (run_id, step) =>
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

type Counts = Pick<ContentChange, 'added' | 'changed' | 'unchanged' | 'removed'>;

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

async function overviewOf({ corpus, symbols }: ContentRepository): Promise<ContentOverview> {
  const bytes = [...corpus.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const counts = { files: corpus.files.size, sections: corpus.sections, symbols: symbols.size, bytes };
  return { ...counts, index_hash: await corpus.indexHash() };
}

function fileOf(path: string, { bytes, content_hash, places }: FileEntry): ContentFile {
  return { path, bytes, content_hash, sections: places.length };
}

function newIn(all: Symbols, before: Symbols): readonly SymbolRow[] {
  return [...all.values()].filter((row) => !before.has(row.symbol_id));
}
