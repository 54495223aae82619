import { describe, expect, it } from 'vitest';
import { isProblem } from '../../../web/records/describe.ts';
import { decided, refused } from './sample-records.ts';

describe('a problem', () => {
  it('is told once for each refused proposal', () => expect(refused('form').filter(isProblem)).toHaveLength(1));
  it('is told once for each denied call', () =>
    expect(decided('DENIED_POLICY_VIOLATION').filter(isProblem)).toHaveLength(1));
});
