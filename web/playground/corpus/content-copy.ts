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
  show(path: string): Promise<void>;
  rebuild(): Promise<void>;
  remove(path: string): Promise<void>;
  clear(): Promise<void>;
}

/** Reads of the copy, for the parts of the panel that change the content themselves. */
export interface CopyReader {
  read(): Promise<void>;
  readSymbols(): Promise<void>;
}

/** `ref` is the reference to try next: a file that is shown becomes the reference, unless a symbol stands there. */
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

  const turnTo = async (path: string): Promise<void> => {
    const [sections, text] = await Promise.all([content.sections(path), content.text(path)]);
    open.value = { path, sections, text };
    if (!ref.peek().startsWith('@')) ref.value = path;
  };

  const read = async (): Promise<void> => {
    const [now, listed, named] = await Promise.all([content.overview(), content.files(), content.symbols()]);
    [overview.value, files.value, symbols.value] = [now, listed, named];
    rebuilt.value = undefined;
    const path = open.peek()?.path;
    const shown = listed.find((file) => file.path === path) ?? listed[0];
    if (shown === undefined) open.value = undefined;
    else await turnTo(shown.path);
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
    show: (path) => attempt(() => turnTo(path)),
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
