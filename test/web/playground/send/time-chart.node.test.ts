import { describe, expect, it } from 'vitest';
import type { LedgerRecord } from '../../../../core/index.ts';
import { timeChart } from '../../../../web/playground/send/time-chart.ts';
import { recordedTimes } from '../../../../web/records/durations.ts';
import { groupSteps } from '../../../../web/records/steps.ts';
import { record } from '../../records/sample-records.ts';

/** A step: a proposal at `from`, a decision in favour of its call 10 ms later, and a receipt at `to`. */
function stepRecords(step: number, from: number, to: number): readonly LedgerRecord[] {
  const [seq, decidedAt] = [step * 10, from + 10];
  const call = { step, capability: '<b>calc</b>' };
  return [
    { ...record(seq, 'proposal', call), at: from },
    { ...record(seq + 1, 'verdict', { ...call, accepted: true, kind: 'call' }), at: decidedAt },
    { ...record(seq + 2, 'decision', { ...call, decision: 'AUTHORIZED', now: decidedAt }), at: decidedAt },
    { ...record(seq + 3, 'receipt', { receipt: { status: 'SUCCESS' }, evidence: { step } } as never), at: to },
  ] as LedgerRecord[];
}

function chartOf(...records: readonly LedgerRecord[]) {
  const groups = groupSteps([record(0, 'configuration', {}), ...records]);
  const steps = groups.filter(({ step }) => step !== undefined);
  return { chart: timeChart(recordedTimes(groups), steps), steps };
}

describe('the times in a report', () => {
  it('each step has a line on the scale of the run, with its parts in words', () => {
    const { chart } = chartOf(...stepRecords(1, 2_000, 2_060), ...stepRecords(2, 2_160, 2_200));
    const html = String(chart.run);
    expect(html.match(/<li><span>\d/g)).toHaveLength(2);
    expect(html).toContain('role="img" aria-label="model 2.0 s, gates 10 ms, sandbox 50 ms"');
    expect(html).toContain('role="img" aria-label="model 100 ms, gates 10 ms, sandbox 30 ms"');
    expect(html).toContain('<strong>2.2 s</strong> in all');
    // The second step begins where the first ended.
    expect(html).toContain('<rect class="t-model" x="936.36"');
  });

  it('a step alone fills its line, and its words stand beside the picture', () => {
    const { chart, steps } = chartOf(...stepRecords(1, 30, 100));
    const html = String(steps[0] && chart.step(steps[0]));
    expect(html).toContain('<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">');
    expect(html).toContain('<rect class="t-model" x="0.00" width="300.00" height="10">');
    expect(html).toContain('<p class="soft">model 30 ms, gates 10 ms, sandbox 60 ms</p>');
  });

  it('the titles of steps are text', () => {
    const { chart } = chartOf(...stepRecords(1, 30, 100));
    expect(String(chart.run)).not.toContain('<b>calc');
  });

  it('a run whose records were written together has no picture', () => {
    const { chart, steps } = chartOf(
      record(1, 'proposal', { step: 1 }),
      record(2, 'receipt', { receipt: { status: 'SUCCESS' }, evidence: { step: 1 } } as never),
    );
    expect([String(chart.run), String(steps[0] && chart.step(steps[0]))]).toEqual(['', '']);
  });
});
