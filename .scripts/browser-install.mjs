// Provides browsers for the tests, and reports its work.
import { findBrowser } from './browsers.mjs';
import { installFromDebian, run } from './debian.mjs';
import { binOf } from './steps.mjs';

/** Chromium's headless shell is a package of its own. */
const DEBIAN = { chromium: ['chromium', 'chromium-headless-shell'], firefox: ['firefox-esr'] };
const TITLES = { chromium: 'Chromium or Chrome', firefox: 'Firefox' };

/** Ways to a browser that is not there, in order. */
const WAYS = { chromium: [fromDebian, fromPlaywright], firefox: [fromDebian] };

/** Finds browsers, or installs them. For a browser that cannot be installed, a remedy is printed.
 * @param {BrowserName[]} names
 * @returns {BrowserName[]} those that are there now */
export function provideBrowsers(names) {
  return names.filter((name) => {
    const there = provide(name, WAYS[name]);
    if (!there)
      console.error(
        `No ${TITLES[name]} was found, and none could be installed. Install it, or set SALLYPORT_${name.toUpperCase()} to its executable.`,
      );
    return there;
  });
}

/** @typedef {import('./browsers.mjs').BrowserName} BrowserName */

/** @param {BrowserName} name
 * @param {Array<(name: BrowserName) => void>} ways */
function provide(name, ways) {
  for (const way of ways) {
    if (findBrowser(name) !== undefined) return true;
    way(name);
  }
  return findBrowser(name) !== undefined;
}

/** @param {BrowserName} name */
function fromDebian(name) {
  installFromDebian(`No ${name} found`, DEBIAN[name]);
}

/** @param {BrowserName} name */
function fromPlaywright(name) {
  console.log(`No ${name} found: running playwright install ${name} …`);
  run([process.execPath, binOf('playwright'), 'install', name]);
}
