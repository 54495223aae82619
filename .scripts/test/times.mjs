// Remembers how long each unit test file took, so that a quick run can choose as many as fit into its time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../steps.mjs';

const FILE = join(ROOT, 'node_modules/.cache/sallyport/times.json');

/** @returns {Record<string, number>} seconds by file; empty before the first run */
export function readTimes() {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return {};
  }
}

/** @param {import('../test-counts.mjs').FileTime[]} files */
export function saveTimes(files) {
  const times = Object.fromEntries(files.map(({ file, seconds }) => [file, seconds]));
  mkdirSync(dirname(FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify({ ...readTimes(), ...times }));
}
