import type { IndexedFile } from '../../../core/content/build.ts';
import type { Section } from '../../../core/content/section.ts';
import type { StagedFiles } from '../../../core/content/staged.ts';
import { listSymbols, lookUp } from '../../../core/content/symbols.ts';
import { fileBehind, resolveSection, type SymbolRow, type Target } from '../../../core/content/target.ts';
import { goneRef, rebound, type StagedFile } from '../../../core/content/write.ts';
import type { Outcome } from '../../../core/outcome.ts';
import type { ResolvedSymbol } from '../../../core/run/event.ts';
import { unwrap } from '../../../core/sallyport-error.ts';
import type { TableWrite } from '../../store/tables.ts';
import { type StorableFile, soundSections } from './file.ts';
import type { ContentRepository, RepositoryChange } from './repository.ts';
import type { Search } from './search.ts';

/**
 * Content as a run uses it: targets of symbols, the text of a file, and a change that commits together with records.
 */
export interface RunContent {
  /** The defined symbols among these, each with the section table of its file where the file is indexed. */
  resolve(symbols: readonly string[]): Promise<ReadonlyMap<string, ResolvedSymbol>>;
  /** At most `most` symbol names, for a model's first request. */
  names(most: number): Promise<readonly string[]>;
  /** Current target of a symbol or of a section id. */
  locate(ref: string): Promise<Outcome<Target>>;
  /**
   * Sections that hold every word, and the symbols that stand for them: candidates for reading. Files that the message
   * has written are searched in their written form, and come first.
   */
  search(query: string, most: number, written?: StagedFiles): Promise<Candidates>;
  /** The file's current state, and the symbols that stand for it or for a section of it. */
  load(path: string): Promise<{ readonly file?: IndexedFile; readonly rows: readonly SymbolRow[] }>;
  /**
   * Blocks every other content change until released. Refuses with the path of a file that has changed since it was
   * staged.
   */
  hold(staged: readonly StagedFile[]): Promise<ContentHold | ContentConflict>;
}

interface Candidates {
  readonly sections: readonly {
    readonly section_id: string;
    readonly path: string;
    readonly headings: readonly string[];
    readonly line_start: number;
    readonly line_end: number;
    readonly symbols: readonly string[];
  }[];
  readonly matches: number;
}

export interface ContentHold {
  /** The rows of the change, for the transaction that holds the records too. */
  readonly writes: readonly TableWrite[];
  /** Called after the transaction has committed. */
  committed(): void;
  release(): void;
}

interface ContentConflict {
  readonly outdated: { readonly path: string };
}

/** The content of a store. A refusal of the store throws, because the run cannot continue without its content. */
export function runContent(repository: ContentRepository, search: Search): RunContent {
  async function refresh(): Promise<void> {
    unwrap(await repository.refresh());
  }

  return {
    async resolve(symbols) {
      await refresh();
      return new Map(symbols.flatMap((symbol) => found(repository, symbol)));
    },
    async names(most) {
      await refresh();
      return listSymbols(repository.symbols)
        .slice(0, most)
        .map((row) => row.symbol_id);
    },
    async locate(ref) {
      await refresh();
      const { symbols, corpus } = repository;
      return ref.startsWith('@') ? lookUp(symbols, ref, corpus) : resolveSection(ref, corpus.fileOf(ref));
    },
    async search(query, most, written = new Map()) {
      await refresh();
      const { sections, matches } = unwrap(await search.find(query, most, written));
      return { sections: sections.map((section) => candidate(repository, written, section)), matches };
    },
    async load(path) {
      await refresh();
      const entry = repository.corpus.files.get(path);
      const text = await repository.text(path);
      if (!text.ok || entry === undefined) return { rows: [] };
      const { content_hash } = entry;
      const file = { file_path: path, content_hash, text: text.value, sections: soundSections(path, entry) };
      return { file, rows: rowsOf(repository, file) };
    },
    async hold(staged) {
      const release = await turnAlone(repository);
      try {
        await refresh();
        const outdated = staged.map((each) => difference(repository, each)).find((each) => each !== undefined);
        if (outdated !== undefined) {
          release();
          return { outdated };
        }
        const change = await changeOf(repository, staged);
        const writes = repository.writes(change);
        return { writes, committed: () => repository.committed(change, writes), release };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

async function turnAlone(repository: ContentRepository): Promise<() => void> {
  const end = await repository.turn();
  return new Promise((resolve, reject) => {
    const held = repository.alone(() => new Promise<void>((release) => resolve(release)));
    held.then(end, (error: unknown) => {
      end();
      reject(error);
    });
  });
}

/** A search candidate with the symbols that stand for its section or its file. */
function candidate(
  { symbols }: ContentRepository,
  written: StagedFiles,
  section: Section,
): Candidates['sections'][number] {
  const { section_id, file_path: path, heading_path: headings, line_start, line_end } = section;
  const rows = written.get(path)?.rows ?? [...symbols.values()];
  const naming = rows.filter(({ target_ref: ref }) => ref === section_id || ref === path);
  const names = naming.slice(0, NAMES_MOST).map(({ symbol_id }) => symbol_id);
  return { section_id, path, headings, line_start, line_end, symbols: names };
}

/** Symbols of a single section that a search lists. */
const NAMES_MOST = 20;

function found({ symbols, corpus }: ContentRepository, symbol: string): readonly (readonly [string, ResolvedSymbol])[] {
  const row = symbols.get(symbol);
  if (row === undefined) return [];
  const file = fileBehind(row, corpus);
  return [[symbol, { row, ...(file && { file }) }]];
}

function rowsOf({ symbols }: ContentRepository, { file_path, sections }: IndexedFile): readonly SymbolRow[] {
  const ids = new Set([file_path, ...sections.map((section) => section.section_id)]);
  return [...symbols.values()].filter((row) => ids.has(row.target_ref));
}

function difference({ corpus }: ContentRepository, { before }: StagedFile): ContentConflict['outdated'] | undefined {
  const { file_path: path, content_hash } = before;
  return corpus.files.get(path)?.content_hash === content_hash ? undefined : { path };
}

/** The files after the change, and the symbols that it rebinds, except symbols that were redefined meanwhile. */
async function changeOf(repository: ContentRepository, staged: readonly StagedFile[]): Promise<RepositoryChange> {
  const files = new Map<string, StorableFile | undefined>();
  const symbols = new Map<string, SymbolRow>();
  for (const each of staged) {
    const written = unwrap(await repository.written(each.after.file_path, each.after.text));
    for (const [path, row] of written.files ?? []) files.set(path, row);
    for (const { symbol_id, from, to } of rebound(each)) {
      const row = repository.symbols.get(symbol_id);
      if (row?.target_ref === from) symbols.set(symbol_id, { ...row, target_ref: to ?? goneRef(from) });
    }
    for (const row of dangling(repository, each))
      symbols.set(row.symbol_id, { ...row, target_ref: goneRef(row.target_ref) });
  }
  return { files, symbols };
}

/**
 * Symbols without a section, whose target id the change would give to another section: the change must not rebind them
 * to it.
 */
function dangling({ symbols }: ContentRepository, { before, after }: StagedFile): readonly SymbolRow[] {
  const known = new Set(before.sections.map(({ section_id }) => section_id));
  const made = new Set(after.sections.map(({ section_id }) => section_id).filter((id) => !known.has(id)));
  return [...symbols.values()].filter(({ target_ref }) => made.has(target_ref));
}
