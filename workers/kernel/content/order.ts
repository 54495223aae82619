import { compareText, sortTexts } from '../../../core/content/text.ts';
import { makePace, pause } from '../../async.ts';

/** Texts that are sorted in a single run. */
const RUN = 2_048;
/** Texts that are merged between two looks at the clock. */
const LOOK = 256;

/** Sorts by UTF-8 bytes, with pauses: the paths of a large corpus take a tenth of a second. */
export async function inOrder(texts: readonly string[]): Promise<readonly string[]> {
  const isDue = makePace();
  let runs: (readonly string[])[] = [];
  for (let from = 0; from < texts.length; from += RUN) {
    runs.push(sortTexts(texts.slice(from, from + RUN)));
    if (isDue(0)) await pause();
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let nth = 0; nth < runs.length; nth += 2)
      merged.push(await mergedOf(runs[nth] ?? [], runs[nth + 1] ?? [], isDue));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedOf(
  one: readonly string[],
  other: readonly string[],
  isDue: (done: number) => boolean,
): Promise<readonly string[]> {
  const [last, first] = [one.at(-1), other[0]];
  // The store's order is the same, except for characters beyond U+FFFF.
  if (last === undefined || first === undefined || compareText(last, first) <= 0) return [...one, ...other];
  const all: string[] = [];
  for (let [x, y] = [0, 0]; all.length < one.length + other.length; ) {
    const [a, b] = [one[x], other[y]];
    const isFirst = b === undefined || (a !== undefined && compareText(a, b) <= 0);
    all.push((isFirst ? a : b) as string);
    if (isFirst) x++;
    else y++;
    if (all.length % LOOK === 0 && isDue(0)) await pause();
  }
  return all;
}
