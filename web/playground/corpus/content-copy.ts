import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import type { Section, SymbolRow } from '../../../core/index.ts';
import type { Content, ContentFile, ContentOverview, Rebuilt } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { keepFiles } from './kept-files.ts';
import type { NoticeLine } from './notice.ts';

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
