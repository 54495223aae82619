import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunNumbers } from '../../../../workers/store/journal/run-numbers.ts';
import { caseCount } from '../../../cases.ts';

const row = fc.record({ run: fc.constantFrom('a', 'b', 'c'), first: fc.nat(9), second: fc.nat() });

test('rows of a run are those of an ordered map, in whatever order they came', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 40 }), (given) => {
      const numbers = new RunNumbers(2);
      const model = new Map<string, Map<number, number>>();
      for (const { run, first, second } of given) {
        numbers.put(run, [first, second]);
        model.set(run, new Map(model.get(run)).set(first, second));
      }
      for (const run of ['a', 'b', 'c', 'none']) {
        const kept = [...(model.get(run) ?? [])].sort(([one], [other]) => one - other);
        expect(numbers.of(run).map((at) => [numbers.number(at, 0), numbers.number(at, 1)])).toEqual(kept);
        for (let first = 0; first < 10; first++) {
          const at = numbers.find(run, first);
          expect(at === undefined ? undefined : numbers.number(at, 1)).toBe(model.get(run)?.get(first));
        }
      }
      expect(numbers.count).toBe([...model.values()].reduce((sum, { size }) => sum + size, 0));
    }),
    { numRuns: caseCount(400) },
  );
});
