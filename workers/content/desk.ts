import {
  BUDGETS,
  defineSymbol,
  encodeText,
  exportSymbols,
  importSymbols,
  isObject,
  type JsonValue,
  listSymbols,
  type Outcome,
  pass,
  readSymbol,
  refuse,
  type SymbolRow,
  type Symbols,
} from '../../core/index.ts';
import type { ContentChange, ContentFile, ContentOverview, Found, Rebuilt, SliceRead } from '../api.ts';
import type { LedgerStore } from '../store.ts';
import { parseSections } from './file.ts';
import { type Intake, newIntake, type Pack, takeIn } from './ingest.ts';
import { rebuild } from './rebuild.ts';
import type { Search } from './search.ts';
import type { Shelf, ShelfChange } from './shelf.ts';
import { trySlice } from './slice.ts';

/** The content as the face reaches it: every answer a value, large tables as JSON text, so that it crosses a port well. */
export interface ContentDesk {
  /** Opens an addition; others wait until it is committed or dropped. */
  begin(): Promise<Outcome<number>>;
  stage(addition: number, pack: Pack): Promise<Outcome<void>>;
  commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>>;
  drop(addition: number): Promise<void>;
  remove(paths: readonly string[]): Promise<Outcome<ContentChange>>;
  overview(): Promise<Outcome<ContentOverview>>;
  files(): Promise<Outcome<readonly ContentFile[]>>;
  sections(path: string | undefined): Promise<Outcome<string>>;
  text(path: string): Promise<Outcome<string>>;
  define(symbol: JsonValue): Promise<Outcome<SymbolRow>>;
  undefine(symbol_id: string): Promise<Outcome<void>>;
  symbols(): Promise<Outcome<readonly SymbolRow[]>>;
  exportSymbols(): Promise<Outcome<string>>;
  importSymbols(text: string): Promise<Outcome<readonly SymbolRow[]>>;
  expand(ref: string, slice: string): Promise<Outcome<SliceRead>>;
  search(query: string, most: number): Promise<Outcome<Found>>;
  rebuild(): Promise<Outcome<Rebuilt>>;
}

interface Addition {
  readonly intake: Intake;
  readonly release: () => void;
}

/** @param isTool whether a capability has this name: `@TOOLS/<name>` is taken then */
export function makeDesk(
  store: LedgerStore,
  shelf: Shelf,
  search: Search,
  isTool: (name: string) => boolean,
): ContentDesk {
  const additions = new Map<number, Addition>();
  let begun = 0;

  /** Something with the turn, on what is committed now. */
  async function inTurn<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
    const release = await shelf.turn();
    try {
      const fresh = await shelf.refresh();
      return fresh.ok ? await work() : fresh;
    } finally {
      release();
    }
  }

  async function fresh<T>(read: () => T | Promise<T>): Promise<Outcome<T>> {
    const done = await shelf.refresh();
    return done.ok ? pass(await read()) : done;
  }

  const changed = async (change: ShelfChange, counts: Counts): Promise<Outcome<ContentChange>> => {
    const anything = (change.files?.size ?? 0) > 0;
    const done = anything ? await shelf.put(change) : pass(undefined);
    // what was removed goes from the copies, too; what cannot now goes when the ledger is opened next
    if (done.ok && counts.removed > 0) await store.tidy();
    return done.ok ? pass({ ...(await overviewOf(shelf)), ...counts }) : done;
  };

  const name = async (rows: readonly SymbolRow[]): Promise<Outcome<void>> =>
    shelf.put({ symbols: new Map(rows.map((row) => [row.symbol_id, row])) });

  async function begin(): Promise<Outcome<number>> {
    const release = await shelf.turn();
    const done = await shelf.refresh();
    if (!done.ok) {
      release();
      return done;
    }
    additions.set(++begun, { intake: newIntake(), release });
    return pass(begun);
  }

  function close(addition: number): void {
    additions.get(addition)?.release();
    additions.delete(addition);
  }

  async function commit(addition: number, whole: boolean): Promise<Outcome<ContentChange>> {
    const open = additions.get(addition);
    if (open === undefined) return refuse('option_invalid', { name: 'addition' });
    try {
      const { files, counts } = balance(shelf, open.intake, whole);
      return await changed({ files, packs: open.intake.packs }, counts);
    } finally {
      close(addition);
    }
  }

  return {
    begin,
    async stage(addition, pack) {
      const open = additions.get(addition);
      if (open === undefined) return refuse('option_invalid', { name: 'addition' });
      const taken = await takeIn(open.intake, pack, { files: shelf.holdings.files, packs: shelf.packs });
      // with a hole in it, it must not be committed
      if (!taken.ok) close(addition);
      return taken;
    },
    commit,
    drop: async (addition) => close(addition),
    remove: (paths) =>
      inTurn(async () => {
        const missing = paths.find((path) => !shelf.holdings.files.has(path));
        if (missing !== undefined) return refuse('content_missing', { path: missing });
        const files = new Map(paths.map((path) => [path, undefined]));
        return changed({ files }, { added: 0, changed: 0, unchanged: 0, removed: files.size });
      }),
    overview: () => fresh(() => overviewOf(shelf)),
    files: () => fresh(() => filesOf(shelf)),
    sections: async (path) => {
      const done = await shelf.refresh();
      return done.ok ? sectionsOf(shelf, path) : done;
    },
    text: (path) => shelf.text(path),
    define: (symbol) =>
      inTurn(async () => {
        const row = readSymbol(isObject(symbol) ? symbol : null);
        const defined = row.ok ? defineSymbol(shelf.symbols, row.value, shelf.holdings, isTool) : row;
        if (!defined.ok) return defined;
        const done = await name([defined.value]);
        return done.ok ? defined : done;
      }),
    undefine: (symbol) =>
      inTurn(async () => {
        if (!shelf.symbols.has(symbol)) return refuse('symbol_unknown', { symbol });
        return shelf.put({ symbols: new Map([[symbol, undefined]]) });
      }),
    symbols: () => fresh(() => listSymbols(shelf.symbols)),
    exportSymbols: () => fresh(() => exportSymbols(shelf.symbols)),
    importSymbols: (text) =>
      inTurn(async () => {
        const all = importSymbols(shelf.symbols, encodeText(text), shelf.holdings, isTool);
        if (!all.ok) return all;
        const rows = newIn(all.value, shelf.symbols);
        const done = await name(rows);
        return done.ok ? pass(rows) : done;
      }),
    expand: (ref, slice) => trySlice(shelf, ref, slice, BUDGETS),
    search: async (query, most) => {
      const done = await shelf.refresh();
      return done.ok ? search.find(query, most) : done;
    },
    rebuild: () => inTurn(() => rebuild(store, shelf.holdings)),
  };
}

type Counts = Pick<ContentChange, 'added' | 'changed' | 'unchanged' | 'removed'>;

/** What an addition changes; as the whole of the content, it removes what did not come. */
function balance({ holdings }: Shelf, { seen, rows }: Intake, whole: boolean) {
  const gone = whole ? holdings.paths().filter((path) => !seen.has(path)) : [];
  const added = [...rows.keys()].filter((path) => !holdings.files.has(path)).length;
  return {
    files: new Map([...rows, ...gone.map((path) => [path, undefined] as const)]),
    counts: { added, changed: rows.size - added, unchanged: seen.size - rows.size, removed: gone.length },
  };
}

async function overviewOf({ holdings, symbols }: Shelf): Promise<ContentOverview> {
  const bytes = [...holdings.files.values()].reduce((sum, file) => sum + file.bytes, 0);
  const index_hash = await holdings.indexHash();
  return { files: holdings.files.size, sections: holdings.sections, symbols: symbols.size, bytes, index_hash };
}

function filesOf({ holdings }: Shelf): readonly ContentFile[] {
  return holdings.paths().flatMap((path) => {
    const file = holdings.files.get(path);
    if (file === undefined) return [];
    const { bytes, content_hash, sections } = file;
    return [{ path, bytes, content_hash, sections: parseSections(sections).length }];
  });
}

function sectionsOf({ holdings }: Shelf, path: string | undefined): Outcome<string> {
  if (path === undefined) {
    const tables = holdings.paths().map((each) => holdings.files.get(each)?.sections.slice(1, -1));
    return pass(`[${tables.join(',')}]`);
  }
  const file = holdings.files.get(path);
  return file === undefined ? refuse('content_missing', { path }) : pass(file.sections);
}

function newIn(all: Symbols, before: Symbols): readonly SymbolRow[] {
  return [...all.values()].filter((row) => !before.has(row.symbol_id));
}
