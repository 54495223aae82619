import { describe, expect, it } from 'vitest';
import { isProblem, describe as lineOf } from '../../../web/records/describe.ts';
import { decided, record, refused } from './sample-records.ts';

describe('a problem in the records', () => {
  it('a refused proposal is one problem', () => expect(refused('form').filter(isProblem)).toHaveLength(1));
  it('a denied call is one problem', () =>
    expect(decided('DENIED_POLICY_VIOLATION').filter(isProblem)).toHaveLength(1));
});

describe('a receipt of a held outcome', () => {
  it.each([
    [{}, 'success, held as h3'],
    [{ operation: 1 }, 'success, held as h3.1'],
  ])('names its handle', (held, told) => {
    const evidence = { step: 3, held } as never;
    expect(lineOf(record(9, 'receipt', { receipt: { status: 'SUCCESS' } as never, evidence })).summary).toBe(told);
  });
});
