import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ByteFile } from '../journal/file.ts';
import { type FramePlace, readEntry } from '../journal/journal.ts';
import { type Append, type Batch, isThere } from '../store.ts';
import type { LogContents } from './contents.ts';

/** A log in a file, and the places of its batches. */
interface ReadableLog {
  readonly file: ByteFile;
  readonly contents: LogContents;
}

/** The batches of a run from the batch with record `from` on, at most `most`. */
export function* batchesOfRun(
  { file, contents }: ReadableLog,
  run_id: string,
  from = 0,
  most: number = Number.POSITIVE_INFINITY,
): Generator<Batch> {
  const places = contents.places.of(run_id).filter(({ to }) => to > from);
  for (const place of places.slice(0, most)) yield batchAt(file, place);
}

/** The batches of a run, backwards from the batch of record `upTo`. */
export function* batchesBackwards(
  { file, contents }: ReadableLog,
  run_id: string,
  upTo: number = Number.POSITIVE_INFINITY,
): Generator<Batch> {
  const places = contents.places.of(run_id).filter(({ from }) => from <= upTo);
  for (const place of places.toReversed()) yield batchAt(file, place);
}

/** The batches of all runs from this place in the log on, at most `most`. */
export function* batchesOfLog({ file, contents }: ReadableLog, from: number, most: number): Generator<Batch> {
  for (const place of contents.places.inOrder(from).slice(0, most)) yield batchAt(file, place);
}

/** The batch of an append that is repeated after a lost answer. */
export function repeatedBatch({ file, contents }: ReadableLog, append: Append): Outcome<Batch> | undefined {
  const place = contents.places.at(append.run_id, append.expected.records);
  const batch = place && batchAt(file, place);
  return batch !== undefined && isThere(batch, append) ? pass(batch) : undefined;
}

function batchAt(file: ByteFile, place: FramePlace): Batch {
  const { batch } = readEntry(file, place);
  if (batch === undefined) throw new Error(`There is no batch at ${place.at}.`);
  return batch;
}
