// Finds the browsers that tests drive: by environment variable, system path, PATH, then Playwright's own copies.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** Quiet, unprivileged and without a GPU, to suit a test machine or a container. */
export const CHROMIUM_ARGS = [
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

/** @typedef {'chromium' | 'firefox'} BrowserName */

/** A browser other than Playwright's own build; undefined when there is none.
 * @param {BrowserName} name
 * @returns {string | undefined} */
function findSystem(name) {
  const { variable, commands, places } = SYSTEM[name];
  const named = process.env[variable];
  if (named !== undefined && named !== '') {
    if (!existsSync(named)) throw new Error(`${variable} names ${named}, which does not exist.`);
    return named;
  }
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
  const system = findSystem(name);
  const executablePath = system ?? findOwn(name);
  if (executablePath === undefined) return undefined;
  if (name === 'chromium') return { executablePath, args: CHROMIUM_ARGS };
  // A Firefox that Mozilla or a distribution built is driven over WebDriver BiDi, Playwright's own over its patch.
  return system === undefined ? { executablePath } : { executablePath, channel: 'moz-firefox' };
}

/** Emulations that a stock Firefox does not know over WebDriver BiDi. */
export const FIREFOX_CONTEXT = /** @type {const} */ ({
  colorScheme: null,
  reducedMotion: null,
  forcedColors: null,
  contrast: null,
});
