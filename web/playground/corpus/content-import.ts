import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { CANONICAL_SOURCES, matchesGlobs } from '../../../core/index.ts';
import type { Content, ContentChange } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { PageError } from '../parts/page-error.ts';
import type { CopyReader } from './content-copy.ts';
import type { Job } from './job.ts';
import { type KeptFiles, keepFiles } from './kept-files.ts';
import type { NoticeLine } from './notice.ts';
import { parseList, readAll, type Source, type SourceEntry } from './sources/source.ts';

/** The import of files from a folder, a zip or an address: a single job at a time. */
export interface ContentImport {
  /** The import under way. */
  readonly job: ReadonlySignal<Job | undefined>;
  /** Patterns, a line each, that select files of a folder, a zip or an address. */
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
}

export function openContentImport(content: Content, { read }: CopyReader, notice: NoticeLine): ContentImport {
  const job = signal<Job | undefined>(undefined);
  const globs = signal(CANONICAL_SOURCES.join('\n'));
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
    const listed = await source.list(stop);
    const chosen = picked ? listed : listed.filter(({ path }) => matchesGlobs(path, parseList(globs.peek())));
    if (chosen.length === 0) throw new PageError(() => nothingIn(source, listed));
    const total = totalOf(chosen);
    const kept = await keepFiles(
      content,
      chosen.map(({ path }) => path),
    );
    if (kept === undefined && !agreed) return undefined;
    const change = await content.add(readAll(chosen, stop), {
      signal: stop,
      onProgress: (step) => progress({ ...step, total }),
    });
    return { change, kept };
  };

  const load = async (source: Source, picked: boolean, agreed: boolean): Promise<void> => {
    if (job.peek() !== undefined) return;
    controller = new AbortController();
    const { signal: stop } = controller;
    let asks = false;
    const added = await notice.attempt(async () => {
      const done = await add(source, { picked, agreed, stop });
      asks = done === undefined;
      return done;
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
    job.value = undefined;
  };

  const tellAdded = (source: Source, { change, kept }: Added): void => {
    const undo = (): Promise<void> =>
      notice.attempt(async () => {
        await kept?.putBack();
        await read();
        notice.tell(() => corpus().filesRestored);
      });
    notice.tell(() => changeText(source, change), kept && change.added + change.changed > 0 ? undo : undefined);
  };

  return {
    job,
    globs,
    cancel: () => controller.abort(new Error('Cancelled.')),
    load: (source, picked = false) => load(source, picked, false),
  };
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
