import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, parseFilter } from '../../../../web/playground/timeline/filter.ts';
import { decided, refused } from '../../records/sample-records.ts';

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
