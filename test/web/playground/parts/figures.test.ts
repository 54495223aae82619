import { describe, expect, it } from 'vitest';
import { inFigures } from '../../../../web/playground/parts/figures.ts';

describe('figures in a sentence of the ledger', () => {
  it.each([
    [
      { used: 10_000_001, limit: 10_000_000 },
      'Stopped: out of fuel: 10,000,001 operations, the limit is 10,000,000. Ask.',
    ],
    [{ used: 12_582_912, limit: 8_388_608 }, 'Too long: 12 MB, the limit is 8 MB. Ask.'],
    [{ used: 1_048_609, limit: 262_144 }, 'Too long: 1,048,609 bytes, the limit is 256 KB. Ask.'],
    [{ used: 4096, limit: 1204 }, 'Over budget: 4,096 bytes, the limit is 1,204 bytes. Ask.'],
    [{ used: 5, limit: 5 }, 'Over budget: 5 bytes, the limit is 5. Ask.'],
  ])('figures in a sentence of the ledger are the details, written for a person: %j', (details, told) => {
    const [head = ''] = /^.*?(?=: [\d,]+ )/.exec(told) ?? [];
    const unit = told.includes('operations') ? 'operations' : 'bytes';
    expect(inFigures(`${head}: ${details.used} ${unit}, the limit is ${details.limit}. Ask.`, details)).toBe(told);
  });

  it('inFigures leaves numbers of a stranger unchanged, and texts that are no number', () => {
    const said = 'The capability failed: Error: call 0612345678, id a12345, v1.23456, 98765432. Change it.';
    expect(inFigures(said, { code: 'capability_threw', error: { message: '0612345678' } })).toBe(said);
    expect(inFigures('Line 98765432 of 12345', { line: 12_345 })).toBe('Line 98765432 of 12,345');
  });
});
