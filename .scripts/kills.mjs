// `npm run kills [-- node|chromium|firefox ...] [count]`: kills a writer from outside at random moments, and counts.
import { pathToFileURL } from 'node:url';
import { killBrowser } from './kills/browser.mjs';
import { killNode } from './kills/node.mjs';

export { killBrowser, killNode };

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const words = process.argv.slice(2);
  const count = Number(words.find((word) => /^\d+$/.test(word)) ?? 100);
  const named = words.filter((word) => /^[a-z]+$/.test(word));
  for (const where of named.length > 0 ? named : ['node', 'chromium', 'firefox']) {
    const began = Date.now();
    const tally = where === 'node' ? await killNode(count) : await killBrowser(where, count);
    print(where, tally, Math.round((Date.now() - began) / 1000));
  }
}

/** @param {string} where @param {import('./kills/tally.mjs').Tally} tally @param {number} seconds */
function print(where, tally, seconds) {
  const { kills, acknowledged, lost, broken, twice, interrupted, openSteps, torn, restored, epochs } = tally;
  console.log(`${where}: ${kills} kills in ${seconds} s, ${acknowledged} records acknowledged`);
  console.log(`  lost ${lost}, broken chains ${broken}, steps that ran twice ${twice}`);
  console.log(`  steps closed as interrupted ${interrupted}, still open ${openSteps}`);
  if (where !== 'node')
    console.log(`  logs torn by hand ${torn}, databases restored ${restored}, epochs lost ${epochs}`);
}
