import { killBrowser } from '../.scripts/kills.mjs';
import { expect, test } from './fixtures.ts';

// Without a driver: the browser is started, spoken to and killed as any other program. `npm run kills` does it longer.
test('a browser killed at random moments loses nothing it acknowledged, and runs nothing twice', async ({
  browserName,
}) => {
  test.setTimeout(300_000);
  const kills = 3;
  const { acknowledged, ...sums } = await killBrowser(browserName === 'firefox' ? 'firefox' : 'chromium', kills);
  expect(acknowledged).toBeGreaterThan(0);
  expect(sums).toMatchObject({ kills, lost: 0, broken: 0, twice: 0, epochs: 0 });
  expect(sums.openSteps).toBeLessThanOrEqual(1);
});
