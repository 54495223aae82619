import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseExport, tallyOf, verifyExport } from '../../core/index.ts';
import { compareRuns } from '../../core/ledger/compare.ts';
import { reportedRun } from '../../web/playground/files/reported-run.ts';
import { formatReport } from '../../web/playground/send/report.ts';
import { savedPage } from '../../web/texts/en/saved-page.ts';
import { storyOf } from '../../web/verifier/story.ts';
import type { Runtime } from '../../workers/api.ts';
import { runCommand, type Terminal } from '../../workers/node/command/command.ts';
import { show } from '../../workers/node/command/show.ts';
import {
  defineCapability,
  fromScript,
  openRuntime,
  replayExport,
  verifyExport as verifyInNode,
} from '../../workers/node.ts';
import { spoken } from '../web/texts/spoken.ts';

const none = { type: 'object', properties: {}, additionalProperties: false } as const;
const common = { version: '1.0.0', description: 'For a test.', args: none };
const boom = defineCapability({
  ...common,
  name: 'boom',
  effect: 'pure',
  source: `export default () => {
    console.warn('about to fail');
    return [][0].name;
  };`,
});
const keep = defineCapability({ ...common, name: 'keep', effect: 'write', source: 'export default () => 1;' });
const add = defineCapability({ ...common, name: 'add', effect: 'pure', source: 'export default () => ({ sum: 5 });' });
const call = (tool: string) => ({ next_step: { tool, arguments: {}, goal: 'g' } });

let runtime: Runtime;
let id = '';
let jsonl = '';

/** A run in which a proposal is refused, a call fails, a call is denied, and the model says that all is well. */
beforeAll(async () => {
  runtime = await openRuntime({
    capabilities: [boom, keep, add],
    grants: [
      { capability: 'boom', mode: 'allow' },
      { capability: 'keep', mode: 'ask' },
      { capability: 'add', mode: 'allow' },
    ],
    approve: async () => ({ approved: false, reason: 'not now' }),
  });
  const turns = ['{"done": true, "done": true}', call('boom'), call('keep'), call('add')];
  const model = fromScript([...turns, { done: true, message: 'The note is kept.' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Keep it.', model });
  await run.result;
  id = run.id;
  jsonl = await runtime.ledger.export(id);
});
afterAll(() => runtime.close());

const SAID = '1 carried out, 1 denied, 1 refused, 1 failed';

async function shown(): Promise<readonly string[]> {
  const lines: string[] = [];
  const terminal = {
    color: false,
    print: (line: string) => void lines.push(line.trim()),
    printJson: () => undefined,
    complain: () => undefined,
    read: async () => new TextEncoder().encode(jsonl),
  } satisfies Terminal;
  await runCommand(show, ['run.jsonl'], terminal);
  return lines;
}

describe('a run that failed', () => {
  test('explain has each step that did not succeed, with what the guest threw and logged', async () => {
    const explained = await runtime.ledger.explain(id);
    expect(explained.map(({ step, capability, code }) => [step, capability, code])).toEqual([
      [1, undefined, 'duplicate_member'],
      [2, 'boom', 'capability_threw'],
      [3, 'keep', 'approval_denied'],
    ]);
    expect(explained[0]?.message).toContain('member "done" appears twice');
    expect(explained[1]).toMatchObject({
      error: { name: 'TypeError', message: expect.stringContaining("'name' of undefined"), line: 3 },
      console: [{ level: 'warn', text: 'about to fail' }],
    });
    expect(explained[2]?.message).toContain('not now');
  });

  test('show prints below each receipt why it failed, and what the guest threw and logged', async () => {
    const lines = await shown();
    expect(lines).toContainEqual(expect.stringMatching(/^threw TypeError: .*'name' of undefined \(line 3:\d+\)$/));
    expect(lines).toContain('warn: about to fail');
    const receipt = lines.findIndex((line) => line.includes('code=approval_denied'));
    expect(lines.slice(receipt).find((line) => line.includes('not now'))).toBeDefined();
  });
});

describe('the last words of a model', () => {
  test('the numbers of the receipts stand beside the last words, in show, report and saved page', async () => {
    spoken('en');
    const records = await runtime.ledger.records(id);
    expect(tallyOf(records)).toEqual({ done: 1, denied: 1, refused: 1, failed: 1 });
    expect((await shown()).slice(-2)).toEqual(['last words: The note is kept.', `the receipts say: ${SAID}`]);
    expect(formatReport(reportedRun(parseExport(jsonl)), verifyExport(jsonl))).toContain(
      `The note is kept.</pre><dl><dt>The receipts say</dt><dd>${SAID}</dd></dl>`,
    );
    const { payloads } = parseExport(jsonl);
    const story = storyOf(savedPage().story, records, ({ sha256 }) => payloads.get(sha256));
    expect(story.at(-1)?.what).toBe(`Ended: completed, “The note is kept.”. The receipts say: ${SAID}`);
    spoken('de');
    expect(formatReport(reportedRun(parseExport(jsonl)), verifyExport(jsonl))).toContain(
      '<dt>Die Belege sagen</dt><dd>1 ausgeführt, 1 verweigert, 1 abgewiesen, 1 gescheitert</dd>',
    );
  });

  test('a turn counts its own receipts, and an end without a call says so', async () => {
    const model = fromScript([{ done: true, message: 'Done.' }]);
    const run = runtime.start({ dialect: 'xct', task: 'Nothing.', model });
    await run.result;
    const first = await runtime.ledger.records(run.id);
    expect(tallyOf(first)).toEqual({ done: 0, denied: 0, refused: 0, failed: 0 });
    const both = [...(await runtime.ledger.records(id)), ...first];
    expect(tallyOf(both)).toEqual(tallyOf(first));
    expect(tallyOf(both, both.length - first.length)).toMatchObject({ done: 1, denied: 1 });
  });
});

describe('a text that a sender left out', () => {
  /** The run without the result of `add`, and without the reply about `boom`. */
  async function sent(): Promise<string> {
    const records = await runtime.ledger.records(id);
    const results = records.flatMap(({ kind, body }) =>
      kind === 'receipt'
        ? body.receipt.actions.flatMap(({ result }) => (result as { sha256?: string })?.sha256 ?? [])
        : [],
    );
    const replies = records.flatMap(({ kind, body }) =>
      kind === 'observation' && (body.step === 2 || body.step === 4) ? [body.payload.sha256] : [],
    );
    const left = [...results, ...replies];
    return jsonl
      .split('\n')
      .filter((line) => !line.startsWith('{"payload"') || !left.some((sha256) => line.includes(sha256)))
      .join('\n');
  }

  test.each([
    ['verify', verifyInNode],
    ['replay', replayExport],
  ] as const)('%s tells a left-out text as left out, and not as a refused result', async (_, check) => {
    const report = await check(await sent());
    expect(report.ok).toBe(true);
    const told = report.checks.flatMap(({ skipped }) => skipped?.first.message ?? []);
    expect(told.join('\n')).toContain('it was left out or erased');
    expect(told.join('\n')).not.toContain('that was refused');
  });

  test('a comparison compares hashes where a side lacks the text', async () => {
    const [whole, less] = [parseExport(jsonl), parseExport(await sent())];
    expect(less.payloads.size).toBeLessThan(whole.payloads.size);
    expect(compareRuns(whole, less)).toMatchObject({ same: true, run: [] });
    expect(compareRuns(less, whole).same).toBe(true);
    const other = runtime.start({
      dialect: 'xct',
      task: 'Add.',
      model: fromScript([call('add'), { done: true, message: 'x' }]),
    });
    await other.result;
    const { run, steps } = compareRuns(parseExport(await runtime.ledger.export(other.id)), less);
    const differing = [...run, ...steps.flatMap(({ differences }) => differences)];
    expect(differing.filter(({ absent }) => absent !== undefined)).toEqual([]);
    expect(differing.map(({ path }) => path)).toContain('/task/text');
  });
});
