// Provides browsers for the tests, and reports its work.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from './browsers.mjs';
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
  if (!existsSync('/usr/bin/apt-get')) return;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return;
  const install = [...sudo, 'apt-get', 'install', '--yes', '--no-install-recommends'];
  console.log(`No ${name} found: running ${[...install, ...DEBIAN[name]].join(' ')} …`);
  run([...sudo, 'apt-get', 'update', '--quiet']);
  // one at a time: an older Debian has no headless shell, and its browser is installed all the same
  for (const each of DEBIAN[name]) run([...install, each]);
}

/** @param {BrowserName} name */
function fromPlaywright(name) {
  console.log(`No ${name} found: running playwright install ${name} …`);
  run([process.execPath, binOf('playwright'), 'install', name]);
}

/** Package managers print much; their output matters only when they fail.
 * @param {string[]} argv */
function run([command = '', ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0)
    console.error(
      `${command} ${args.join(' ')} failed:\n${(done.stderr || done.stdout || String(done.error ?? '')).trim()}`,
    );
}
