import { type ReadonlySignal, type Signal, signal } from '@preact/signals-core';
import { CANONICAL_SOURCES, matchesGlobs } from '../../../core/index.ts';
import type { Content, ContentChange } from '../../../workers/api.ts';
import type { CopyReader } from './content-copy.ts';
import type { Job } from './job.ts';
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

export function openContentImport(content: Content, { read }: CopyReader, notice: NoticeLine): ContentImport {
  const job = signal<Job | undefined>(undefined);
  const globs = signal(CANONICAL_SOURCES.join('\n'));
  let controller = new AbortController();

  /** Adds the selected files, and reports each step as the job. */
  const add = async (source: Source, picked: boolean, stop: AbortSignal): Promise<ContentChange> => {
    const began = performance.now();
    const progress = (step: Omit<Job, 'name' | 'elapsedMs'>): void => {
      job.value = { ...step, name: source.name, elapsedMs: performance.now() - began };
    };
    progress({ phase: 'listing', files: 0, bytes: 0 });
    const listed = await source.list(stop);
    const chosen = picked ? listed : listed.filter(({ path }) => matchesGlobs(path, parseList(globs.peek())));
    if (chosen.length === 0) throw new Error(nothingIn(source, listed));
    const total = totalOf(chosen);
    return content.add(readAll(chosen, stop), { signal: stop, onProgress: (step) => progress({ ...step, total }) });
  };

  return {
    job,
    globs,
    cancel: () => controller.abort(new Error('Cancelled.')),
    load: async (source, picked = false) => {
      if (job.peek() !== undefined) return;
      controller = new AbortController();
      const { signal: stop } = controller;
      const change = await notice.attempt(() => add(source, picked, stop));
      // a cancel during the final store comes too late, and the page says so
      if (change !== undefined)
        await notice.attempt(async () => {
          await read();
          notice.tell(changeText(source, change));
        });
      else if (stop.aborted) notice.tell('Cancelled. Nothing was added.');
      job.value = undefined;
    },
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

function grouped(number: number): string {
  return number.toLocaleString();
}

function changeText({ name }: Source, { added, changed, unchanged }: ContentChange): string {
  return `${name}: ${grouped(added)} added, ${grouped(changed)} changed, ${grouped(unchanged)} unchanged.`;
}

function nothingIn({ name }: Source, listed: readonly SourceEntry[]): string {
  if (listed.length === 0) return `${name} has no files. Nothing was added.`;
  return `None of the ${grouped(listed.length)} files of ${name} matches the patterns. Change them, or pick the files one by one.`;
}
