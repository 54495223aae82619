import { expect, it } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { groupSteps, toldTexts } from '../../../web/records/steps.ts';
import { record, refused } from './sample-records.ts';

it('a state record within a step belongs to that step, and one between two steps stands beside them', () => {
  const [start, proposal, ...rest] = [record(0, 'configuration', {}), ...refused('capability')];
  const cut = record(9, 'state', { event: 'interrupted' });
  const steps = (records: readonly (LedgerRecord | undefined)[]) =>
    groupSteps(records.filter((each) => each !== undefined)).map(({ step }) => step);
  expect(steps([start, proposal, cut, ...rest])).toEqual([undefined, 1]);
  expect(steps([start, proposal, ...rest, cut])).toEqual([undefined, 1, undefined]);
});

it('a model is sent the task, its own proposals and the replies, and no proposal of a person', () => {
  const ref = (sha256: string) => ({ sha256, bytes: 1 });
  const records = [
    record(0, 'configuration', {}),
    record(1, 'task', { text: ref('task') }),
    record(2, 'proposal', { payload: ref('model') }),
    record(3, 'proposal', { payload: ref('edited'), by: 'person' }),
    record(4, 'observation', { payload: ref('reply') }),
  ];
  expect(toldTexts(records)).toEqual([
    { kind: 'task', ref: ref('task'), record: 1 },
    { kind: 'proposal', ref: ref('model'), record: 2 },
    { kind: 'observation', ref: ref('reply'), record: 4 },
  ]);
});
