/** How often progress is told: where lines are kept, as in the log of a machine, and where a person watches one line. */
const EVERY_MS = { kept: 10_000, watched: 100 };

/** Tells how far a test is: on one line where a person watches, else in a line now and then.
 * @param {string} name @param {Pick<import('./types.ts').Terminal, 'isWatched' | 'complain'>} terminal
 * @param {() => number} [now] in milliseconds */
export function makeProgress(name, { isWatched, complain }, now = Date.now) {
  const everyMs = isWatched ? EVERY_MS.watched : EVERY_MS.kept;
  const began = now();
  let last = Number.NEGATIVE_INFINITY;
  let isOpen = false;
  return {
    /** @param {number} done @param {number} total @param {string} [note] */
    tell(done, total, note = '') {
      const at = now();
      if (at - last < everyMs && done < total) return;
      last = at;
      isOpen = isWatched;
      const text = `${name}: ${done} of ${total}${note === '' ? '' : `, ${note}`}${left(at - began, done, total)}`;
      complain(isWatched ? `\r\u001b[K${text}` : `${text}\n`);
    },
    /** Leaves the line that is rewritten, so that another text can follow. */
    clear() {
      if (isOpen) complain('\r\u001b[K');
      isOpen = false;
    },
  };
}

/** @param {number} ms @param {number} done @param {number} total */
function left(ms, done, total) {
  const spent = `, ${Math.round(ms / 1000)} s`;
  if (done === 0 || done >= total) return spent;
  return `${spent}, about ${Math.ceil((ms * (total - done)) / done / 1000)} s left`;
}
