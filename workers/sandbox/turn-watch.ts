/** A sandbox worker sends this message to its owner when it takes a turn, before any guest runs. */
export const TURN_TAKEN = 'turn taken';

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
