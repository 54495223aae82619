import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completionsOf, matches, parseFilter, sidesText } from '../../../../web/playground/timeline/filter.ts';
import { excerptOf, type PayloadTexts, searched } from '../../../../web/playground/timeline/record-texts.ts';
import { decided, record, refused } from '../../records/sample-records.ts';

describe('a filter of the timeline', () => {
  const records = [...refused('arguments'), ...decided('DENIED_POLICY_VIOLATION')];
  const found = (text: string): string[] =>
    records.filter((each) => matches(parseFilter(text), each)).map((each) => each.kind);

  it('an empty filter hides no record', () => expect(found('')).toHaveLength(records.length));
  it('a filter finds a kind', () => expect(found('type:verdict')).toEqual(['verdict', 'verdict']));
  it('a filter finds a capability', () => expect(found('tool:notes')).toEqual(['verdict', 'decision']));
  it('a filter finds a status', () => expect(found('status:rejected')).toEqual(['verdict']));
  it('a filter finds a range of places', () =>
    expect(found('seq:4-5')).toEqual(['observation', 'receipt', 'decision']));
  it('a filter with several terms finds records that match every term', () =>
    expect(found('type:verdict status:denied')).toEqual([]));
  it('a filter names a field that it does not know', () =>
    expect(parseFilter('colour:red').unknown).toEqual(['colour:red']));
  it('a filter takes any text', () => fc.assert(fc.property(fc.string(), (text) => (found(text), true))));
});

describe('a full-text search of the timeline', () => {
  const ref = (name: string) => ({ sha256: name.padEnd(64, '0'), bytes: 9 });
  const at = { step: 1, step_id: 's' };
  const records = [
    record(0, 'task', { text: ref('a') }),
    record(1, 'proposal', { ...at, payload: ref('b') }),
    record(2, 'decision', { ...at, capability: 'mill.ask', decision: 'AUTHORIZED' }),
    record(3, 'observation', { ...at, status: 'success', payload: ref('c') }),
  ];
  const contents: PayloadTexts = new Map(
    [
      ['a', 'What did the FLOUR of the mill cost?'],
      ['b', '{"tool":"mill.ask","of":"rye flour"}'],
      ['c', `{"result":"${'x'.repeat(80)} rye flour costs 3 \u20ac${'y'.repeat(80)}"}`],
    ].map(([name = '', text = '']) => [ref(name).sha256, searched(text)]),
  );
  const found = (text: string) =>
    records.filter((each) => matches(parseFilter(text), each, contents)).map((each) => each.run_seq);

  it.each<[string, number[]]>([
    ['flour', [0, 1, 3]],
    ['"rye flour"', [1, 3]],
    ['"rye flour', [1, 3]],
    ['proposed:flour', [1]],
    ['answered:"rye flour"', [3]],
    ['recorded:mill', [0, 2]],
    ['flour type:task', [0]],
    ['"type:task"', []],
  ])('%s finds the records %j', (text, places) => expect(found(text)).toEqual(places));

  it('the found records are counted by their side', () => {
    expect(sidesText(records)).toBe('1 proposed, 1 answered, 2 recorded');
  });

  it('an excerpt shows the found word in its surroundings, in its own letters', () => {
    const [task, , decision, observation] = records as [never, never, never, never];
    expect(excerptOf(task, ['flour'], contents)).toEqual({
      before: 'What did the ',
      hit: 'FLOUR',
      after: ' of the mill cost?',
    });
    expect(excerptOf(observation, ['rye'], contents)).toMatchObject({ before: `…${'x'.repeat(39)} `, hit: 'rye' });
    expect(excerptOf(decision, ['mill'], contents)).toBeUndefined();
  });

  it('suggestions complete the last term, with the number of their records', () => {
    expect(completionsOf('flour type:ob', records)).toEqual([{ filter: 'flour type:observation', count: 1 }]);
    expect(completionsOf('mill', records)).toEqual([{ filter: 'tool:mill.ask', count: 1 }]);
    expect(completionsOf('flour ', records)).toEqual([]);
  });
});
