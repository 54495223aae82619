// Sees to it that tests have browsers to drive, and says what it does.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { findBrowser } from './browsers.mjs';
import { binOf } from './steps.mjs';

const DEBIAN = { chromium: 'chromium', firefox: 'firefox-esr' };

/** Chromium must be had; without Firefox its tests are left out, and that is said.
 * @returns {Array<'chromium' | 'firefox'>} */
export function provideBrowsers() {
  if (!provide('chromium', [fromDebian, fromPlaywright])) {
    console.error(
      'No Chromium was found, and none could be installed. Install Chromium or Chrome, or set SALLYPORT_CHROMIUM to its executable.',
    );
    process.exit(1);
  }
  if (provide('firefox', [fromDebian])) return ['chromium', 'firefox'];
  console.warn(
    'No Firefox was found: the tests in Firefox are LEFT OUT. Install Firefox, or set SALLYPORT_FIREFOX to its executable.',
  );
  return ['chromium'];
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
  const install = ['apt-get', 'install', '--yes', '--no-install-recommends', DEBIAN[name]];
  console.log(`No ${name} found: running ${[...sudo, ...install].join(' ')} …`);
  run([...sudo, 'apt-get', 'update', '--quiet']);
  run([...sudo, ...install]);
}

/** @param {BrowserName} name */
function fromPlaywright(name) {
  console.log(`No ${name} found: running playwright install ${name} …`);
  run([process.execPath, binOf('playwright'), 'install', name]);
}

/** Package managers talk a lot; what they say matters only when they fail.
 * @param {string[]} argv */
function run([command = '', ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0)
    console.error(
      `${command} ${args.join(' ')} failed:\n${(done.stderr || done.stdout || String(done.error ?? '')).trim()}`,
    );
}
