import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SallyportError } from '../../../core/index.ts';
import { keepRun, keptRuns, takeUpKept } from '../../../web/element/kept-runs.ts';
import type { Run, RunRow, Runtime } from '../../../workers/api.ts';

beforeEach(() => localStorage.clear());
afterEach(() => localStorage.clear());

const row = (run_id: string, more: Partial<RunRow> = {}): RunRow => ({
  ...{ run_id, records: 2, head: '', at: 0, dialect: 'xct', sealed: false },
  ...more,
});

/** A driver whose ledger has these rows; `fails` are the runs that cannot be resumed. */
function driverOf(rows: readonly RunRow[], fails: { readonly [run_id: string]: string } = {}) {
  const ledger = {
    records: async (run_id: string) => [{ kind: 'task', body: { text: run_id } }],
    payload: async (_run: string, ref: string) => new TextEncoder().encode(`The task of ${ref}`),
  };
  const takeUp = vi.fn(async (run_id: string) => {
    const code = fails[run_id];
    if (code !== undefined) throw new SallyportError(code as 'run_open', `${run_id}: ${code}`, {});
    return {} as Run;
  });
  return { runtime: { runs: async () => rows, ledger } as unknown as Runtime, takeUp };
}

test('the newest kept run that is not over is taken up, and the others are forgotten', async () => {
  for (const id of ['gone', 'open', 'sealed', 'restored', 'session']) keepRun('notes', id);
  const rows = [
    row('of another element'),
    row('open'),
    row('sealed', { sealed: true }),
    row('restored', { foreign: true }),
    row('session', { caller: 'sdk' }),
  ];
  expect(await takeUpKept('notes', driverOf(rows))).toBe('The task of open');
  expect(keptRuns('notes')).toEqual(['open']);
  expect(keptRuns('other')).toEqual([]);
  expect(await takeUpKept('other', driverOf(rows))).toBeUndefined();
});

test('a run that another tab begins while the runs are read is not forgotten', async () => {
  keepRun('notes', 'old');
  const driver = driverOf([row('old')]);
  const runs = driver.runtime.runs;
  driver.runtime.runs = async () => {
    const read = await runs();
    keepRun('notes', 'new');
    return read;
  };
  expect(await takeUpKept('notes', driver)).toBe('The task of old');
  expect(keptRuns('notes')).toEqual(['new', 'old']);
});

test('a run that another tab drives is passed over, and told where there is no other', async () => {
  for (const id of ['mine', 'theirs']) keepRun('notes', id);
  const rows = [row('mine'), row('theirs')];
  expect(await takeUpKept('notes', driverOf(rows, { theirs: 'run_open' }))).toBe('The task of mine');
  const both = driverOf(rows, { theirs: 'run_open', mine: 'run_open' });
  await expect(takeUpKept('notes', both)).rejects.toThrow('theirs: run_open');
  expect(new Set(both.takeUp.mock.calls.map(([run_id]) => run_id))).toEqual(new Set(['theirs', 'mine']));
  keepRun('notes', 'next');
  expect(keptRuns('notes')).toEqual(['next', 'theirs', 'mine']);
});

test('a run whose kernel ends soon is taken up: a reloaded page is still leaving it', async () => {
  for (const id of ['older', 'mine']) keepRun('notes', id);
  const fails: { [run_id: string]: string } = { mine: 'run_open' };
  setTimeout(() => delete fails.mine, 300);
  expect(await takeUpKept('notes', driverOf([row('older'), row('mine')], fails))).toBe('The task of mine');
});

test('a run that no later page can take up says why, and stays until the next run', async () => {
  for (const id of ['older', 'refused']) keepRun('notes', id);
  const driver = driverOf([row('older'), row('refused')], { refused: 'behaviour_other' });
  await expect(takeUpKept('notes', driver)).rejects.toThrow('refused: behaviour_other');
  expect(driver.takeUp.mock.calls).toEqual([['refused']]);
  expect(keptRuns('notes')).toEqual(['refused', 'older']);
  keepRun('notes', 'next');
  expect(keptRuns('notes')).toEqual(['next', 'older']);
});

test.each(['store_busy', 'engine_unavailable', ''])(
  'a run that fails with %s stays behind the next one, and is taken up later',
  async (code) => {
    for (const id of ['older', 'failed']) keepRun('notes', id);
    const fails: { [run_id: string]: string } = { failed: code };
    const rows = [row('older'), row('failed'), row('next')];
    await expect(takeUpKept('notes', driverOf(rows, fails))).rejects.toThrow(`failed: ${code}`);
    keepRun('notes', 'next');
    expect(keptRuns('notes')).toEqual(['next', 'failed', 'older']);
    delete fails.failed;
    const later = [row('older'), row('failed'), row('next', { sealed: true })];
    expect(await takeUpKept('notes', driverOf(later, fails))).toBe('The task of failed');
  },
);

test('what another script wrote in its place is no run', () => {
  keepRun('notes', 'a');
  const key = localStorage.key(0) ?? '';
  for (const text of ['{', 'null', '{"length":1}', '[1,null]']) {
    localStorage.setItem(key, text);
    expect(keptRuns('notes')).toEqual([]);
  }
  for (let id = 0; id < 40; id++) keepRun('notes', String(id));
  expect(keptRuns('notes')).toHaveLength(16);
});
