import { expect, test } from 'vitest';
import { killNode } from './kill-node.mjs';

test('a process killed at random moments loses no acknowledged record, and runs no call twice', async () => {
  const { acknowledged, ...sums } = await killNode(4);
  expect(acknowledged).toBeGreaterThan(4);
  expect(sums).toMatchObject({ kills: 4, lost: 0, broken: 0, twice: 0 });
  // The one step that the last kill may have cut off is closed when the run is resumed.
  expect(sums.openSteps).toBeLessThanOrEqual(1);
}, 60_000);
