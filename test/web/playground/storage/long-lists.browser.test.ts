import { afterEach, expect, test } from 'vitest';
import { keepAsks } from '../../../../web/playground/parts/dialog-asks.ts';
import type { RunRow } from '../../../../workers/api.ts';
import { all, one, openApp, text } from '../rig.ts';

afterEach(() => document.body.replaceChildren());

const runsOf = (count: number): readonly RunRow[] =>
  Array.from({ length: count }, (_, n) => ({
    run_id: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    at: 1_700_000_000_000,
    dialect: 'xct/0.1',
    records: 6,
    head: 'a'.repeat(64),
    sealed: true,
    ended: 'completed',
    task: `Order ${n} of flour`,
  }));

function type(selector: string, value: string): void {
  const field = one<HTMLInputElement>(selector);
  field.value = value;
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

test('a list of runs reads no more runs and draws no more rows for 2,000 runs than for 200', async () => {
  const drawn: number[] = [];
  const reads: number[] = [];
  for (const count of [200, 2000]) {
    const read: string[] = [];
    const { store } = await openApp({ runs: runsOf(count), onRead: (id) => read.push(id) });
    store.column.value = 'setup';
    store.listRuns();
    await expect.poll(() => store.runs.value.length).toBe(count);
    one('sp-runs summary').click();
    await expect.poll(() => text('sp-runs .task')).toContain('Order 0 of flour');
    drawn.push(all('sp-runs .row').length);
    type('sp-runs input', `order ${count - 1}`);
    await expect.poll(() => all('sp-runs .row').length).toBe(1);
    expect(text('sp-runs .task')).toBe(`Order ${count - 1} of flour`);
    type('sp-runs input', '');
    const list = one('sp-runs ul');
    await expect.poll(() => list.scrollHeight).toBeGreaterThan(count * 50);
    list.scrollTop = list.scrollHeight;
    await expect.poll(() => all('sp-runs .task').at(-1)?.textContent).toBe(`Order ${count - 1} of flour`);
    reads.push(read.length);
    document.body.replaceChildren();
  }
  // the rules look at some of the newest runs
  expect(reads[1]).toBe(reads[0]);
  expect(drawn[1]).toBe(drawn[0]);
  expect(drawn[0]).toBeLessThan(100);
});

test('several runs are erased with one question, those that the filter shows', async () => {
  const { store } = await openApp({ runs: runsOf(300) });
  keepAsks.value = true;
  await expect.poll(() => text('sp-keep .task')).toContain('Order 0 of flour');
  await expect.poll(() => store.runs.value.length).toBe(300);
  expect(all('sp-keep .row').length).toBeLessThan(100);
  expect(one('sp-keep #erase-chosen').getAttribute('aria-disabled')).toBe('true');
  type('sp-keep .filter input', 'order 29');
  // 29, 129, 229, and 290 to 299
  await expect.poll(() => all('sp-keep .row').length).toBe(13);
  one('sp-keep #all').click();
  await expect.poll(() => one('sp-keep #erase-chosen').getAttribute('aria-disabled')).toBe('false');
  one('sp-keep #erase-chosen').click();
  await expect.poll(() => text('sp-keep #asked')).toBe('Erase what was said in 13 runs?');
  type('sp-keep #word', 'erase');
  await expect.poll(() => one('sp-keep .danger').getAttribute('aria-disabled')).toBe('false');
  one('sp-keep .danger').click();
  await expect.poll(() => text('sp-keep [role=status]')).toContain('Erased in 13 of 13 runs.');
});
