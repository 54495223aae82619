// Reports the contents of a finished file: every module's share of its gzipped bytes. The share is an estimate, because
// a module compresses better beside similar modules: each is minified and gzipped alone, and the sum is scaled to the
// size of the whole file.
import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, minify } from 'vite';
import { ROOT } from './steps.mjs';

/** @typedef {{module: string, share: number}} Part */

/** @param {string} entry path below the root
 * @returns {Promise<{total: number, parts: Part[]}>} in KB, the heaviest first */
export async function partsOf(entry) {
  const [chunk] = await bundle(entry);
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  const total = gzipped(chunk.code);
  const alone = await Promise.all(
    Object.entries(chunk.modules).map(async ([id, { code }]) => ({ id, alone: await aloneOf(code ?? '') })),
  );
  const sum = alone.reduce((all, part) => all + part.alone, 0);
  const parts = alone.map((part) => ({ module: relative(ROOT, part.id), share: (part.alone / sum) * total }));
  return { total, parts: parts.sort((one, other) => other.share - one.share) };
}

/** Size of an entry that is bundled with further plugins, in KB. With a configuration of its own, the entry and the part
 * that is called `run` count, with the files that they load at once.
 * @param {string} entry @param {{plugins: import('vite').Plugin[], config?: string}} options */
export async function gzippedCode(entry, { plugins, config }) {
  const chunks = config === undefined ? await bundle(entry, plugins) : await built(config, plugins);
  const first = chunks.filter(({ isEntry, name }) => isEntry || name === 'run');
  const files = new Set(first.map(({ fileName }) => fileName));
  for (const file of files)
    for (const other of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(other);
  return chunks.filter(({ fileName }) => files.has(fileName)).reduce((sum, { code }) => sum + gzipped(code), 0);
}

/** @param {string} config @param {import('vite').Plugin[]} plugins */
async function built(config, plugins) {
  const options = { root: ROOT, configFile: join(ROOT, config), logLevel: /** @type {const} */ ('error'), plugins };
  return chunksOf(await build({ ...options, build: { write: false } }));
}

/** @param {string} entry @param {import('vite').Plugin[]} [plugins] */
async function bundle(entry, plugins = []) {
  const result = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins,
    build: {
      write: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(ROOT, entry),
        preserveEntrySignatures: 'strict',
        output: { format: 'es', codeSplitting: false },
      },
    },
  });
  return chunksOf(result);
}

/** @param {Awaited<ReturnType<typeof build>>} result */
function chunksOf(result) {
  const output = 'output' in result ? result.output : [];
  return output.flatMap((file) => (file.type === 'chunk' ? [file] : []));
}

/** @param {string} code */
async function aloneOf(code) {
  return gzipped((await minify('part.js', code, { compress: true, mangle: { toplevel: true } })).code);
}

/** @param {string} code */
function gzipped(code) {
  return gzipSync(code, { level: 9 }).length / 1000;
}
