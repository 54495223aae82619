// `npm test`: what a change is held to, on a fresh clone too. Ends with the line that counts its tests.
import { readdirSync } from 'node:fs';
import { ready } from './ready.mjs';

const HELP = `npm test [-- PATH…]

Runs the check, the sizes, the unit tests with a quarter of their generated cases, the browser suites that a browser can
make false, the core stories end to end, a smoke test of each outside program, and the suites of outside programs that
the change touches. It installs what it needs.

With PATH (files or folders of test/ and e2e/, also with a line: test/core/a.test.ts:12): the tests in them, whole, in
the runners that they need, over a build of the present files.

npm run test:quick runs the check and the unit tests near a change.
npm run test:long -- --help lists everything else.`;

const words = process.argv.slice(2);
if (words.includes('--help') || words.includes('-h')) console.log(HELP);
else if (words.some((word) => word.startsWith('-'))) {
  console.error(`npm test has no option ${words.find((word) => word.startsWith('-'))}.\n\n${HELP}`);
  process.exitCode = 2;
} else {
  ready();
  // Packages can be imported only now that they are installed.
  process.exitCode = words.length === 0 ? await testAll() : await testPaths();
}

async function testAll() {
  const { provideBrowsers } = await import('./browser-install.mjs');
  const { provideServers } = await import('./server-install.mjs');
  const { changedFiles } = await import('./test/changed.mjs');
  const { eachTime, touchedSuites } = await import('./test/parts.mjs');
  const { runParts } = await import('./test/run.mjs');
  provideBrowsers(['chromium', 'firefox']);
  provideServers();
  const touched = touchedSuites(changedFiles('HEAD^'));
  if (touched.length > 0) console.log(`The change touches ${touched.join(', ')}.`);
  return runParts(eachTime(touched), { before: 'dist', beside: ['sizes', 'checks:all'] });
}

async function testPaths() {
  const { partsOfPaths } = await import('./test/parts.mjs');
  const { runParts } = await import('./test/run.mjs');
  const all = ['test', 'e2e'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
  const found = partsOfPaths(words, all);
  if ('fault' in found) {
    console.error(found.fault);
    return 2;
  }
  return runParts(found.parts, { before: found.parts.some(({ built }) => built) ? 'dist' : undefined });
}
