import { extractSections, normalizeText, SallyportError } from '../../../../core/index.ts';
import { corpus } from '../../../texts/en/corpus.ts';
import { reasonOf } from '../../parts/page-error.ts';

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

/** A file that an import leaves out, and why, in the language of the moment. */
export interface LeftFile {
  readonly path: string;
  readonly why: () => string;
}

/** Bytes of the largest file that is taken: far above a file of text that a person or a model reads. */
const FILE_BYTES_MAX: number = 64 << 20;

/**
 * Reads entries in their order. A file that the kernel would refuse, or that cannot be read, is named to `leave`, and
 * the others are yielded. An error about the whole source ends the import.
 */
export async function* readAll(
  entries: readonly SourceEntry[],
  signal: AbortSignal,
  leave: (file: LeftFile) => void,
): AsyncGenerator<ReadFile> {
  const window: Promise<ReadFile | LeftFile>[] = [];
  const seen = new Set<string>();
  async function* next(): AsyncGenerator<ReadFile> {
    const first = await window.shift();
    if (first === undefined) return;
    if ('why' in first) return leave(first);
    if (seen.has(first.path)) return leave({ path: first.path, why: () => corpus().leftOut.twice });
    seen.add(first.path);
    yield first;
  }
  for (const entry of entries) {
    signal.throwIfAborted();
    const reading = readOne(entry, signal);
    // Its failure is met in its turn.
    reading.catch(() => undefined);
    window.push(reading);
    if (window.length >= AHEAD) yield* next();
  }
  while (window.length > 0) yield* next();
}

async function readOne({ path, size = 0, read }: SourceEntry, signal: AbortSignal): Promise<ReadFile | LeftFile> {
  const named = extractSections(path, '');
  if (!named.ok) return { path, why: () => corpus().leftOut.path(named.refusal.details['reason'] as string) };
  if (size > FILE_BYTES_MAX) return tooLarge(path, size);
  try {
    const bytes = await read(signal);
    if (bytes.length > FILE_BYTES_MAX) return tooLarge(path, bytes.length);
    const text = normalizeText(bytes);
    if (text.ok) return { path, bytes };
    const offset = Number(text.refusal.details['offset']);
    return { path, why: () => corpus().leftOut.notText(offset) };
  } catch (error) {
    signal.throwIfAborted();
    // It is about the source, not about this file.
    if (error instanceof SallyportError) throw error;
    return { path, why: () => reasonOf(error).replace(/\.$/u, '') };
  }
}

function tooLarge(path: string, size: number): LeftFile {
  return { path, why: () => corpus().leftOut.large(size, FILE_BYTES_MAX) };
}

/** The paths or patterns of a text, a line each; empty lines are left out. */
export function parseList(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
