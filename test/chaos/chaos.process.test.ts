import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { play } from './play.ts';

/** `npm run test:long -- chaos` plays more lives, with random seeds. */
const SEEDS = [20_260, 20_261, 20_262];

const base = mkdtempSync(join(tmpdir(), 'sallyport-chaos-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test.each(SEEDS)(
  'a run under random faults and process kills leaves a ledger that verifies and replays: seed %i',
  async (seed) => {
    const { faults } = await play(seed, base);
    expect(faults).toEqual([]);
  },
  120_000,
);
