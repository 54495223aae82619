/**
 * Interval of progress reports: for lines that are stored, as in the log of a machine, and for the single line that a
 * person watches.
 */
const EVERY_MS = { kept: 10_000, watched: 100 };

/** Reports the progress of a test: on a single line for a person at a terminal, else in a line now and then.
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
