import { describe, expect, it } from 'vitest';
import { isProblem } from '../../../web/records/describe.ts';
import { decided, refused } from './sample-records.ts';

describe('a problem in the records', () => {
  it('a refused proposal is one problem', () => expect(refused('form').filter(isProblem)).toHaveLength(1));
  it('a denied call is one problem', () =>
    expect(decided('DENIED_POLICY_VIOLATION').filter(isProblem)).toHaveLength(1));
});
