// `npm test`: everything, on a fresh clone too. Ends with one line that sums up what ran.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ready } from './ready.mjs';

ready();
const { provideBrowsers } = await import('./browser-install.mjs');
const { binOf, node, ROOT, runAll } = await import('./steps.mjs');
const { readTally } = await import('./tally.mjs');

provideBrowsers();
const results = join(ROOT, 'node_modules/.cache/sallyport/results');
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

/** @param {string} name
 * @param {string} project */
const vitest = (name, project) => ({
  name,
  args: [binOf('vitest'), 'run', '--project', project, '--reporter=default', '--reporter=json'],
  env: { SALLYPORT_RESULTS: join(results, `${name}.json`) },
});

const failed = await runAll([
  { name: 'check', args: ['.scripts/check.mjs'] },
  { name: 'build', args: ['.scripts/build.mjs'] },
  { name: 'size', args: ['.scripts/size.mjs'] },
  vitest('unit', 'node'),
  vitest('browser', 'browser*'),
  {
    name: 'e2e',
    args: [binOf('@playwright/test#playwright'), 'test', '-c', 'e2e'],
    env: { SALLYPORT_RESULTS: join(results, 'e2e.json') },
  },
]);
// No machine has to have a WebKit: where none can be started it says so, and is counted as skipped.
const webkit = await node(['.scripts/webkit.mjs']);
if (webkit !== 0 && webkit !== 2) failed.push('webkit');

const tally = readTally(results);
const counts = Object.values(tally);
/** @param {'passed' | 'failed' | 'skipped'} what */
const sum = (what) => counts.reduce((total, count) => total + count[what], 0);
// Steps without a report of their own, and steps that failed beside their tests, count as one each.
const passed =
  sum('passed') + ['check', 'build', 'size'].filter((name) => !failed.includes(name)).length + (webkit === 0 ? 1 : 0);
const skipped = sum('skipped') + (webkit === 2 ? 1 : 0);
const broken = sum('failed') + failed.filter((name) => (tally[name]?.failed ?? 0) === 0).length;
if (failed.length > 0) console.error(`\nFailed: ${failed.join(', ')}`);
console.log(`${passed} passed, ${broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed.length > 0 ? 1 : 0;
