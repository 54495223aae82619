// `npm run size -- --ablate`: sizes of bundles with one part left out at a time, and with many. A part that is left out
// is replaced by names without code, so the modules that only it uses leave with it.
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { parseSync } from 'oxc-parser';
import { gzippedCode } from './bundle-report.mjs';
import { ABLATIONS, FIRST, OPENING } from './size-parts.mjs';
import { ROOT } from './steps.mjs';

/** @typedef {import('./size-parts.mjs').Ablation} Ablation */
/** @typedef {import('./size-parts.mjs').Part} Part */

/** Prints the tables. */
export async function ablate() {
  for (const ablation of ABLATIONS) await ablateOne(ablation);
}

/** @param {Ablation} ablation */
async function ablateOne(ablation) {
  const { name, parts } = ablation;
  const whole = await sizeWithout(ablation, []);
  const tell = async (/** @type {string} */ what, /** @type {readonly Part[]} */ out, when = '') => {
    const kb = await sizeWithout(ablation, out);
    const saved = (whole - kb).toFixed(1).padStart(8);
    console.log(`${what.padEnd(36)} ${kb.toFixed(1).padStart(7)} KB gz${saved}  ${when}`.trimEnd());
  };
  console.log(`\n${`${name} without`.padEnd(50)}   saved  needed for`);
  await tell('nothing', []);
  for (const part of parts) await tell(part.what, [part], part.when);
  const later = parts.filter(({ when }) => when !== FIRST && when !== OPENING);
  if (later.length < parts.length) await tell('all that no first run needs', later);
  await tell('all of them', parts);
}

/** Throws for a part that has no module in the bundle.
 * @param {Ablation} ablation @param {readonly Part[]} parts */
async function sizeWithout({ name, entry, config }, parts) {
  /** @type {Set<Part>} */
  const found = new Set();
  /** @type {import('vite').Plugin} */
  const plugin = {
    name: 'sallyport:ablate',
    enforce: 'pre',
    async load(id) {
      const [file = id] = id.split('?');
      const path = relative(ROOT, file).replaceAll('\\', '/');
      const part = parts.find(({ files }) => files.test(path));
      if (part === undefined) return null;
      found.add(part);
      return withoutCode(file);
    },
  };
  const kb = await gzippedCode(entry, { plugins: [plugin], ...(config && { config }) });
  for (const { what } of parts.length === 1 ? parts.filter((part) => !found.has(part)) : [])
    throw new Error(`The bundle of the ${name} has no module of the part: ${what}.`);
  return kb;
}

/** A module with the same names, of which a bundler knows nothing. @param {string} file */
async function withoutCode(file) {
  const { module } = parseSync(file, await readFile(file, 'utf8'));
  const names = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ exportName, isType }) => (isType || exportName.name === null ? [] : exportName.name));
  return [...new Set(names)]
    .map((name) => `export ${name === 'default' ? 'default' : `const ${name} =`} globalThis.absent;`)
    .join('\n');
}
