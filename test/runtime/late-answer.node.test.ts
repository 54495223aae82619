import { describe, expect, test } from 'vitest';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { fromScript } from '../../workers/node.ts';
import { emptyLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { forChecks, forRuns } from './shared.ts';

const capability = (name: string) => ({
  name,
  version: '1.0.0',
  description: 'For a test.',
  args: {},
  effect: 'pure' as const,
  source: 'export default () => 1;',
});

const NAMES = ['first', 'second'];
const ASKED_AT = 1_000;
const ANSWERED_AT = 5_000;

const budgets = { max_symbols: 2, max_sections: 1, max_bytes_expanded: 100, max_expands_per_step: 1 };
const refs = NAMES.map((name) => `@TOOLS/${name}`);
const ops = refs.map((target) => ({ type: 'EXECUTE', target, params: { args: {} } }));
const message = { intent: 'Do both.', refs, ops, budgets, required_outputs: [] };
const last = { ...message, refs: [], ops: [] };

/** A run of a message with two operations. A person answers the question about the first one late. */
async function answeredLate(expires: number, isResumed = false) {
  let now = ASKED_AT;
  const log = emptyLog();
  const open = async () => {
    const ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log), now: () => now };
    const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
    return openClient(kernel, async () => localAuditor(forChecks), { capabilities: NAMES.map(capability) });
  };
  let runtime = await open();
  await runtime.grants.grant({ capability: 'first', mode: 'ask' });
  await runtime.grants.grant({ capability: 'second', mode: 'allow', expires });
  let run = runtime.start({ dialect: 'catalytic', task: 'Try.', model: fromScript([message, last]) });
  await expect.poll(() => run.view.pending).toBeDefined();
  if (isResumed) {
    runtime = await open();
    run = await runtime.resume(run.id, fromScript([last]));
    await expect.poll(() => run.view.pending).toBeDefined();
  }
  now = ANSWERED_AT;
  await run.answer(run.view.pending?.digest ?? '', { approved: true });
  await run.run();
  await run.result;
  const records = await runtime.ledger.records(run.id);
  const decided = records.flatMap(({ kind, body }) =>
    kind === 'decision' ? [[body.code ?? body.decision, body.now]] : [],
  );
  return { runtime, decided, text: await runtime.ledger.export(run.id) };
}

type Answered = Awaited<ReturnType<typeof answeredLate>>;

async function failures(runtime: Answered['runtime'], text: string) {
  const { checks } = await runtime.ledger.check(text, { replay: true });
  return checks.filter(({ status }) => status === 'fail').map(({ id, first }) => [id, first?.message]);
}

describe('a late answer about an operation of a message', () => {
  test.each([
    ['in the process that asked', false],
    ['in another process', true],
  ])('permits no later operation whose grant has expired meanwhile, %s', async (_, isResumed) => {
    const { runtime, decided, text } = await answeredLate(2_000, isResumed);
    expect(decided).toEqual([
      ['REQUIRES_APPROVAL', ASKED_AT],
      ['AUTHORIZED', ANSWERED_AT],
      ['grant_expired', ANSWERED_AT],
    ]);
    expect(await failures(runtime, text)).toEqual([]);
  });

  test('permits a later operation whose grant is still valid', async () => {
    const { runtime, decided, text } = await answeredLate(6_000);
    expect(decided.slice(1)).toEqual([
      ['AUTHORIZED', ANSWERED_AT],
      ['AUTHORIZED', ANSWERED_AT],
    ]);
    expect(await failures(runtime, text)).toEqual([]);
  });
});
