import { demand, type OptionType, STRING } from '../option.ts';

/** Catalytic Chat Contract, Canonical Sources: files of a folder, a zip or an address that are indexed by default. */
export const CANONICAL_SOURCES: readonly string[] = [
  'LAW/CANON/*.md',
  'LAW/CONTEXT/**/*.md',
  'SKILLS/**/*.md',
  'TOOLS/**/*.md',
  'CONTRACTS/**/*.md',
  'CORTEX/db/**/*.sql',
];

/**
 * True when a glob of the list matches the whole path. `**` as a segment is zero or more folders, `*` and `?` stay
 * inside a segment, case counts, and a leading dot is a character like any other. All further characters stand for
 * themselves.
 */
export function matchesGlobs(path: string, globs: readonly string[]): boolean {
  demand('path', path, STRING);
  demand('globs', globs, GLOBS);
  const segments = path.split('/');
  return globs.some((glob) => matchSegments(glob.split('/'), segments));
}

const GLOBS: OptionType = ['a list of strings', (value) => Array.isArray(value) && value.every(STRING[1])];

/** Segment by segment, with the last `**` to come back to: never exponential, for any glob. */
function matchSegments(glob: readonly string[], path: readonly string[]): boolean {
  return matchRun(glob, path, '**', (pattern, segment) =>
    matchRun(Array.from(pattern), Array.from(segment), '*', isSameUnit),
  );
}

function isSameUnit(pattern: string, unit: string): boolean {
  return pattern === '?' || pattern === unit;
}

/** The classic walk with one point of return: `star` matches any run of items, every other item its like. */
function matchRun(
  pattern: readonly string[],
  items: readonly string[],
  star: string,
  isLike: (pattern: string, item: string) => boolean,
): boolean {
  let [at, from] = [0, 0];
  let [starAt, starFrom] = [-1, 0];
  while (from < items.length) {
    const part = pattern[at];
    if (part === star) {
      [starAt, starFrom] = [at, from];
      at++;
    } else if (part !== undefined && isLike(part, items[from] ?? '')) {
      at++;
      from++;
    } else if (starAt >= 0) {
      at = starAt + 1;
      from = ++starFrom;
    } else return false;
  }
  while (pattern[at] === star) at++;
  return at === pattern.length;
}
