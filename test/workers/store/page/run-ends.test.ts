import { expect, test } from 'vitest';
import { pass } from '../../../../core/outcome.ts';
import type { RunRow } from '../../../../workers/api.ts';
import { RunEnds } from '../../../../workers/store/page/file-log.ts';
import type { FillQueue } from '../../../../workers/store/page/fill-queue.ts';
import type { LogIndex } from '../../../../workers/store/page/log-index.ts';
import { valueOf } from '../store-suite.ts';

test('the row of a run stays in memory until its seal, and its next task reads it from the index', async () => {
  const open: RunRow = { run_id: 'a', records: 3, head: 'h', at: 1, dialect: 'xct', sealed: false };
  const sealed: RunRow = { ...open, records: 4, sealed: true, ended: 'completed' };
  const queue = { settle: async () => pass(undefined), find: () => undefined } as unknown as FillQueue;
  const index = { run: async () => pass(sealed) } as unknown as LogIndex;
  const ends = new RunEnds(queue, index);
  ends.set('a', open);
  expect(ends.row('a')).toEqual(open);
  ends.set('a', sealed);
  expect(ends.isLoaded('a')).toBe(false);
  valueOf(await ends.load('a'));
  expect(ends.row('a')).toEqual(sealed);
});
