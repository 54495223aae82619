/** Message of a sandbox worker that begins a turn. */
export const TAKEN = 'taken';

/** A timer that is later than this was held up with its thread, and an answer may wait behind it. */
const LATE_MS = 50;

/**
 * Calls `expired` after `ms`. A timer that was held up for more than `LATE_MS` starts once more, so that answers that
 * came meanwhile are received first: a page that was suspended for an hour takes no guest for hung. Returns a function
 * that stops the watch.
 */
export function startWatch(ms: number, expired: () => void): () => void {
  const due = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - due <= LATE_MS) expired();
    else timer = setTimeout(expired, ms);
  }, ms);
  return () => clearTimeout(timer);
}
