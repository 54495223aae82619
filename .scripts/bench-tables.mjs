// `npm run bench -- tables`: makes the tables and the plots of the documentation from `test/bench/results.json`, the
// curves of the page on scale from `test/bench/scale.json`, and the table of starts from `test/bench/start.json`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { ROOT } from './steps.mjs';

/** @type {{module: typeof import('../test/bench/tables.ts')}} */
const { module: bench } = await runnerImport(join(ROOT, 'test/bench/tables.ts'));
/** @type {{module: typeof import('../test/bench/curves/tables.ts')}} */
const { module: curves } = await runnerImport(join(ROOT, 'test/bench/curves/tables.ts'));

/** @type {{module: typeof import('../test/bench/starts.ts')}} */
const { module: starts } = await runnerImport(join(ROOT, 'test/bench/starts.ts'));

const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');
const write = (/** @type {string} */ path, /** @type {string} */ text) => writeFileSync(join(ROOT, path), text);

const results = JSON.parse(read('test/bench/results.json'));
for (const path of bench.TEXTS) write(path, bench.fillTables(read(path), results));
for (const [path, draw] of Object.entries(bench.PICTURES)) write(path, draw(results));

const scale = JSON.parse(read('test/bench/scale.json'));
write(curves.SCALE_TEXT, curves.fillScale(read(curves.SCALE_TEXT), scale));
for (const path of Object.keys(curves.SCALE_PICTURES)) write(path, curves.drawScale(path, scale));

const start = JSON.parse(read('test/bench/start.json'));
write(starts.STARTS_TEXT, starts.fillStarts(read(starts.STARTS_TEXT), start));
