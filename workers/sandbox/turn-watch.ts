/**
 * Messages of a sandbox worker to its owner within a turn. Guest code may run from the first on; with the second the
 * worker itself works, for example on the hash of a heap, which is no time of the guest.
 */
export const GUEST_RUNS = 'guest runs';
export const HOST_WORKS = 'host works';

/** A timer that is later than this was held up with its thread, and an answer may wait behind it. */
const LATE_MS = 50;

/**
 * Calls `expired` after `ms`. A timer that fires more than `LATE_MS` late starts once more, so that the thread receives
 * the answers that came meanwhile. Example: a page that was suspended for an hour does not end its calls as hung.
 * Returns a function that stops the watch.
 */
export function startWatch(ms: number, expired: () => void): () => void {
  const due = performance.now() + ms;
  let timer = setTimeout(() => {
    if (performance.now() - due <= LATE_MS) expired();
    else timer = setTimeout(expired, ms);
  }, ms);
  return () => clearTimeout(timer);
}
