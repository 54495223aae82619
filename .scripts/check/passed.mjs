// Remembers what passed: a check does not read again what has not changed since.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Key by unit: a file, or the whole check. @typedef {Record<string, string>} Keys */
/** The keys with which each check last passed, by its name. @typedef {Record<string, Keys>} Passed */

/** False with `--no-cache`, and on machines for integration, which set `CI`: every part runs.
 * @param {string[]} argv
 * @param {NodeJS.ProcessEnv} env */
export function mayRemember(argv, env) {
  return !argv.includes('--no-cache') && !env['CI'];
}

/** @param {string} file
 * @returns {Passed} empty before the first run */
export function readPassed(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {string} file
 * @param {Passed} passed */
export function savePassed(file, passed) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(passed));
}

/** Units that changed since they last passed, and new ones.
 * @param {Keys} keys
 * @param {Keys} [passed]
 * @returns {string[]} */
export function changedUnits(keys, passed = {}) {
  return Object.keys(keys).filter((unit) => keys[unit] !== passed[unit]);
}

/** What has last passed after a check: each unit as it was read, if the check passed and the unit did not change
 * meanwhile; as it passed before otherwise. A failure is never remembered.
 * @param {Keys} keys before the run
 * @param {Keys} now behind the run
 * @param {boolean} ok
 * @param {Keys} [before]
 * @returns {Keys} */
export function passedAfter(keys, now, ok, before = {}) {
  return Object.fromEntries(
    Object.entries(keys).flatMap(([unit, key]) => {
      const last = ok && now[unit] === key ? key : before[unit];
      return last === undefined ? [] : [[unit, last]];
    }),
  );
}
