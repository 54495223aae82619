import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matches, parseFilter } from '../../../../web/playground/timeline/filter.ts';
import { decided, refused } from '../../records/sample-records.ts';

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
