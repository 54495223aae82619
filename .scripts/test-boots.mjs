// `npm run test:long -- boots`: how long the pages of all stories end to end take to open. The stories take at least that long.
// The last line can be read by a machine.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ready } from './ready.mjs';

const HELP = `npm run test:long -- boots

Opens the page of each story end to end, in Chromium and in Firefox, and does nothing in it.`;

if (process.argv.length > 2) {
  console.log(HELP);
  if (process.argv[2] !== '--help') process.exitCode = 2;
} else {
  ready();
  const { findHeadless } = await import('./browsers.mjs');
  const { binOf, node, wireit } = await import('./steps.mjs');
  const { readReport } = await import('./test/counts.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-boots-'));
  try {
    process.exitCode = await wireit('dist');
    /** @type {{engine: string, stories: number, failed: number, seconds: number}[]} */
    const engines = [];
    for (const engine of /** @type {const} */ (['chromium', 'firefox'])) {
      if (process.exitCode !== 0) break;
      if (findHeadless(engine) === undefined) {
        console.log(`${engine}: not installed`);
        continue;
      }
      const began = performance.now();
      const report = join(folder, `${engine}.json`);
      await node([binOf('@playwright/test#playwright'), 'test', '-c', 'e2e', `--project=${engine}`], {
        env: { SALLYPORT_E2E: 'boots', SALLYPORT_RESULTS: report },
      });
      const seconds = Math.round((performance.now() - began) / 1000);
      const { passed = 0, failed = 0 } = readReport(report)?.count ?? {};
      engines.push({ engine, stories: passed, failed, seconds });
    }
    if (engines.length === 0 || engines.some(({ stories, failed }) => stories === 0 || failed > 0))
      process.exitCode = 1;
    for (const { engine, stories, seconds } of engines)
      console.log(`${engine}: ${stories} pages opened in ${seconds} s`);
    console.log(JSON.stringify({ test: 'boots', ok: process.exitCode === 0, engines }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
