// `node .scripts/install.mjs [-- chromium|firefox|webkit ...]`: the packages of the lockfile, and the named browsers.
import { spawnSync } from 'node:child_process';
import { ready } from './ready.mjs';

ready();
const { findBrowser } = await import('./browsers.mjs');
const { binOf } = await import('./steps.mjs');

/** Debian's driver of WebKitGTK, and a screen for it: `npm run test:long -- webkit` needs both. */
const WEBKIT = ['install', '--yes', '--no-install-recommends', 'webkit2gtk-driver', 'xvfb'];

for (const name of process.argv.slice(2)) {
  if (name === 'webkit') installWebKit();
  else if (name === 'chromium' || name === 'firefox') installBrowser(name);
  else stop(`${name} is no browser. Known: chromium, firefox, webkit.`);
}

/** @param {import('./browsers.mjs').BrowserName} name */
function installBrowser(name) {
  if (findBrowser(name) === undefined) run(process.execPath, [binOf('playwright'), 'install', '--with-deps', name]);
  const found = findBrowser(name) ?? stop(`No ${name} could be installed.`);
  console.log(`${name}: ${found.executablePath}`);
}

function installWebKit() {
  if (process.platform !== 'linux') stop('WebKit is driven through WebKitGTK, which only Linux has.');
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo'];
  for (const args of [['update', '--quiet'], WEBKIT]) {
    const [command = '', ...rest] = [...asRoot, 'apt-get', ...args];
    run(command, rest);
  }
}

/** @param {string} command
 * @param {string[]} args */
function run(command, args) {
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) stop(`${command} ${args.join(' ')} failed.`);
}

/** @param {string} message
 * @returns {never} */
function stop(message) {
  console.error(message);
  process.exit(1);
}
