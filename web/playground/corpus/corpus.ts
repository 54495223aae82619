import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { CANONICAL_SOURCES, matchesGlobs, type Outcome, type Section, type SymbolRow } from '../../../core/index.ts';
import type {
  ContentChange,
  ContentFile,
  ContentOverview,
  Found,
  Rebuilt,
  Runtime,
  SliceRead,
} from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import type { Job } from './job.ts';
import { addPapers, type Papers } from './scenario-files.ts';
import { readAll, type Source, type SourceEntry } from './sources/source.ts';

/** A file that is open: its sections and its text. */
export interface OpenFile {
  readonly path: string;
  readonly sections: readonly Section[];
  readonly text: string;
}

/** The last thing the panel has to say. */
export interface CorpusNotice {
  readonly tone: 'good' | 'bad';
  readonly text: string;
}

/** A tried slice, and its result. */
export interface SliceTrial {
  readonly ref: string;
  readonly slice: string;
  readonly outcome: Outcome<SliceRead>;
}

/** The content as the panel shows it: a copy of the kernel's latest answer, and the import under way. */
export interface CorpusState {
  /** Undefined until the kernel has answered. */
  readonly overview: ReadonlySignal<ContentOverview | undefined>;
  readonly files: ReadonlySignal<readonly ContentFile[]>;
  readonly symbols: ReadonlySignal<readonly SymbolRow[]>;
  readonly open: ReadonlySignal<OpenFile | undefined>;
  readonly found: ReadonlySignal<Found | undefined>;
  readonly trial: ReadonlySignal<SliceTrial | undefined>;
  readonly rebuilt: ReadonlySignal<Rebuilt | undefined>;
  readonly job: ReadonlySignal<Job | undefined>;
  readonly said: ReadonlySignal<CorpusNotice | undefined>;
  /** Patterns, a line each, that select files of a folder, a zip or an address. */
  readonly globs: Signal<string>;
  /** The reference to try next. */
  readonly ref: Signal<string>;
  readonly slice: Signal<string>;
  refresh(): Promise<void>;
  /** Imports the files that the globs select, or all files if a person has picked each. */
  load(source: Source, picked?: boolean): Promise<void>;
  cancel(): void;
  show(path: string): Promise<void>;
  search(query: string): Promise<void>;
  tryNow(): Promise<void>;
  define(row: SymbolRow): Promise<boolean>;
  undefine(symbol_id: string): Promise<void>;
  importSymbols(text: string): Promise<void>;
  exportSymbols(): Promise<string | undefined>;
  rebuild(): Promise<void>;
  remove(path: string): Promise<void>;
  clear(): Promise<void>;
  /** Lays out a scenario's papers where they are missing, and names their places. */
  addPapers(scenario: Papers): Promise<void>;
  /** Restores the content that a step of a run has changed. */
  undo(run_id: string, step: number): Promise<void>;
}

export function openCorpus({ content }: Pick<Runtime, 'content'>): CorpusState {
  const overview = signal<ContentOverview | undefined>(undefined);
  const files = signal<readonly ContentFile[]>([]);
  const symbols = signal<readonly SymbolRow[]>([]);
  const open = signal<OpenFile | undefined>(undefined);
  const found = signal<Found | undefined>(undefined);
  const trial = signal<SliceTrial | undefined>(undefined);
  const rebuilt = signal<Rebuilt | undefined>(undefined);
  const job = signal<Job | undefined>(undefined);
  const said = signal<CorpusNotice | undefined>(undefined);
  const globs = signal(CANONICAL_SOURCES.join('\n'));
  const ref = signal('');
  const slice = signal('head(5)');
  let controller = new AbortController();
  let asked = 0;

  /** A refusal of the kernel is shown in the kernel's words; the content is unchanged then. */
  const refused = (error: unknown): undefined => {
    said.value = { tone: 'bad', text: sentenceOf(error) };
  };

  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    said.value = undefined;
    return work().catch(refused);
  };

  const act = async (work: () => Promise<unknown>): Promise<void> => {
    await attempt(work);
  };

  const read = async (): Promise<void> => {
    const [now, listed, named] = await Promise.all([content.overview(), content.files(), content.symbols()]);
    [overview.value, files.value, symbols.value] = [now, listed, named];
    rebuilt.value = undefined;
    const path = open.peek()?.path;
    if (path === undefined || !listed.some((file) => file.path === path)) await openFirst(listed);
    else await turnTo(path);
  };

  const openFirst = async ([first]: readonly ContentFile[]): Promise<void> => {
    if (first === undefined) open.value = undefined;
    else await turnTo(first.path);
  };

  const turnTo = async (path: string): Promise<void> => {
    const [sections, text] = await Promise.all([content.sections(path), content.text(path)]);
    open.value = { path, sections, text };
    if (!ref.peek().startsWith('@')) ref.value = path;
  };

  const load = async (source: Source, picked = false): Promise<void> => {
    if (job.peek() !== undefined) return;
    controller = new AbortController();
    const { signal: stop } = controller;
    const began = performance.now();
    const tell = (step: Omit<Job, 'name' | 'elapsedMs'>): void => {
      job.value = { ...step, name: source.name, elapsedMs: performance.now() - began };
    };
    tell({ phase: 'listing', files: 0, bytes: 0 });
    const change = await attempt(async () => {
      const listed = await source.list(stop);
      const chosen = picked ? listed : listed.filter(({ path }) => matchesGlobs(path, linesOf(globs.peek())));
      if (chosen.length === 0) throw new Error(nothingIn(source, listed));
      const total = totalOf(chosen);
      return content.add(readAll(chosen, stop), {
        signal: stop,
        onProgress: (progress) => tell({ ...progress, total }),
      });
    });
    // a cancel during the final store comes too late, and the page says so
    if (change !== undefined) await tellOf(source, change);
    else if (stop.aborted) said.value = { tone: 'good', text: 'Cancelled. Nothing was added.' };
    job.value = undefined;
  };

  const tellOf = (source: Source, { added, changed, unchanged }: ContentChange): Promise<void> =>
    act(async () => {
      await read();
      said.value = {
        tone: 'good',
        text: `${source.name}: ${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} unchanged.`,
      };
    });

  return {
    overview,
    files,
    symbols,
    open,
    found,
    trial,
    rebuilt,
    job,
    said,
    globs,
    ref,
    slice,
    refresh: () => act(read),
    load,
    cancel: () => controller.abort(new Error('Cancelled.')),
    show: (path) => act(() => turnTo(path)),
    async search(query) {
      const mine = ++asked;
      if (query.trim() === '') {
        found.value = undefined;
        return;
      }
      const answer = await attempt(() => content.search(query));
      // an answer to an outdated request is dropped
      if (mine === asked) found.value = answer;
    },
    async tryNow() {
      const [what, cut] = [ref.peek(), slice.peek()];
      const outcome = await attempt(() => content.expand(what, cut));
      if (outcome !== undefined) trial.value = { ref: what, slice: cut, outcome };
    },
    async define(row) {
      const done = await attempt(async () => {
        await content.define(row);
        symbols.value = await content.symbols();
        said.value = { tone: 'good', text: `${row.symbol_id} is defined.` };
        return true;
      });
      return done === true;
    },
    undefine: (symbol_id) =>
      act(async () => {
        await content.undefine(symbol_id);
        symbols.value = await content.symbols();
      }),
    importSymbols: (text) =>
      act(async () => {
        const rows = await content.importSymbols(text);
        symbols.value = await content.symbols();
        said.value = { tone: 'good', text: `${rows.length} symbols were taken in.` };
      }),
    exportSymbols: () => attempt(() => content.exportSymbols()),
    rebuild: () =>
      act(async () => {
        rebuilt.value = await content.rebuild();
      }),
    remove: (path) =>
      act(async () => {
        await content.remove([path]);
        await read();
      }),
    clear: () =>
      act(async () => {
        await content.replace([]);
        await read();
      }),
    addPapers: async (scenario) => {
      await addPapers(content, scenario);
      // a panel that was not opened yet reads the content when it is opened
      if (overview.peek() !== undefined) await read().catch(refused);
    },
    undo: (run_id, step) =>
      act(async () => {
        await content.undo(run_id, step);
        await read();
        said.value = { tone: 'good', text: `The changes of step ${step} were taken back.` };
      }),
  };
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function totalOf(entries: readonly SourceEntry[]): NonNullable<Job['total']> {
  let bytes = 0;
  for (const { size } of entries) {
    if (size === undefined) return { files: entries.length };
    bytes += size;
  }
  return { files: entries.length, bytes };
}

function grouped(number: number): string {
  return number.toLocaleString();
}

function nothingIn({ name }: Source, listed: readonly SourceEntry[]): string {
  if (listed.length === 0) return `${name} has no files. Nothing was added.`;
  return `None of the ${grouped(listed.length)} files of ${name} matches the patterns. Change them, or pick the files one by one.`;
}
