import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../core/index.ts';
import { GATES, type GateState, gatesOf, stoppedAt } from '../../../web/records/gates.ts';
import { groupSteps, outcomeOf } from '../../../web/records/steps.ts';
import { approval, decided, receipt, record, refused } from './sample-records.ts';

const states = (records: readonly LedgerRecord[]): Record<string, GateState> =>
  Object.fromEntries(gatesOf(records).map(({ name, state }) => [name, state]));

describe('the gate strip', () => {
  it('the gate strip has all gates ahead before a proposal', () => {
    expect(gatesOf([]).every(({ state }) => state === 'ahead')).toBe(true);
  });

  it.each(['parse', 'structure', 'form', 'capability', 'arguments'] as const)(
    'the gate strip stops at %s, and passes only the receipt after it',
    (step) => {
      const gates = gatesOf(refused(step));
      const index = GATES.indexOf(step);
      expect(stoppedAt(gates)).toBe(step);
      expect(gates.slice(0, index).every(({ state }) => state === 'passed')).toBe(true);
      expect(gates.slice(index + 1, -1).every(({ state }) => state === 'never')).toBe(true);
      expect(gates.at(-1)?.state).toBe('passed');
    },
  );

  it('the gate strip passes an authorized call and skips approve', () => {
    const seen = states([
      ...decided('AUTHORIZED'),
      record(5, 'observation', { status: 'success' }),
      receipt(6, 'SUCCESS'),
    ]);
    expect(seen).toMatchObject({ authorize: 'passed', approve: 'skipped', execute: 'passed', receipt: 'passed' });
  });

  it('the gate strip stops a denied call at authorize', () => {
    expect(stoppedAt(gatesOf([...decided('DENIED_POLICY_VIOLATION'), receipt(5, 'FAILURE')]))).toBe('authorize');
  });

  it('the gate strip waits at approve until a person has answered', () => {
    const asked = [...decided('REQUIRES_APPROVAL'), approval(5, 'asked')];
    expect(states(asked)).toMatchObject({ approve: 'waiting', execute: 'ahead' });
    expect(states([...asked, approval(6, 'answered', true)])).toMatchObject({ approve: 'passed' });
    expect(states([...asked, approval(6, 'answered', false)])).toMatchObject({ approve: 'stopped', execute: 'never' });
  });

  it('the gate strip keeps an approval that is followed by its decision', () => {
    const again = decided('AUTHORIZED').slice(2);
    const seen = states([
      ...decided('REQUIRES_APPROVAL'),
      approval(5, 'asked'),
      approval(6, 'answered', true),
      ...again,
    ]);
    expect(seen).toMatchObject({ approve: 'passed' });
  });

  it('the gate strip stops a permitted call that failed at execute', () => {
    const reason = { class: 'execution', code: 'fuel_exhausted', step: 'execute' };
    expect(stoppedAt(gatesOf([...decided('AUTHORIZED'), receipt(5, 'FAILURE', reason)]))).toBe('execute');
  });

  it('the gate strip skips execute for a message or an end', () => {
    const seen = states([record(3, 'verdict', { step: 1, accepted: true, kind: 'finish' }), receipt(4, 'SUCCESS')]);
    expect(seen).toMatchObject({ authorize: 'skipped', execute: 'skipped', receipt: 'passed' });
  });
});

describe('steps of the records', () => {
  it('steps hold every record once, in order', () => {
    const records = [
      record(0, 'configuration', {}),
      record(1, 'task', {}),
      ...refused('form'),
      record(6, 'seal', { state: 'completed' }),
    ];
    const groups = groupSteps(records);
    expect(groups.flatMap((group) => group.records)).toEqual(records);
    expect(groups.map((group) => group.step)).toEqual([undefined, 1, undefined]);
  });

  it('steps of messages have their operations as title', () => {
    const title = (...operations: readonly object[]): string | undefined =>
      groupSteps([record(3, 'verdict', { step: 1, accepted: true, kind: 'work', operations } as never)])[0]?.title;
    const read = { type: 'READ', target: '@BAKERY/PAYING', capability: 'content.read' };
    expect(title(read)).toBe('READ @BAKERY/PAYING');
    expect(title({ type: 'EXECUTE', target: '@TOOLS/calc.eval', capability: 'calc.eval' })).toBe('calc.eval');
    expect(title(read, read)).toBe('2 operations');
  });

  it('steps give their outcome', () => {
    const [refusedStep] = groupSteps(refused('form'));
    expect(refusedStep && outcomeOf(refusedStep)).toMatchObject({ word: 'stopped', place: 'at form' });
    const [waiting] = groupSteps([...decided('REQUIRES_APPROVAL'), approval(5, 'asked')]);
    expect(waiting && outcomeOf(waiting)).toMatchObject({ word: 'waits' });
  });
});
