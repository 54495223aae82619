import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../steps.mjs';

/** @typedef {import('../../test/bench/results.ts').Measured} Measured */
/** @typedef {import('../../test/bench/results.ts').Results} Results */

/** Load of the machine within the last minute: programs that wanted the processor. */
export function load() {
  return Number(loadavg()[0]?.toFixed(1));
}

/** Writes the measured sections into a file, which keeps its other sections from the same machine.
 * @param {string} file @param {readonly Measured[]} measured
 * @param {Pick<typeof import('../../test/bench/results.ts'), 'mergeResults' | 'formatResults'>} format */
export function writeResults(file, measured, { mergeResults, formatResults }) {
  const older = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
  /** @type {Results} */
  const newer = { format: 'sallyport-bench/1', machine: machine(), versions: versions(), measured };
  writeFileSync(file, formatResults(mergeResults(older, newer)));
}

/** The machine that measures. @returns {Results['machine']} */
export function machine() {
  const cpu = cpus()[0]?.model.trim() ?? '';
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return { cpu, cores: cpus().length, memoryGb, system: `${platform()} ${release().split('-')[0]}` };
}

/** Versions of Sallyport, as a commit where there is a repository, and of each package beside it. */
function versions() {
  const [own, ...pinned] = ['.', 'test/bench/peers', 'test/bench/durable-peers'].map((folder) =>
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')),
  );
  const beside = pinned.map(({ dependencies, optionalDependencies }) => ({ ...dependencies, ...optionalDependencies }));
  return { sallyport: `${own.version}${commit()}`, ...Object.assign({}, ...beside) };
}

/** The commit in brackets, behind a space; empty where there is no repository. */
export function commit() {
  try {
    const head = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: ROOT, encoding: 'utf8' });
    return ` (${head.trim()})`;
  } catch {
    return '';
  }
}
