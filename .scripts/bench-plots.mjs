// `npm run bench -- plots`: draws the plots of the documentation from `test/bench/results.json` and `dojo.json`, and the
// curves from `scale.json`. The build of the documentation makes the tables from the same files.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { ROOT } from './steps.mjs';

/** @type {{module: typeof import('../test/bench/tables.ts')}} */
const { module: bench } = await runnerImport(join(ROOT, 'test/bench/tables.ts'));
/** @type {{module: typeof import('../test/bench/curves/tables.ts')}} */
const { module: curves } = await runnerImport(join(ROOT, 'test/bench/curves/tables.ts'));
/** @type {{module: typeof import('../test/bench/dojo/table.ts')}} */
const { module: dojo } = await runnerImport(join(ROOT, 'test/bench/dojo/table.ts'));

const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');
const write = (/** @type {string} */ path, /** @type {string} */ text) => writeFileSync(join(ROOT, path), text);

const results = JSON.parse(read('test/bench/results.json'));
for (const [path, draw] of Object.entries(bench.PICTURES)) write(path, draw(results));

const scale = JSON.parse(read('test/bench/scale.json'));
for (const path of Object.keys(curves.SCALE_PICTURES)) write(path, curves.drawScale(path, scale));

write(dojo.DOJO_PICTURE, dojo.dojoPlot(JSON.parse(read('test/bench/dojo.json'))));
