import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatLink, PARTS, parseLink, TABS, VIEWS } from '../../../../web/playground/link.ts';
import { endingOf, statusOf } from '../../../../web/playground/run/run-status.ts';
import { bindingFor } from '../../../../web/playground/shell/key-bindings.ts';
import { matches, parseFilter } from '../../../../web/playground/timeline/filter.ts';
import { isProblem } from '../../../../web/records/describe.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { decided, receipt, record, refused } from '../../records/sample-records.ts';

const RUN = '0f8b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d';

describe('a filter', () => {
  const records = [...refused('arguments'), ...decided('DENIED_POLICY_VIOLATION')];
  const found = (text: string): string[] =>
    records.filter((each) => matches(parseFilter(text), each)).map((each) => each.kind);

  it('that is empty hides nothing', () => expect(found('')).toHaveLength(records.length));
  it('finds a kind', () => expect(found('type:verdict')).toEqual(['verdict', 'verdict']));
  it('finds a capability', () => expect(found('tool:notes')).toEqual(['verdict', 'decision']));
  it('finds a status', () => expect(found('status:rejected')).toEqual(['verdict']));
  it('finds a range of places', () => expect(found('seq:4-5')).toEqual(['observation', 'receipt', 'decision']));
  it('wants every term', () => expect(found('type:verdict status:denied')).toEqual([]));
  it('names a field it does not know', () => expect(parseFilter('colour:red').unknown).toEqual(['colour:red']));
  it('takes any text', () => fc.assert(fc.property(fc.string(), (text) => (found(text), true))));
});

describe('a problem', () => {
  it('is told once for each refused proposal', () => expect(refused('form').filter(isProblem)).toHaveLength(1));
  it('is told once for each denied call', () =>
    expect(decided('DENIED_POLICY_VIOLATION').filter(isProblem)).toHaveLength(1));
});

describe('a link', () => {
  it('reads back what was written', () => {
    const link = fc.record(
      {
        view: fc.constantFrom(...VIEWS.filter((view) => view !== 'learn')),
        run: fc.constant(RUN),
        seq: fc.nat(999_999_999),
        tab: fc.constantFrom(...TABS.slice(1)),
        part: fc.constantFrom(...PARTS.slice(1)),
      },
      { requiredKeys: ['view'] },
    );
    fc.assert(
      fc.property(link, (wanted) => {
        expect(parseLink(formatLink(wanted))).toEqual(wanted);
      }),
    );
  });

  it('names a lesson by a path, and the list of lessons without a number', () => {
    for (const link of [{ view: 'learn' }, { view: 'learn', lesson: 3 }, { view: 'learn', lesson: 12 }] as const)
      expect(parseLink(formatLink(link))).toEqual(link);
    expect(formatLink({ view: 'learn', lesson: 3 })).toBe('#/learn/3');
    expect(parseLink('#/learn/999')).toEqual({ view: 'run', unknown: 'learn/999' });
    expect(parseLink('#/audit')).toEqual({ view: 'audit' });
    expect(parseLink('#/nowhere')).toEqual({ view: 'run', unknown: 'nowhere' });
  });

  it('carries what is shared unread', () => {
    const link = { view: 'capabilities', part: 'workshop', shared: '1.abc_-' } as const;
    expect(parseLink(formatLink(link))).toEqual(link);
  });

  it('from a stranger is understood or left out, and never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => VIEWS.includes(parseLink(text).view)));
    expect(parseLink('#r=../../etc&q=-1&v=admin')).toEqual({ view: 'run' });
  });
});

describe('a key', () => {
  const press = (key: string, over: object = {}) =>
    bindingFor({ key, modified: false, typing: false, lettersOff: false, inRun: true, ...over })?.word;

  it('steps', () => expect(press('s')).toBe('Step'));
  it('does nothing while someone types', () => expect(press('s', { typing: true })).toBeUndefined());
  it('does nothing when letters are off, but F10 still steps', () => {
    expect(press('s', { lettersOff: true })).toBeUndefined();
    expect(press('F10', { lettersOff: true })).toBe('Step');
  });
  it('does nothing to a run that is not on the screen', () =>
    expect(press('Escape', { inRun: false })).toBeUndefined());
  it('is another key with a modifier: what saves elsewhere exports, also while someone types', () => {
    expect(press('s', { modified: true, typing: true })).toBe('Export this run');
    expect(press('r', { modified: true })).toBeUndefined();
  });
  it.each(['a', 'y', 'Enter', ' '])('%j approves nothing', (key) => expect(press(key)).toBeUndefined());
});

describe('the state of a run', () => {
  const view = { run_id: RUN, dialect: 'xct', phase: 'IDLE', mode: 'paused', steps: 0, records: 2 } as const;

  it('says of a step that was cut off that nobody knows what came of it, until another one has ended', () => {
    const cut = statusOf({ view: { ...view, steps: 3 }, asked: false, cutOff: true });
    expect(cut).toMatchObject({ word: 'Interrupted', tone: 'bad' });
    expect(cut.sentence).toContain('Step 3 was cut off');
  });
  it('says that it was taken up again, and by which record', () => {
    const taken = statusOf({ view: { ...view, steps: 3 }, asked: false, takenUp: 9 });
    expect(taken).toMatchObject({ word: 'Resumed', sentence: expect.stringContaining('record 9') as string });
    expect(statusOf({ view: { ...view, steps: 3 }, asked: false, takenUp: 9, cutOff: true }).word).toBe('Interrupted');
  });
  it('is ready before the first step', () => expect(statusOf({ view, asked: false }).word).toBe('Ready'));
  it('is read only without a live run', () =>
    expect(statusOf({ view: undefined, asked: false }).word).toBe('Read only'));
  it('asks for approval before anything else', () => {
    const pending = {
      run_id: RUN,
      step_id: 's',
      capability: 'notes.put',
      capability_hash: '',
      effect: 'write',
      args: '{}',
      digest: 'd',
      reason: '',
    } as const;
    expect(statusOf({ view: { ...view, mode: 'running', pending }, asked: true }).sentence).toContain(
      'notes.put needs your approval',
    );
  });
  it('says how the last step ended, and what stopped it', () => {
    const stopped = endingOf(groupSteps(refused('parse')));
    expect(stopped).toBe('Step 1, a proposal, was stopped at parse: json_syntax.');
    expect(statusOf({ view: { ...view, steps: 1 }, asked: false, ending: stopped }).sentence).toContain(stopped);
    expect(endingOf(groupSteps([...decided('AUTHORIZED'), receipt(5, 'SUCCESS')]))).toContain('notes.put, passed');
    expect(endingOf(groupSteps(decided('AUTHORIZED')))).toBeUndefined();
  });
  it('names the code that a failure ended with', () => {
    const end = { state: 'failed', code: 'model_exhausted', steps: 3, head: '' } as const;
    expect(statusOf({ view: { ...view, end }, asked: false }).sentence).toContain('model_exhausted');
    expect(record(1, 'seal', { state: 'failed' }).kind).toBe('seal');
  });
});
