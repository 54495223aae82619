import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../../core/index.ts';
import { stepThen, usedBy } from '../../../../web/playground/run/at-record.ts';
import { commandsFor } from '../../../../web/playground/shell/commands.ts';
import { bindingFor } from '../../../../web/playground/shell/key-bindings.ts';
import { durationText, linesBetween, linesOf, offsetsOf } from '../../../../web/playground/timeline/timeline-lines.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { decided, record, refused } from '../../records/sample-records.ts';

const HEIGHTS = { gap: 10, head: 20, row: 5 };
const late = (records: readonly LedgerRecord[], at: number) => records.map((each) => ({ ...each, at }));

describe('the list of a ledger', () => {
  const groups = groupSteps([record(0, 'configuration', {}), ...late(refused('parse'), 90_000)]);

  it('has every record once, under the head of its step, and a pause as one line', () => {
    const lines = linesOf(groups, () => true);
    expect(lines.map(({ key }) => key)).toEqual(['h0', 'r0', 'g2', 'h2', 'r2', 'r3', 'r4', 'r5']);
    expect(lines.find(({ kind }) => kind === 'gap')).toMatchObject({ ms: 90_000 });
  });

  it('leaves out a step of which nothing is shown', () => {
    expect(linesOf(groups, ({ kind }) => kind === 'configuration').map(({ key }) => key)).toEqual(['h0', 'r0']);
  });

  it('finds the lines in sight for every stretch of it', () => {
    const lines = linesOf(groups, () => true);
    const offsets = offsetsOf(lines, HEIGHTS);
    const end = offsets.at(-1) ?? 0;
    for (let top = 0; top <= end; top++) {
      const [from, to] = linesBetween(offsets, top, top + 12);
      const touching = lines.flatMap((_, i) =>
        (offsets[i] ?? 0) < top + 12 && (offsets[i + 1] ?? 0) > top ? [i] : [],
      );
      for (const i of touching) expect(i >= from && i < to, `line ${i} at ${top}`).toBe(true);
      expect(to - from).toBeLessThanOrEqual(touching.length + 2);
    }
  });

  it.each([
    [2000, '2 s'],
    [119_000, '2 min'],
    [7_200_000, '2 h'],
    [172_800_000, '2 days'],
  ])('says %d ms as %s', (ms, text) => expect(durationText(ms)).toBe(text));
});

it('what befalls a run in the middle of a step is told within that step, and between two steps beside them', () => {
  const [start, proposal, ...rest] = [record(0, 'configuration', {}), ...refused('capability')];
  const cut = record(9, 'state', { event: 'interrupted' });
  const steps = (records: readonly (LedgerRecord | undefined)[]) =>
    groupSteps(records.filter((each) => each !== undefined)).map(({ step }) => step);
  expect(steps([start, proposal, cut, ...rest])).toEqual([undefined, 1]);
  expect(steps([start, proposal, ...rest, cut])).toEqual([undefined, 1, undefined]);
});

describe('looking back', () => {
  const records = [record(0, 'configuration', {}), ...refused('capability')];
  const groups = groupSteps(records);
  const states = (seq: number | undefined) => stepThen(groups, seq)?.gates.map(({ state }) => state);

  it('shows the gates as they stood at that record', () => {
    expect(new Set(states(2))).toEqual(new Set(['ahead']));
    expect(states(3)).toContain('stopped');
    expect(states(3)?.at(-1)).toBe('ahead');
    expect(states(5)?.at(-1)).toBe('passed');
    expect(states(undefined)).toEqual(states(5));
  });

  it('counts only what had been used by then', () => {
    expect(usedBy(records, 4)).toMatchObject({ steps: 0, refusedInRow: 0 });
    expect(usedBy(records, 5)).toMatchObject({ steps: 1, refusedInRow: 1 });
  });

  it('shows a question as open at the record that asks it', () => {
    expect(stepThen(groupSteps(decided('REQUIRES_APPROVAL')), 4)?.gates[7]?.state).toBe('waiting');
  });
});

describe('a chord', () => {
  const press = { key: 'a', modified: false, typing: false, lettersOff: false, inRun: false };

  it('goes to a view from anywhere', () => {
    expect(bindingFor({ ...press, after: 'g' })?.word).toBe('Go to Audit');
    expect(bindingFor(press)).toBeUndefined();
  });

  it('is off with the other letters, and means nothing to whoever types', () => {
    expect(bindingFor({ ...press, after: 'g', lettersOff: true })).toBeUndefined();
    expect(bindingFor({ ...press, after: 'g', typing: true })).toBeUndefined();
  });

  it('with Control opens the commands, also while someone types', () => {
    expect(bindingFor({ ...press, key: 'k', modified: true, typing: true })?.word).toBe('All commands');
  });
});

describe('the commands', () => {
  const commands = ['Next problem', 'Projector mode', 'Go to Audit'].map((word) => ({ word, key: '', act: () => {} }));

  it('are found by any of their words, those that begin with them first', () => {
    expect(commandsFor(commands, 'pro').map(({ word }) => word)).toEqual(['Projector mode', 'Next problem']);
    expect(commandsFor(commands, 'audit go').map(({ word }) => word)).toEqual(['Go to Audit']);
    expect(commandsFor(commands, 'zzz')).toEqual([]);
  });
});
