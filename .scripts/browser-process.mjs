// Starts a browser as a process of its own on a profile on disk: Playwright keeps no such profile in Firefox.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findBrowser } from './browsers.mjs';

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
  const found = findBrowser(/** @type {import('./browsers.mjs').BrowserName} */ (name));
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
