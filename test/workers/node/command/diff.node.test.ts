import { describe, expect, test } from 'vitest';
import { encodeText, formatExport, sha256Hex } from '../../../../core/index.ts';
import { runCommand, type Terminal, UsageError } from '../../../../workers/node/command/command.ts';
import { diff } from '../../../../workers/node/command/diff.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { forgeTexts } from '../../../core/ledger/forge.ts';
import { runId } from '../../../core/ledger/sample.ts';

/** An export of a run with this task. */
function exportOf(nth: number, task: string): string {
  const bytes = encodeText(task);
  const text = { sha256: sha256Hex(bytes), bytes: bytes.length };
  const records = forgeTexts(runId(nth), [{ kind: 'task', body: { text } }]);
  return formatExport(runId(nth), records, [{ sha256: text.sha256, bytes }]);
}

const FILES: { readonly [name: string]: string } = {
  'a.jsonl': exportOf(1, 'Count the loaves.'),
  'same.jsonl': exportOf(2, 'Count the loaves.'),
  'b.jsonl': exportOf(3, 'Count the \u001b[2Jrolls.\n✓'),
  'broken.jsonl': 'no export',
};

/** Runs `sallyport diff` over these files. */
async function run(...words: readonly string[]) {
  const said = { out: '', err: '', json: undefined as unknown };
  const terminal: Terminal = {
    ...processTerminal(),
    color: false,
    print: (text) => void (said.out += `${text}\n`),
    complain: (text) => void (said.err += `${text}\n`),
    printJson: (value) => void (said.json = value),
    read: async (name) => {
      const text = FILES[name];
      if (text === undefined) throw new UsageError(`${name} cannot be read`);
      return encodeText(text);
    },
  };
  const code = await runCommand(diff, words, terminal);
  return { ...said, code };
}

describe('sallyport diff', () => {
  test('two runs that differ only in ids and times are the same, with exit code 0', async () => {
    const { code, out } = await run('a.jsonl', 'same.jsonl');
    expect([code, out]).toEqual([0, 'The runs are the same over 0 steps, but for ids, random numbers and times.\n']);
  });

  test('a difference is named by its path with both values, with exit code 1 and without control characters', async () => {
    const { code, out } = await run('a.jsonl', 'b.jsonl');
    expect(code).toBe(1);
    expect(out).toContain('  /task/text\n    - Count the loaves.\n    + Count the \\u001b[2Jrolls.\\n✓\n');
  });

  test('--json holds the same as data', async () => {
    const { code, out, json } = await run('a.jsonl', 'b.jsonl', '--json');
    expect([code, out]).toEqual([1, '']);
    expect(json).toMatchObject({
      same: false,
      a: { name: 'a.jsonl', run_id: runId(1), records: 1 },
      b: { name: 'b.jsonl', run_id: runId(3) },
      run: [{ path: '/task/text', a: 'Count the loaves.' }],
      steps: [],
    });
  });

  test.each([
    [['a.jsonl', 'broken.jsonl'], 'broken.jsonl: record 0:'],
    [['a.jsonl', 'absent.jsonl'], 'absent.jsonl cannot be read'],
    [['a', 'b', '--store', 'no ledger here'], 'holds no ledger'],
    [['-', '-'], 'Only one run can come from standard input'],
  ])('%j ends with 2 and a sentence', async (words, sentence) => {
    const { code, err } = await run(...words);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
  });

  test('a command line without two runs is refused as wrong', async () => {
    for (const words of [[], ['a.jsonl'], ['a.jsonl', 'b.jsonl', 'c.jsonl']])
      await expect(run(...words)).rejects.toThrow('diff takes two operands');
    await expect(run('a.jsonl', 'b.jsonl', '--secrets')).rejects.toThrow('--secrets is of --store');
  });
});
