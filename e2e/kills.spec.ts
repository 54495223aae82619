import { killBrowser } from '../test/kills/kill-browser.mjs';
import { expect, test } from './fixtures.ts';

// The browser is started and killed as a plain program, without a driver. `npm run test:long -- kills` does it longer.
test('a browser killed at random moments keeps every acknowledged record, and runs no call twice', async ({
  browserName,
}) => {
  test.setTimeout(300_000);
  const kills = 3;
  const { acknowledged, ...sums } = await killBrowser(browserName === 'firefox' ? 'firefox' : 'chromium', kills);
  expect(acknowledged).toBeGreaterThan(0);
  expect(sums).toMatchObject({ kills, lost: 0, broken: 0, twice: 0, contradicted: 0, epochs: 0 });
  // two kernels write, and a third in every third life
  expect(sums.openSteps).toBeLessThanOrEqual(3);
});
