/** A long task: the finished part, and the total as far as it is known. */
export interface Job {
  readonly name: string;
  readonly phase: 'listing' | 'indexing' | 'storing';
  readonly files: number;
  readonly bytes: number;
  readonly total?: { readonly files: number /** Absent where only reading tells. */; readonly bytes?: number };
  readonly elapsedMs: number;
}

/** An estimate is shown after this time, when there is data to make it from. */
const GUESS_AFTER_MS = 2_000;

/**
 * The part that has been read, from 0 to 1; undefined where it is unknown: the final store does not report progress.
 */
export function share({ files, bytes, total, phase }: Job): number | undefined {
  if (total === undefined || phase !== 'indexing') return undefined;
  // by bytes, because files differ
  const [done, all] = total.bytes === undefined ? [files, total.files] : [bytes, total.bytes];
  return all === 0 ? 1 : Math.min(1, done / all);
}

/** Whole seconds left at the pace so far; undefined in the first two seconds and where there is no measure. */
export function secondsLeft(job: Job): number | undefined {
  const done = share(job);
  if (job.elapsedMs < GUESS_AFTER_MS || done === undefined || done === 0) return undefined;
  return Math.ceil((job.elapsedMs * (1 - done)) / done / 1000);
}
