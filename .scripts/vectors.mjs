// `node .scripts/vectors.mjs`: writes the files of test/vectors/exports, and their anchors and places in exports.json.
//
// Run it after a change of the records that a run writes. The statuses and the codes of the vectors stay as they are.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleForNode, ROOT } from './steps.mjs';

const VECTORS = join(ROOT, 'test/vectors/exports.json');
const FOLDER = join(ROOT, 'test/vectors/exports');

const bundle = await bundleForNode('test/core/ledger/export-vectors.ts');
try {
  /** @typedef {Record<string, string>} Exports */
  /** @type {{makeExports: () => Promise<Exports>, renewVectors: (vectors: object[], exports: Exports) => Promise<object[]>}} */
  const { makeExports, renewVectors } = await import(pathToFileURL(bundle.file).href);
  const exports = await makeExports();
  const vectors = await renewVectors(JSON.parse(readFileSync(VECTORS, 'utf8')), exports);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER);
  for (const [name, text] of Object.entries(exports)) writeFileSync(join(FOLDER, `${name}.jsonl`), text);
  writeFileSync(VECTORS, `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`);
  console.log(`${Object.keys(exports).length} exports and ${vectors.length} vectors written.`);
} finally {
  bundle.remove();
}
