import { describe, expect, it } from 'vitest';
import { stepThen, usedBy } from '../../../../web/playground/run/at-record.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { decided, record, refused } from '../../records/sample-records.ts';

describe('looking back at a record', () => {
  const records = [record(0, 'configuration', {}), ...refused('capability')];
  const groups = groupSteps(records);
  const states = (seq: number | undefined) => stepThen(groups, seq)?.gates.map(({ state }) => state);

  it('stepThen gives the gates as they stood at a record', () => {
    expect(new Set(states(2))).toEqual(new Set(['ahead']));
    expect(states(3)).toContain('stopped');
    expect(states(3)?.at(-1)).toBe('ahead');
    expect(states(5)?.at(-1)).toBe('passed');
    expect(states(undefined)).toEqual(states(5));
  });

  it('usedBy counts only the steps up to a record', () => {
    expect(usedBy(records, 4)).toMatchObject({ steps: 0, refusedInRow: 0 });
    expect(usedBy(records, 5)).toMatchObject({ steps: 1, refusedInRow: 1 });
  });

  it('usedBy begins with the labels that the caller of a session had read', () => {
    const session = [record(0, 'configuration', { caller: true, labels: ['untrusted'] }), ...refused('capability')];
    expect(usedBy(session, 4).labels).toEqual(['untrusted']);
  });

  it('stepThen gives a question as open at the record that asks it', () => {
    expect(stepThen(groupSteps(decided('REQUIRES_APPROVAL')), 4)?.gates[7]?.state).toBe('waiting');
  });
});
