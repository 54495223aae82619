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
  const result = await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
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
  const [chunk] = 'output' in result ? result.output : [];
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  const total = gzipped(chunk.code);
  const alone = await Promise.all(
    Object.entries(chunk.modules).map(async ([id, { code }]) => ({ id, alone: await aloneOf(code ?? '') })),
  );
  const sum = alone.reduce((all, part) => all + part.alone, 0);
  const parts = alone.map((part) => ({ module: relative(ROOT, part.id), share: (part.alone / sum) * total }));
  return { total, parts: parts.sort((one, other) => other.share - one.share) };
}

/** @param {string} code */
async function aloneOf(code) {
  return gzipped((await minify('part.js', code, { compress: true, mangle: { toplevel: true } })).code);
}

/** @param {string} code */
function gzipped(code) {
  return gzipSync(code, { level: 9 }).length / 1000;
}
