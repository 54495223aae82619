import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { findBrowser, findHeadless } from '../../.scripts/browsers.mjs';
import { temporaryFolder } from '../folder.ts';

const SUFFIX = process.platform === 'win32' ? '.exe' : '';

afterEach(() => vi.unstubAllEnvs());

test('the headless shell is preferred for tests, and is not the browser of profiles', () => {
  const folder = temporaryFolder();
  for (const name of ['chromium', 'chromium-headless-shell', 'firefox']) writeFileSync(join(folder, name + SUFFIX), '');
  vi.stubEnv('PATH', folder);
  vi.stubEnv('SALLYPORT_CHROMIUM', '');
  const nameOf = (found: ReturnType<typeof findBrowser>) => basename(found?.executablePath ?? '', SUFFIX);
  expect(nameOf(findHeadless('chromium'))).toBe('chromium-headless-shell');
  expect(nameOf(findBrowser('chromium'))).not.toBe('chromium-headless-shell');
  expect(findHeadless('firefox')).toEqual(findBrowser('firefox'));
});

test('a browser that the environment names is used for every test', () => {
  vi.stubEnv('SALLYPORT_CHROMIUM', process.execPath);
  expect(findHeadless('chromium')).toMatchObject({ executablePath: process.execPath });
  expect(findHeadless('chromium')).toEqual(findBrowser('chromium'));
});
