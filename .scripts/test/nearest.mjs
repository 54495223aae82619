// Finds the tests that a change touches, the nearest first. Pure: files and their imports come in as arguments.

/** Imports of each file, as paths below the root.
 * @typedef {ReadonlyMap<string, readonly string[]>} Imports */

/** Tests that reach a changed file through their imports, with the number of imports between: 0 for a changed test.
 * @param {Imports} imports
 * @param {readonly string[]} changed
 * @param {readonly string[]} tests
 * @returns {Array<{test: string, distance: number}>} the nearest first, then by name */
export function touchedTests(imports, changed, tests) {
  const importers = reversed(imports);
  const distances = new Map(changed.map((file) => [file, 0]));
  // A Map also visits entries that are added during its visit: this is the queue of a breadth-first search.
  for (const [file, distance] of distances) {
    for (const importer of importers.get(file) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1);
    }
  }
  return tests
    .flatMap((test) => ({ test, distance: distances.get(test) ?? -1 }))
    .filter(({ distance }) => distance >= 0)
    .sort((one, other) => one.distance - other.distance || one.test.localeCompare(other.test));
}

/** @param {Imports} imports */
function reversed(imports) {
  /** @type {Map<string, string[]>} */
  const importers = new Map();
  for (const [file, targets] of imports) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), file]);
  }
  return importers;
}

/** As many tests as fit into `seconds`, the nearest first. Changed tests always run.
 * @param {Array<{test: string, distance: number}>} touched the nearest first
 * @param {(test: string) => number} secondsOf how long a test file takes
 * @param {number} seconds
 * @returns {{chosen: string[], rest: string[]}} */
export function withinTime(touched, secondsOf, seconds) {
  let left = seconds;
  /** @type {string[]} */
  const chosen = [];
  /** @type {string[]} */
  const rest = [];
  for (const { test, distance } of touched) {
    const cost = secondsOf(test);
    const fits = distance === 0 || cost <= left;
    if (fits) left -= cost;
    (fits ? chosen : rest).push(test);
  }
  return { chosen, rest };
}
