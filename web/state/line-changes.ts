/** One line of a comparison, with its line feed where it has one. */
export interface LineChange {
  readonly kind: 'same' | 'gone' | 'new';
  readonly text: string;
}

/** Above this many pairs of lines the middle is not compared: all of the old, then all of the new. */
const PAIRS_MAX = 1_000_000;

/** What becomes of the lines of a text, in order: those that stay and go are the old one, those that stay and come the new. */
export function lineChanges(before: string, after: string): readonly LineChange[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1;
  const same = (text: string): LineChange => ({ kind: 'same', text });
  const middle = compare(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return [...a.slice(0, head).map(same), ...middle, ...a.slice(a.length - tail).map(same)];
}

export function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function compare(a: readonly string[], b: readonly string[]): readonly LineChange[] {
  if (a.length * b.length > PAIRS_MAX) return [...a.map(gone), ...b.map(fresh)];
  const lengths = commonLengths(a, b);
  const changes: LineChange[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [old, now] = [a[i] ?? '', b[j] ?? ''];
    const down = lengths[i + 1]?.[j] ?? 0;
    const right = lengths[i]?.[j + 1] ?? 0;
    if (old === now) changes.push({ kind: 'same', text: old });
    else changes.push(down >= right ? gone(old) : fresh(now));
    if (old === now || down >= right) i += 1;
    if (old === now || down < right) j += 1;
  }
  return [...changes, ...a.slice(i).map(gone), ...b.slice(j).map(fresh)];
}

/** At each pair of places, how many lines the rests have in common, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [row, below] = [rows[i] as Uint32Array, rows[i + 1] as Uint32Array];
      row[j] = a[i] === b[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
}

const gone = (text: string): LineChange => ({ kind: 'gone', text });
const fresh = (text: string): LineChange => ({ kind: 'new', text });
