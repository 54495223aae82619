import { SallyportError } from '../../../../core/index.ts';
import { corpus } from '../../../texts/en/corpus.ts';
import { PageError, reasonOf } from '../../parts/page-error.ts';

/** A file that a source lists, before it has been read. */
export interface SourceEntry {
  /** Relative to the source, segments joined by `/`. A stranger wrote it: the kernel decides whether it is a path. */
  readonly path: string;
  /** Absent where only reading tells. */
  readonly size?: number;
  read(signal: AbortSignal): Promise<Uint8Array>;
}

/** A source of files: a folder, some files, a zip, an address. */
export interface Source {
  /** In the language of the moment, where it is not a name of the device. */
  readonly name: string;
  /**
   * Lists all files. Rejects with the reason of the signal, or with an error that names the folder or address that
   * could not be listed.
   */
  list(signal: AbortSignal): Promise<readonly SourceEntry[]>;
}

export interface ReadFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** So many files are being read ahead: enough that a disk or a server is never waited for twice. */
const AHEAD = 8;

/**
 * Reads entries in their order. A file that cannot be read ends the import with an error that names it: a corpus with a
 * hole is worse than none.
 */
export async function* readAll(entries: readonly SourceEntry[], signal: AbortSignal): AsyncGenerator<ReadFile> {
  const window: Promise<ReadFile>[] = [];
  for (const entry of entries) {
    signal.throwIfAborted();
    const reading = readOne(entry, signal);
    // Its failure is met in its turn.
    reading.catch(() => undefined);
    window.push(reading);
    if (window.length >= AHEAD) yield* next(window);
  }
  while (window.length > 0) yield* next(window);
}

async function* next(window: Promise<ReadFile>[]): AsyncGenerator<ReadFile> {
  const first = window.shift();
  if (first !== undefined) yield await first;
}

async function readOne({ path, read }: SourceEntry, signal: AbortSignal): Promise<ReadFile> {
  try {
    return { path, bytes: await read(signal) };
  } catch (error) {
    signal.throwIfAborted();
    // It is about the source, not about this file.
    if (error instanceof SallyportError) throw error;
    throw new PageError(() => corpus().unreadable(path, reasonOf(error).replace(/\.$/u, '')), { cause: error });
  }
}

/** The paths or patterns of a text, a line each; empty lines are left out. */
export function parseList(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
