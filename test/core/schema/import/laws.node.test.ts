import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importSchema } from '../../../../core/index.ts';
import { caseCount } from '../../../cases.ts';
import { value } from '../arbitrary.ts';
import { validity } from '../reference.ts';
import { olderSchema } from './arbitrary.ts';
import { OLDER_DRAFTS } from './drafts.ts';

const SEED = 20_261_123;
/** ajv takes no multiple of 1e22 for a multiple. */
const exact = value.filter((one) => !JSON.stringify(one).includes('1e+22'));
const values = fc.sample(exact, { numRuns: 40, seed: SEED });

describe.each(OLDER_DRAFTS)('an imported schema of $folder', ({ age, dialect, ajv }) => {
  it('an imported schema accepts a value exactly when ajv accepts it by the older draft', () => {
    /** One instance for all schemas: each `$id` in them is a fragment, which names a place in its own schema only. */
    const alone = ajv();
    let taken = 0;
    for (const one of fc.sample(olderSchema(age), { numRuns: caseCount(1_000), seed: SEED })) {
      const imported = importSchema({ $schema: dialect, ...one }, { close: false });
      if (!imported.ok) continue;
      taken += 1;
      const [here, there] = [validity(imported.value.schema), alone.compile(one)];
      alone.removeSchema(one);
      const wrong = values.find((each) => here(each) !== there(each));
      expect(wrong === undefined ? 'agree' : { one, wrong, schema: imported.value.schema }).toBe('agree');
    }
    expect(taken).toBeGreaterThan(caseCount(500));
  });

  it('a closed schema refuses the values that the open schema refuses', () => {
    for (const one of fc.sample(olderSchema(age), { numRuns: caseCount(500), seed: SEED })) {
      const [closed, open] = [true, false].map((close) => importSchema({ $schema: dialect, ...one }, { close }));
      if (!closed?.ok || !open?.ok) continue;
      const [narrow, wide] = [validity(closed.value.schema), validity(open.value.schema)];
      const wrong = values.find((each) => narrow(each) && !wide(each));
      expect(wrong === undefined ? 'narrower' : { one, wrong, schema: closed.value.schema }).toBe('narrower');
    }
  });
});

describe('importSchema of any value', () => {
  it('importSchema gives an outcome for any value, and never throws', () => {
    const any = fc.anything({ withBigInt: true, withSparseArray: true, withNullPrototype: true });
    fc.assert(
      fc.property(fc.oneof(any, olderSchema(7)), (one) => typeof importSchema(one).ok === 'boolean'),
      { numRuns: caseCount(2000) },
    );
  });
});
