import { expect, it } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { groupSteps } from '../../../web/records/steps.ts';
import { record, refused } from './sample-records.ts';

it('a state record within a step belongs to that step, and one between two steps stands beside them', () => {
  const [start, proposal, ...rest] = [record(0, 'configuration', {}), ...refused('capability')];
  const cut = record(9, 'state', { event: 'interrupted' });
  const steps = (records: readonly (LedgerRecord | undefined)[]) =>
    groupSteps(records.filter((each) => each !== undefined)).map(({ step }) => step);
  expect(steps([start, proposal, cut, ...rest])).toEqual([undefined, 1]);
  expect(steps([start, proposal, ...rest, cut])).toEqual([undefined, 1, undefined]);
});
