import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { CANONICAL_SOURCES, matchesGlobs, type Outcome, SallyportError, type SymbolRow } from '../../../core/index.ts';
import type { Content, ContentChange, Found, Runtime, SliceRead } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { PageError } from '../parts/page-error.ts';
import type { PlaygroundScenario } from '../scenario.ts';
import {
  type ContentCopy,
  type CopyReader,
  type KeptFiles,
  keepFiles,
  type NoticeLine,
  openContentCopy,
  openNoticeLine,
} from './content-copy.ts';
import type { Job } from './job.ts';
import { type LeftFile, parseList, readAll, type Source, type SourceEntry } from './sources/source.ts';

/** The content as the panel shows it. */
export interface CorpusState extends ContentCopy, ContentImport, ContentLookup, SymbolEdits, Pick<NoticeLine, 'said'> {
  /** Lays out a scenario's papers where they are missing, and names their places. */
  addPapers(scenario: Papers): Promise<void>;
  readonly takeBack: TakeBack;
}

export function openCorpus({ content }: Pick<Runtime, 'content'>): CorpusState {
  const notice = openNoticeLine();
  const lookup = openContentLookup(content, notice);
  const copy = openContentCopy(content, notice, lookup.ref);
  return {
    ...copy,
    ...lookup,
    ...openContentImport(content, copy, notice),
    ...openSymbolEdits(content, copy, notice),
    said: notice.said,
    addPapers: async (scenario) => {
      await addPapers(content, scenario);
      // a panel that was not opened yet reads the content when it is opened
      if (copy.overview.peek() !== undefined) await copy.read().catch(notice.refused);
    },
    takeBack: openTakeBack(content, copy, notice),
  };
}

/** The import of files from a folder, a zip or an address: a single job at a time. */
interface ContentImport {
  /** The import under way. */
  readonly job: ReadonlySignal<Job | undefined>;
  /** Patterns, a line each, that select files of a folder or a zip. */
  readonly globs: Signal<string>;
  /** Imports the files that the globs select, or all files if a person has picked each. */
  load(source: Source, picked?: boolean): Promise<void>;
  cancel(): void;
}

interface Load {
  readonly picked: boolean;
  /** A person has agreed to replace files without an undo. */
  readonly agreed: boolean;
  readonly stop: AbortSignal;
}

/** An addition, and the files as they were before it, where their text could be kept. */
interface Added {
  readonly change: ContentChange;
  readonly kept: KeptFiles | undefined;
  readonly left: readonly LeftFile[];
}

/** Patterns that a folder or a zip is read with: notes of people, or the sources that the contract names. */
export const SELECTIONS: { readonly [name in 'notes' | 'contract']: string } = {
  notes: ['md', 'markdown', 'txt', 'text', 'MD', 'TXT'].map((ending) => `**/*.${ending}`).join('\n'),
  contract: CANONICAL_SOURCES.join('\n'),
};

function openContentImport(content: Content, { read }: CopyReader, notice: NoticeLine): ContentImport {
  const job = signal<Job | undefined>(undefined);
  const globs = signal<string>(SELECTIONS.notes);
  let controller = new AbortController();

  /**
   * Adds the selected files, and reports each step as the job. Undefined without an addition: the files would replace
   * more text than can be kept for an undo, and a person has not agreed yet.
   */
  const add = async (source: Source, { picked, agreed, stop }: Load): Promise<Added | undefined> => {
    const began = performance.now();
    const progress = (step: Omit<Job, 'name' | 'elapsedMs'>): void => {
      job.value = { ...step, name: source.name, elapsedMs: performance.now() - began };
    };
    progress({ phase: 'listing', files: 0, bytes: 0 });
    // some systems write an umlaut as two characters, and the content knows a single spelling
    const listed = (await source.list(stop)).map((entry) => ({ ...entry, path: entry.path.normalize('NFC') }));
    const chosen = picked ? listed : listed.filter(({ path }) => matchesGlobs(path, parseList(globs.peek())));
    if (chosen.length === 0) {
      const notes = listed.filter(({ path }) => matchesGlobs(path, parseList(SELECTIONS.notes))).length;
      throw new NoneChosen(() => nothingIn(source, listed), notes);
    }
    const total = totalOf(chosen);
    const kept = await keepFiles(
      content,
      chosen.map(({ path }) => path),
    );
    if (kept === undefined && !agreed) return undefined;
    const left: LeftFile[] = [];
    const files = readAll(chosen, stop, (file) => void left.push(file));
    const change = await content.add(files, { signal: stop, onProgress: (step) => progress({ ...step, total }) });
    return { change, kept, left };
  };

  const load = async (source: Source, picked: boolean, agreed: boolean): Promise<void> => {
    if (job.peek() !== undefined) return;
    controller = new AbortController();
    const { signal: stop } = controller;
    let asks = false;
    let others = 0;
    const added = await notice.attempt(async () => {
      try {
        const done = await add(source, { picked, agreed, stop });
        asks = done === undefined;
        return done;
      } catch (error) {
        if (error instanceof NoneChosen) others = error.notes;
        throw error;
      }
    });
    // a cancel during the final store comes too late, and the page says so
    if (added !== undefined)
      await notice.attempt(async () => {
        await read();
        tellAdded(source, added);
      });
    else if (asks)
      notice.ask(
        () => corpus().large,
        () => load(source, picked, true),
        'replace',
      );
    else if (stop.aborted) notice.tell(() => corpus().cancelled);
    else if (others > 0) {
      const takeNotes = (): Promise<void> => {
        globs.value = SELECTIONS.notes;
        return load(source, false, agreed);
      };
      notice.ask(() => corpus().notesInstead(source.name, others), takeNotes, 'notes');
    }
    job.value = undefined;
  };

  const tellAdded = (source: Source, { change, kept, left }: Added): void => {
    const undo = (): Promise<void> =>
      notice.attempt(async () => {
        await kept?.putBack();
        await read();
        notice.tell(() => corpus().filesRestored);
      });
    notice.tell(() => changeText(source, change), kept && change.added + change.changed > 0 ? undo : undefined, left);
  };

  return {
    job,
    globs,
    cancel: () => controller.abort(new Error('Cancelled.')),
    load: (source, picked = false) => load(source, picked, false),
  };
}

/** The patterns select no file of a source; those for notes would select `notes` of them. */
class NoneChosen extends PageError {
  readonly notes: number;
  constructor(text: () => string, notes: number) {
    super(text);
    this.notes = notes;
  }
}

function totalOf(entries: readonly SourceEntry[]): NonNullable<Job['total']> {
  let bytes = 0;
  for (const { size } of entries) {
    if (size === undefined) return { files: entries.length };
    bytes += size;
  }
  return { files: entries.length, bytes };
}

function changeText({ name }: Source, { added, changed, unchanged }: ContentChange): string {
  return corpus().added(name, added, changed, unchanged);
}

function nothingIn({ name }: Source, listed: readonly SourceEntry[]): string {
  return listed.length === 0 ? corpus().noFiles(name) : corpus().noneMatches(name, listed.length);
}

/** A tried slice, and its result. */
export interface SliceTrial {
  readonly ref: string;
  readonly slice: string;
  readonly outcome: Outcome<SliceRead>;
}

/** A person's questions to the content: a search, and a slice as a model would ask for it. */
interface ContentLookup {
  readonly found: ReadonlySignal<Found | undefined>;
  /** A search is under way, long enough to be felt: the first one reads all texts. */
  readonly searching: ReadonlySignal<boolean>;
  readonly trial: ReadonlySignal<SliceTrial | undefined>;
  /** The reference to try next. */
  readonly ref: Signal<string>;
  readonly slice: Signal<string>;
  search(query: string): Promise<void>;
  tryNow(): Promise<void>;
}

/** A search that is answered within this time shows no sign. */
const FELT_MS = 150;

function openContentLookup(content: Content, { attempt }: NoticeLine): ContentLookup {
  const found = signal<Found | undefined>(undefined);
  const searching = signal(false);
  const trial = signal<SliceTrial | undefined>(undefined);
  const ref = signal('');
  const slice = signal('head(5)');
  let asked = 0;
  return {
    found,
    searching,
    trial,
    ref,
    slice,
    search: async (query) => {
      const mine = ++asked;
      if (query.trim() === '') {
        found.value = undefined;
        searching.value = false;
        return;
      }
      const felt = setTimeout(() => (searching.value = mine === asked), FELT_MS);
      const answer = await attempt(() => content.search(query));
      clearTimeout(felt);
      // an answer to an outdated request is dropped
      if (mine !== asked) return;
      found.value = answer;
      searching.value = false;
    },
    tryNow: async () => {
      const [what, cut] = [ref.peek(), slice.peek()];
      const outcome = await attempt(() => content.expand(what, cut));
      if (outcome !== undefined) trial.value = { ref: what, slice: cut, outcome };
    },
  };
}

/** A person's changes to the table of symbols. */
interface SymbolEdits {
  define(row: SymbolRow): Promise<boolean>;
  undefine(symbol_id: string): Promise<void>;
  importSymbols(text: string): Promise<void>;
  exportSymbols(): Promise<string | undefined>;
}

function openSymbolEdits(content: Content, { readSymbols }: CopyReader, notice: NoticeLine): SymbolEdits {
  const { attempt, tell } = notice;

  /** Defines the symbols that have gone since, and forgets the new ones. A symbol that is there keeps its row. */
  const restore = async (before: readonly SymbolRow[]): Promise<void> => {
    const was = new Set(before.map(({ symbol_id }) => symbol_id));
    const now = new Set((await content.symbols()).map(({ symbol_id }) => symbol_id));
    for (const symbol_id of now) if (!was.has(symbol_id)) await content.undefine(symbol_id);
    for (const row of before) if (!now.has(row.symbol_id)) await content.define(row);
    await readSymbols();
  };
  /** Changes symbols, and offers to take the change back. */
  const change = (act: () => Promise<() => string>, undone: () => string): Promise<void> =>
    attempt(async () => {
      const before = await content.symbols();
      const told = await act();
      await readSymbols();
      const undo = (): Promise<void> =>
        attempt(async () => {
          await restore(before);
          tell(undone);
        });
      tell(told, undo);
    });
  return {
    define: async (row) => {
      let isDone = false;
      await change(async () => {
        await content.define(row);
        isDone = true;
        return () => corpus().symbols.defined(row.symbol_id);
      }, restored);
      return isDone;
    },
    undefine: (symbol_id) =>
      change(
        async () => {
          await content.undefine(symbol_id);
          return () => corpus().symbols.forgotten(symbol_id);
        },
        () => corpus().back(symbol_id),
      ),
    importSymbols: (text) =>
      change(async () => {
        const { length } = await content.importSymbols(text);
        return () => corpus().symbols.imported(length);
      }, restored),
    exportSymbols: () => attempt(() => content.exportSymbols()),
  };
}

const restored = (): string => corpus().symbols.restored;

/** A step of a run, and the files that it has changed. */
interface WrittenStep {
  readonly run_id: string;
  readonly step: number;
  readonly paths: readonly string[];
}

/** Restores the content that a step has changed, and offers to bring the changes of the step back. */
type TakeBack = (written: WrittenStep) => Promise<void>;

export function openTakeBack(content: Content, { read }: Pick<CopyReader, 'read'>, notice: NoticeLine): TakeBack {
  const takeBack = (written: WrittenStep, isAgreed: boolean): Promise<void> =>
    notice.attempt(async () => {
      const { run_id, step, paths } = written;
      const kept = await keepFiles(content, paths);
      if (kept === undefined && !isAgreed) {
        const agree = (): Promise<void> => takeBack(written, true);
        return notice.ask(() => corpus().largeStep(step), agree, 'takeBack');
      }
      const was = await content.symbols();
      await content.undo(run_id, step);
      const now = await content.symbols();
      await read();
      const undo = (): Promise<void> =>
        notice.attempt(async () => {
          await kept?.putBack();
          await moveSymbols(content, now, was);
          await read();
          notice.tell(() => corpus().stepBack(step));
        });
      notice.tell(() => corpus().takenBack(step), kept && undo);
    });
  return (written) => takeBack(written, false);
}

/** Moves symbols back to their former sections. A symbol that was changed since, or had no section, stays as it is. */
async function moveSymbols(content: Content, from: readonly SymbolRow[], to: readonly SymbolRow[]): Promise<void> {
  const targets = new Map(from.map(({ symbol_id, target_ref }) => [symbol_id, target_ref]));
  const current = new Map((await content.symbols()).map(({ symbol_id, target_ref }) => [symbol_id, target_ref]));
  const sections = new Set((await content.sections()).map(({ section_id }) => section_id));
  for (const row of to) {
    const { symbol_id, target_ref } = row;
    const left = targets.get(symbol_id);
    if (left === target_ref || current.get(symbol_id) !== left || !sections.has(target_ref)) continue;
    await content.undefine(symbol_id);
    await content.define(row);
  }
}

type Papers = Pick<PlaygroundScenario, 'files' | 'symbols'>;

/**
 * Adds a scenario's papers to the content and names their places. A file that is already there stays as it is, changed
 * or not.
 */
export async function addPapers(content: Content, { files, symbols }: Papers): Promise<void> {
  const there = new Set((await content.files()).map(({ path }) => path));
  const missing = Object.entries(files).filter(([path]) => !there.has(path));
  if (missing.length > 0)
    await content.add(missing.map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })));
  const named = new Set((await content.symbols()).map(({ symbol_id }) => symbol_id));
  for (const row of symbols) {
    if (named.has(row.symbol_id)) continue;
    await content.define(row).catch((error: unknown) => {
      // laid out twice at once, here or in another tab: the name is there, which is all that is wanted
      if (!(error instanceof SallyportError) || error.code !== 'symbol_twice') throw error;
    });
  }
}
