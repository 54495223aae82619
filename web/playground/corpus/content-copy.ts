import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { encodeText, type Section, type SymbolRow } from '../../../core/index.ts';
import type { Content, ContentFile, ContentOverview, Rebuilt } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import type { LeftFile } from './sources/source.ts';

/** A file that is open: its sections and its text. */
export interface OpenFile {
  readonly path: string;
  readonly sections: readonly Section[];
  readonly text: string;
}

/** A copy of the kernel's latest answer. Each change of the content reads it again. */
export interface ContentCopy {
  /** Undefined until the kernel has answered. */
  readonly overview: ReadonlySignal<ContentOverview | undefined>;
  readonly files: ReadonlySignal<readonly ContentFile[]>;
  readonly symbols: ReadonlySignal<readonly SymbolRow[]>;
  readonly open: ReadonlySignal<OpenFile | undefined>;
  readonly rebuilt: ReadonlySignal<Rebuilt | undefined>;
  refresh(): Promise<void>;
  /** Opens a file. The reference to try next is then this section, or else the file, unless a symbol stands there. */
  show(path: string, section_id?: string): Promise<void>;
  rebuild(): Promise<void>;
  remove(path: string): Promise<void>;
  clear(): Promise<void>;
}

/** Reads of the copy, for the parts of the panel that change the content themselves. */
export interface CopyReader {
  read(): Promise<void>;
  readSymbols(): Promise<void>;
}

/** `ref` is the reference to try next. Reading the content again leaves it, unless the open file is gone. */
export function openContentCopy(
  content: Content,
  { attempt, tell }: NoticeLine,
  ref: Signal<string>,
): ContentCopy & CopyReader {
  const overview = signal<ContentOverview | undefined>(undefined);
  const files = signal<readonly ContentFile[]>([]);
  const symbols = signal<readonly SymbolRow[]>([]);
  const open = signal<OpenFile | undefined>(undefined);
  const rebuilt = signal<Rebuilt | undefined>(undefined);

  /** The path that was asked for last: its file may still be being read. */
  let wanted: string | undefined;
  let turns = 0;
  /** Opens a file, unless a later call has overtaken this one. */
  const turnTo = async (path: string): Promise<void> => {
    wanted = path;
    turns++;
    const mine = turns;
    const [sections, text] = await Promise.all([content.sections(path), content.text(path)]);
    if (mine === turns) open.value = { path, sections, text };
  };
  /** Makes a file the reference, unless a symbol stands there. */
  const refer = (path: string): void => {
    if (!ref.peek().startsWith('@')) ref.value = path;
  };

  const read = async (): Promise<void> => {
    const [now, listed, named] = await Promise.all([content.overview(), content.files(), content.symbols()]);
    [overview.value, files.value, symbols.value] = [now, listed, named];
    rebuilt.value = undefined;
    const shown = listed.find(({ path }) => path === wanted) ?? listed[0];
    if (shown === undefined) open.value = undefined;
    else {
      if (shown.path !== wanted) refer(shown.path);
      await turnTo(shown.path);
    }
  };

  return {
    overview,
    files,
    symbols,
    open,
    rebuilt,
    read,
    readSymbols: async () => {
      symbols.value = await content.symbols();
    },
    refresh: () => attempt(read),
    show: (path, section_id) => {
      if (section_id === undefined) refer(path);
      else ref.value = section_id;
      return attempt(() => turnTo(path));
    },
    rebuild: () =>
      attempt(async () => {
        rebuilt.value = await content.rebuild();
      }),
    remove: (path) =>
      attempt(async () => {
        const kept = await keepFiles(content, [path]);
        await content.remove([path]);
        await read();
        const undo = (): Promise<void> =>
          attempt(async () => {
            await kept?.putBack();
            await read();
            tell(() => corpus().back(path));
          });
        tell(() => corpus().removed(path), kept && undo);
      }),
    clear: () => attempt(() => content.replace([]).then(read)),
  };
}

/** Bytes of text that the page keeps for an undo. */
const BYTES_MAX = 32 << 20;

/** Files as they were before a change of them. */
export interface KeptFiles {
  /** Gives each file its kept text, and removes the paths that had no file. */
  putBack(): Promise<void>;
}

/** Keeps the files at these paths; undefined if their text is too large to be kept. */
export async function keepFiles(content: Content, paths: readonly string[]): Promise<KeptFiles | undefined> {
  const asked = new Set(paths);
  const there = (await content.files()).filter(({ path }) => asked.has(path));
  if (there.reduce((sum, { bytes }) => sum + bytes, 0) > BYTES_MAX) return undefined;
  const texts = await Promise.all(
    there.map(async ({ path }) => ({ path, bytes: encodeText(await content.text(path)) })),
  );
  for (const { path } of there) asked.delete(path);
  return {
    putBack: async () => {
      if (texts.length > 0) await content.add(texts);
      // a file that the change left out is not there
      const added = (await content.files()).filter(({ path }) => asked.has(path)).map(({ path }) => path);
      if (added.length > 0) await content.remove(added);
    },
  };
}

/** The last thing the panel has to say. */
interface CorpusNotice {
  readonly tone: 'good' | 'wait' | 'bad';
  /** The result in the language of the moment; empty for a failure. */
  readonly text: string;
  /** Why an action failed. */
  readonly error?: unknown;
  /** A button beside the text, until the next action. */
  readonly action?: NoticeAction;
  /** Files that the action left out. */
  readonly left: readonly LeftFile[];
}

export interface NoticeAction {
  readonly kind: 'undo' | 'replace' | 'takeBack' | 'notes';
  act(): Promise<void>;
}

/** The line in which the panel reports the result of an action. */
export interface NoticeLine {
  readonly said: ReadonlySignal<CorpusNotice | undefined>;
  /** Reports a success, and the files it left out; `undo` takes it back, and reports that. */
  tell(text: () => string, undo?: () => Promise<void>, left?: readonly LeftFile[]): void;
  /** Asks before an action that cannot be taken back, or that a person has not named. */
  ask(text: () => string, act: () => Promise<void>, kind: Exclude<NoticeAction['kind'], 'undo'>): void;
  /** Reports a refusal in the kernel's words; the content is unchanged then. */
  refused(error: unknown): undefined;
  /** Empties the line and does the work. A failure is reported, and the result is undefined. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>;
}

export function openNoticeLine(): NoticeLine {
  const said = signal<CorpusNotice | undefined>(undefined);
  const refused = (error: unknown): undefined => {
    said.value = { tone: 'bad', text: '', error, left: [] };
  };
  return {
    said,
    tell: (text, undo, left = []) => {
      said.value = notice(left.length > 0 ? 'wait' : 'good', text, undo && { kind: 'undo', act: undo }, left);
    },
    ask: (text, act, kind) => {
      said.value = notice('wait', text, { kind, act });
    },
    refused,
    attempt: async (work) => {
      said.value = undefined;
      return work().catch(refused);
    },
  };
}

function notice(
  tone: CorpusNotice['tone'],
  text: () => string,
  action: NoticeAction | undefined,
  left: readonly LeftFile[] = [],
): CorpusNotice {
  return {
    tone,
    left,
    get text() {
      return text();
    },
    ...(action && { action }),
  };
}
