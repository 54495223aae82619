import { describe, expect, it } from 'vitest';
import { runsWith, runText } from '../../../../web/playground/run/run-row.ts';
import type { RunRow } from '../../../../workers/api.ts';

const ROW: RunRow = {
  run_id: 'd23c1ebf-0000-4000-8000-000000000000',
  at: 1_700_000_000_000,
  dialect: 'xct/0.1',
  records: 82,
  head: 'a'.repeat(64),
  sealed: true,
  ended: 'completed',
  task: 'Order flour',
  model: 'tiny: qwen',
};
const { task: _, model: __, ended: ___, ...BARE } = ROW;
const open: RunRow = { ...BARE, run_id: 'eeee0000-0000-4000-8000-000000000000', sealed: false };
const session: RunRow = { ...BARE, run_id: 'ffff0000-0000-4000-8000-000000000000', caller: 'ai-sdk' };

describe('a run in a list', () => {
  it('has its task, outcome, date, model, size and id', () => {
    const words = runText(ROW).split(' · ');
    expect(words).toEqual([
      'Order flour',
      'completed',
      expect.stringContaining('2023'),
      'tiny: qwen',
      '82 records',
      'd23c1ebf',
    ]);
  });

  it('says where a text was erased, of whom a session is, and where a run is or came from', () => {
    expect(runText(open)).toMatch(/^No task, or its text was erased · open · /u);
    expect(runText(session)).toMatch(/^Session of ai-sdk · sealed · /u);
    expect(runText({ ...open, elsewhere: true })).toContain('in another tab');
    expect(runText({ ...ROW, foreign: true })).toContain('completed, from a backup');
  });

  it('shows the beginning of a text that a stranger wrote without end', () => {
    const endless = 'm'.repeat(1_000_000);
    expect(runText({ ...ROW, foreign: true, task: endless, model: endless }).length).toBeLessThan(400);
  });

  it('is found by task, outcome, model and the beginning of its id, and by no other word', () => {
    const rows = [ROW, open, session];
    for (const [typed, found] of [
      ['flour completed qwen', [ROW]],
      ['open', [open]],
      ['ffff', [session]],
      ['flour open', []],
      [' ', rows],
    ] as const)
      expect(runsWith(rows, typed)).toEqual(found);
  });
});
