// `node .scripts/install.mjs [chromium|firefox|webkit ...]`: the packages of the lockfile, and the named browsers. Tests
// ask it for the browsers and servers that they start.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { findBrowser } from './browsers.mjs';
import { binOf, ready } from './steps.mjs';

/** @typedef {import('./browsers.mjs').BrowserName} BrowserName */

/** Packages of Debian by browser. Chromium's headless shell is a package of its own. */
const DEBIAN = { chromium: ['chromium', 'chromium-headless-shell'], firefox: ['firefox-esr'] };
const TITLES = { chromium: 'Chromium or Chrome', firefox: 'Firefox' };

/** Debian's driver of WebKitGTK, and a screen for it: `npm run test:long -- webkit` needs both. */
const WEBKIT = ['install', '--yes', '--no-install-recommends', 'webkit2gtk-driver', 'xvfb'];

/** Package of Debian by the path of a program or folder of it. */
const SERVERS = { '/usr/lib/postgresql': 'postgresql', '/usr/sbin/pgbouncer': 'pgbouncer' };

/** Finds browsers, or installs them. For a browser that cannot be installed, a remedy is printed.
 * @param {BrowserName[]} names */
export function provideBrowsers(names) {
  for (const name of names) {
    if (findBrowser(name) === undefined) installFromDebian(`No ${name} found`, DEBIAN[name]);
    if (findBrowser(name) === undefined && name === 'chromium') {
      console.log(`No ${name} found: running playwright install ${name} …`);
      runQuietly([process.execPath, binOf('playwright'), 'install', name]);
    }
    if (findBrowser(name) === undefined)
      console.error(
        `No ${TITLES[name]} was found, and none could be installed. Install it, or set SALLYPORT_${name.toUpperCase()} to its executable.`,
      );
  }
}

/** Installs the servers that suites of `npm run test:long -- world` start: PostgreSQL, and a proxy before it. Without
 * them these suites are skipped, and say so. */
export function provideServers() {
  const missing = Object.entries(SERVERS).flatMap(([path, name]) => (existsSync(path) ? [] : [name]));
  if (missing.length > 0) installFromDebian(`No ${missing.join(', ')} found`, missing);
}

/** Installs packages where this machine has Debian's package manager and the rights to use it.
 * @param {string} reason
 * @param {readonly string[]} packages */
function installFromDebian(reason, packages) {
  if (!existsSync('/usr/bin/apt-get')) return;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (sudo.length > 0 && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status !== 0) return;
  const install = [...sudo, 'apt-get', 'install', '--yes', '--no-install-recommends'];
  console.log(`${reason}: running ${[...install, ...packages].join(' ')} …`);
  runQuietly([...sudo, 'apt-get', 'update', '--quiet']);
  // each apart: an older Debian may lack a package, and the remaining packages are installed all the same
  for (const each of packages) runQuietly([...install, each]);
}

/** Package managers print much; their output matters only when they fail.
 * @param {string[]} argv */
function runQuietly([command = '', ...args]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const done = spawnSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status !== 0)
    console.error(
      `${command} ${args.join(' ')} failed:\n${(done.stderr || done.stdout || String(done.error ?? '')).trim()}`,
    );
}

/** Installs a browser where programs may install packages of the system, as machines for integration may.
 * @param {BrowserName} name */
function installBrowser(name) {
  if (findBrowser(name) === undefined) run([process.execPath, binOf('playwright'), 'install', '--with-deps', name]);
  const found = findBrowser(name) ?? stop(`No ${name} could be installed.`);
  console.log(`${name}: ${found.executablePath}`);
}

function installWebKit() {
  if (process.platform !== 'linux') stop('WebKit is driven through WebKitGTK, which only Linux has.');
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo'];
  for (const args of [['update', '--quiet'], WEBKIT]) run([...asRoot, 'apt-get', ...args]);
}

/** @param {string[]} argv */
function run([command = '', ...args]) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) stop(`${command} ${args.join(' ')} failed.`);
}

/** @param {string} message
 * @returns {never} */
function stop(message) {
  console.error(message);
  process.exit(1);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  ready();
  for (const name of process.argv.slice(2)) {
    if (name === 'webkit') installWebKit();
    else if (name === 'chromium' || name === 'firefox') installBrowser(name);
    else stop(`${name} is no browser. Known: chromium, firefox, webkit.`);
  }
}
