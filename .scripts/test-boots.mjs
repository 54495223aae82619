// `npm run test:boots`: how long the stories end to end take when each of them only opens its page. What they cannot be
// faster than. The last line can be read by a machine.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ready } from './ready.mjs';

if (process.argv.includes('--help')) {
  console.log(
    'npm run test:boots\n\nOpens the page of each story end to end, in Chromium and in Firefox, and does nothing in it.',
  );
} else {
  ready();
  const { binOf, node } = await import('./steps.mjs');
  const { countsOf } = await import('./test-counts.mjs');
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-boots-'));
  try {
    process.exitCode = await node(['.scripts/build.mjs', '--if-changed']);
    /** @type {{engine: string, stories: number, failed: number, seconds: number}[]} */
    const engines = [];
    for (const engine of process.exitCode === 0 ? ['chromium', 'firefox'] : []) {
      const results = join(folder, `${engine}.json`);
      const began = performance.now();
      await node([binOf('@playwright/test#playwright'), 'test', '-c', 'e2e', `--project=${engine}`], {
        env: { SALLYPORT_E2E: 'boots', SALLYPORT_RESULTS: results },
      });
      const seconds = Math.round((performance.now() - began) / 1000);
      const { count } = countsOf(JSON.parse(readFileSync(results, 'utf8')));
      engines.push({ engine, stories: count.passed, failed: count.failed, seconds });
    }
    if (engines.some(({ stories, failed }) => stories === 0 || failed > 0)) process.exitCode = 1;
    for (const { engine, stories, seconds } of engines)
      console.log(`${engine}: ${stories} pages opened in ${seconds} s`);
    console.log(JSON.stringify({ test: 'boots', ok: process.exitCode === 0, engines }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
