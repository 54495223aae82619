import { expect, test } from 'vitest';
import { type LedgerRecord, tallyOf } from '../../../core/index.ts';

test('a receipt with a reason of any word is counted', () => {
  const records = ['constructor', 'tool', 'authorization'].map((word) => ({
    kind: 'receipt',
    body: { evidence: { reason: { class: word, code: 'x' } } },
  }));
  expect(tallyOf(records as unknown as LedgerRecord[])).toEqual({ done: 0, denied: 1, refused: 2, failed: 0 });
});
