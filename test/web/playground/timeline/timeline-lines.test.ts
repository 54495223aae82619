import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../../core/index.ts';
import { linesBetween, offsetsOf } from '../../../../web/playground/parts/line-window.ts';
import { linesOf } from '../../../../web/playground/timeline/timeline-lines.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { record, refused } from '../../records/sample-records.ts';

const HEIGHTS = { gap: 10, head: 20, row: 5 };
const late = (records: readonly LedgerRecord[], at: number) => records.map((each) => ({ ...each, at }));

describe('the list of a ledger', () => {
  const groups = groupSteps([record(0, 'configuration', {}), ...late(refused('parse'), 90_000)]);

  it('the list of a ledger has every record once, under the head of its step, and a pause as a single line', () => {
    const lines = linesOf(groups, () => true);
    expect(lines.map(({ key }) => key)).toEqual(['h0', 'r0', 'g2', 'h2', 'r2', 'r3', 'r4', 'r5']);
    expect(lines.find(({ kind }) => kind === 'gap')).toMatchObject({ ms: 90_000 });
  });

  it('the list of a ledger leaves out a step without a shown record', () => {
    expect(linesOf(groups, ({ kind }) => kind === 'configuration').map(({ key }) => key)).toEqual(['h0', 'r0']);
  });

  it('linesBetween finds the lines in sight at every scroll position', () => {
    const lines = linesOf(groups, () => true);
    const offsets = offsetsOf(lines, HEIGHTS);
    const end = offsets.at(-1) ?? 0;
    for (let top = 0; top <= end; top++) {
      const [from, to] = linesBetween(offsets, top, top + 12);
      const touching = lines.flatMap((_, i) =>
        (offsets[i] ?? 0) < top + 12 && (offsets[i + 1] ?? 0) > top ? [i] : [],
      );
      for (const i of touching) expect(i >= from && i < to, `line ${i} at ${top}`).toBe(true);
      expect(to - from).toBeLessThanOrEqual(touching.length + 2);
    }
  });
});
