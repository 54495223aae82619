// `npm run docs -- shots`: pictures of every page and state, at the widths of a desktop and a phone, light and dark.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { binOf, node, ROOT } from '../../.scripts/steps.mjs';

const HELP = `Usage: npm run docs -- shots [WORDS …] [--out DIR]

Takes pictures of the built page (npm run build): of every state of the playground that
the test of axe goes through, of pages of the documentation, of the saved report and of
the element, 1440 and 390 pixels wide, light and dark, the main states also in German.
A person looks at them; nothing is compared.

  WORDS       takes only the pictures of these parts, for example: "a run" "the element"
  --out DIR   folder of the pictures; without it .shots, which is emptied unless WORDS are given

Prints a line for each subject. The last line is JSON: ok, pictures, folder, seconds.
Exit code: 0, or 1 where a subject could not be shown, 64 for a wrong command line.`;

const options = /** @type {const} */ ({
  help: { type: 'boolean', default: false },
  out: { type: 'string' },
});

const read = readOptions();
if (read === undefined) process.exitCode = 64;
else if (read.values.help) console.log(HELP);
else if (!existsSync(join(ROOT, 'dist/index.html'))) {
  console.error('There is no built page. Build it first: npm run build');
  process.exitCode = 1;
} else await takePictures(read.positionals, read.values.out);

function readOptions() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${HELP}`);
    return undefined;
  }
}

/** @param {string[]} words
 * @param {string} [out] */
async function takePictures(words, out) {
  const began = performance.now();
  const folder = resolve(ROOT, out ?? '.shots');
  if (words.length === 0 && out === undefined) rmSync(folder, { recursive: true, force: true });
  const parts = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const grep = parts.length === 0 ? [] : ['--grep', `pictures of (${parts.join('|')})$`];
  const env = { SALLYPORT_SHOTS: folder };
  const code = await node([binOf('@playwright/test#playwright'), 'test', '-c', 'e2e/shots', ...grep], { env });
  const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const pictures = files.filter((file) => file.endsWith('.png')).length;
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(JSON.stringify({ ok: code === 0, pictures, folder, seconds }));
  process.exitCode = code === 0 ? 0 : 1;
}
