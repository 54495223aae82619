// `node .scripts/kept.mjs NAME [ARGUMENT...]`: runs `npm run NAME`, or the part NAME of `npm run test:long`, and stores its
// output in test-results/kept/.
//
// NAME.txt has every line; NAME.json the last one, where it is JSON, with the machine, the commit and the moment.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './steps.mjs';

const FOLDER = join(ROOT, 'test-results/kept');

/** The circumstances of a measurement. */
function circumstances() {
  return {
    at: new Date().toISOString(),
    commit: spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '',
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    processor: `${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown'}`,
    memoryBytes: totalmem(),
  };
}

/** The object that the last line spells; undefined when it is not JSON.
 * @param {string} text
 * @returns {unknown} */
function lastObject(text) {
  try {
    return JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}

/** Shows the output while it comes. Resolves to all of it and the exit code.
 * @param {string} name
 * @param {string[]} rest
 * @returns {Promise<{text: string, code: number}>} */
function run(name, rest) {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const args = ['run', ...(name in scripts ? [name, '--'] : ['test:long', '--', name]), ...rest];
  const child = spawn('npm', args, {
    cwd: ROOT,
    stdio: ['inherit', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ part) => {
    text += part;
    process.stdout.write(part);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ text, code: code ?? 1 }));
  });
}

const [name, ...rest] = process.argv.slice(2);
if (name === undefined) {
  console.error('Usage: node .scripts/kept.mjs NAME [ARGUMENT...]');
  process.exit(64);
}
const { text, code } = await run(name, rest);
const result = lastObject(text);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, `${name}.txt`), text);
if (result !== undefined)
  writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ ...circumstances(), result }, null, 2)}\n`);
process.exitCode = code;
