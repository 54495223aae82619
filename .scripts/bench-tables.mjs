// `npm run bench:tables`: makes the tables and the plots of the documentation from `test/bench/results.json`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runnerImport } from 'vite';
import { ROOT } from './steps.mjs';

/** @type {{module: typeof import('../test/bench/tables.ts')}} */
const { module } = await runnerImport(join(ROOT, 'test/bench/tables.ts'));
const { fillTables, PICTURES, TEXTS } = module;
const results = JSON.parse(readFileSync(join(ROOT, 'test/bench/results.json'), 'utf8'));
for (const path of TEXTS) {
  const file = join(ROOT, path);
  writeFileSync(file, fillTables(readFileSync(file, 'utf8'), results));
}
for (const [path, draw] of Object.entries(PICTURES)) writeFileSync(join(ROOT, path), draw(results));
