// Finds the browsers that tests drive: by environment variable, system path, PATH, then Playwright's own copies.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** Quiet, unprivileged and without a GPU, to suit a test machine or a container. */
const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const SYSTEM = {
  chromium: {
    variable: 'SALLYPORT_CHROMIUM',
    commands: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge'],
    places: [
      '/usr/bin/chromium',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
      'C:/Program Files/Google/Chrome/Application/chrome.exe',
      'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
    ],
  },
  firefox: {
    variable: 'SALLYPORT_FIREFOX',
    commands: ['firefox-esr', 'firefox'],
    places: [
      '/usr/bin/firefox-esr',
      '/Applications/Firefox.app/Contents/MacOS/firefox',
      'C:/Program Files/Mozilla Firefox/firefox.exe',
    ],
  },
};

/** Chromium without a window system, as Debian packs it: Playwright's own builds for headless tests are the same program. */
const HEADLESS_SHELL = { commands: ['chromium-headless-shell'], places: ['/usr/bin/chromium-headless-shell'] };

/** @typedef {'chromium' | 'firefox'} BrowserName */

/** The browser that the environment names; undefined when it names none.
 * @param {BrowserName} name
 * @returns {string | undefined} */
function findNamed(name) {
  const { variable } = SYSTEM[name];
  const named = process.env[variable];
  if (named === undefined || named === '') return undefined;
  if (!existsSync(named)) throw new Error(`${variable} names ${named}, which does not exist.`);
  return named;
}

/** @param {{commands: string[], places: string[]}} program
 * @returns {string | undefined} */
function findInstalled({ commands, places }) {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const onPath = commands.flatMap((command) => folders.map((folder) => join(folder, command + suffix)));
  return [...places, ...onPath].find((path) => existsSync(path) && !isSnapStub(path));
}

/** Ubuntu's packages of this name only point to a snap, which cannot be driven from outside. */
function isSnapStub(/** @type {string} */ path) {
  return existsSync('/usr/bin/snap') && /^\/usr\/bin\/(chromium-browser|firefox)$/.test(path);
}

/** @param {BrowserName} name
 * @returns {string | undefined} */
function findOwn(name) {
  const playwright = createRequire(import.meta.url)('playwright');
  const path = playwright[name].executablePath();
  return existsSync(path) ? path : undefined;
}

/** How to launch a browser with Playwright; undefined when it is not installed.
 * @param {BrowserName} name
 * @returns {{executablePath: string, args?: string[], channel?: string} | undefined} */
export function findBrowser(name) {
  const system = findNamed(name) ?? findInstalled(SYSTEM[name]);
  const executablePath = system ?? findOwn(name);
  if (executablePath === undefined) return undefined;
  if (name === 'chromium') return { executablePath, args: CHROMIUM_ARGS };
  // A Firefox that Mozilla or a distribution built is driven over WebDriver BiDi, Playwright's own over its patch.
  return system === undefined ? { executablePath } : { executablePath, channel: 'moz-firefox' };
}

/**
 * How to launch the browser of tests that need no profile. For Chromium it is the headless shell where one is installed,
 * unless the environment names a browser: the shell draws no window, so its tests take less processor time.
 * @param {BrowserName} name
 * @returns {ReturnType<typeof findBrowser>} */
export function findHeadless(name) {
  const shell = name === 'chromium' && findNamed(name) === undefined ? findInstalled(HEADLESS_SHELL) : undefined;
  return shell === undefined ? findBrowser(name) : { executablePath: shell, args: CHROMIUM_ARGS };
}

/** Emulations that a stock Firefox does not know over WebDriver BiDi. */
export const FIREFOX_CONTEXT = /** @type {const} */ ({
  colorScheme: null,
  reducedMotion: null,
  forcedColors: null,
  contrast: null,
});

/** A killed Firefox asks whether to start in safe mode; further preferences silence its first start. */
const PREFERENCES = [
  ['toolkit.startup.max_resumed_crashes', '-1'],
  ['browser.sessionstore.resume_from_crash', 'false'],
  ['browser.shell.checkDefaultBrowser', 'false'],
  ['browser.aboutwelcome.enabled', 'false'],
  ['datareporting.policy.dataSubmissionEnabled', 'false'],
  ['app.update.enabled', 'false'],
];

/** The command that opens an address in a profile, and the profile's preferences beside the usual ones.
 * @param {string} name @param {readonly (readonly string[])[]} [more]
 * @returns {(profile: string, url: string) => [string, string[]]} */
export function commandOf(name, more = []) {
  const found = findBrowser(/** @type {BrowserName} */ (name));
  if (found === undefined) throw new Error(`${name} was not found.`);
  const { executablePath, args = [] } = found;
  if (name === 'chromium') {
    const quiet = [...args, '--headless=new', '--no-default-browser-check', '--noerrdialogs'];
    return (profile, url) => [executablePath, [...quiet, `--user-data-dir=${profile}`, url]];
  }
  return (profile, url) => {
    mkdirSync(profile, { recursive: true });
    for (const file of readdirSync(profile))
      if (file.startsWith('sessionstore')) rmSync(join(profile, file), { recursive: true });
    const lines = [...PREFERENCES, ...more].map(([key, value]) => `user_pref("${key}", ${value});\n`);
    writeFileSync(join(profile, 'user.js'), lines.join(''));
    return [executablePath, ['--headless', '--no-remote', '--profile', profile, url]];
  };
}

/** Kills a process that was started as a group of its own, with every process it has.
 * @param {number | undefined} pid */
export function killGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // A browser that ended by itself has no group any more.
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH') throw error;
  }
}
