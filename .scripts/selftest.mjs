// `node .scripts/selftest.mjs [chromium] [firefox] [node] [LINK …]`: writes the results of these browsers, or of the links
// that other devices have made, into test/devices/devices.json, from which web/docs/browsers.md makes its table. The
// browsers open the built page. A result takes the place of the result before of the same browser and system.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, firefox } from 'playwright';
import { preview } from 'vite';
import { FIREFOX_CONTEXT, findHeadless } from './browsers.mjs';
import { bundleForNode, ROOT } from './steps.mjs';

/** @typedef {import('../web/selftest/result.ts').SelftestResult} Result */

const FILE = join(ROOT, 'test/devices/devices.json');
const bundle = await bundleForNode('test/devices/node.ts');
try {
  /** @type {{parseFragment: typeof import('../web/selftest/result.ts').parseFragment, testNode: () => Promise<Result>}} */
  const { parseFragment, testNode } = await import(pathToFileURL(bundle.file).href);
  /** @param {string} link */
  const read = (link) => {
    const result = parseFragment(new URL(link).hash);
    if (result === undefined || result === 'refused') throw new Error(`${link} has no result that can be read.`);
    return result;
  };
  for (const what of process.argv.slice(2)) {
    if (what === 'node') keep(await testNode());
    else if (what === 'chromium' || what === 'firefox') keep(read(await linkOf(what)));
    else keep(read(what));
  }
} finally {
  bundle.remove();
}

/** @param {Result} result */
function keep(result) {
  /** @type {import('../test/devices/table.ts').Devices} */
  const { results, untried } = JSON.parse(readFileSync(FILE, 'utf8'));
  const { browser, system } = result.device;
  const others = results.filter(({ device }) => device.browser !== browser || device.system !== system);
  writeFileSync(FILE, `${JSON.stringify({ results: [...others, result], untried }, null, 2)}\n`);
  const failed = Object.entries(result.parts).filter(([, { outcome }]) => outcome === 'fail');
  console.log(
    `${browser} ${result.device.version}: ${failed.length === 0 ? 'no part failed' : JSON.stringify(failed)}`,
  );
}

/** The link of a result that this browser makes, with the parts that begin with a button.
 * @param {'chromium' | 'firefox'} name */
async function linkOf(name) {
  const found = findHeadless(name);
  if (found === undefined) throw new Error(`${name} was not found.`);
  const server = await preview({ root: ROOT, logLevel: 'warn', preview: { port: 0, open: false } });
  const browser = await (name === 'chromium' ? chromium : firefox).launch(found);
  try {
    const page = await browser.newPage({ locale: 'en', ...(name === 'firefox' ? FIREFOX_CONTEXT : {}) });
    await page.goto(`${server.resolvedUrls?.local[0]}selftest.html`);
    await page.locator('#begin').click();
    for (const part of ['reload', 'tab']) {
      await page.locator(`#${part}`).click({ timeout: 600_000 });
      await page.locator(`[data-part=${part}]:is(.pass, .fail)`).waitFor({ timeout: 200_000 });
    }
    return String(await page.locator('#link').getAttribute('href'));
  } finally {
    await browser.close();
    await server.close();
  }
}
