import { afterEach, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { NodeOptions } from '../../workers/node.ts';
import { defineTool, fromScript } from '../../workers/node.ts';
import type { OpenQuestion, Run, Runtime } from '../../workers/api.ts';
import { openRuntime } from './shared.ts';

const sent: unknown[] = [];
const send = defineTool({
  name: 'mail.send',
  version: '1.0.0',
  description: 'Sends a mail.',
  effect: 'egress',
  labels: [],
  args: {
    type: 'object',
    properties: { to: { type: 'string' }, text: { type: 'string', maxLength: 20 } },
    required: ['to', 'text'],
    additionalProperties: false,
  },
  run: (args) => {
    sent.push(args);
    if (args.text === 'fail') throw new Error('no server');
    return 'sent';
  },
});

const WHERE = { type: 'object', properties: { to: { const: 'eve' } } } as const;
const mail = (to: string, text: string): object => ({
  next_step: { tool: 'mail.send', arguments: { to, text }, goal: 'send' },
});
const done = { done: true, message: 'done' };

let open: Runtime | undefined;
afterEach(async () => {
  sent.length = 0;
  await open?.close();
});

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({
    tools: [send],
    grants: [
      { capability: 'mail.send', mode: 'ask', uses: 2 },
      { capability: 'mail.send', mode: 'deny', where: WHERE },
    ],
    ...more,
  });
  return open;
}

async function asked(run: Run): Promise<OpenQuestion> {
  await expect.poll(() => run.view.pending).toBeDefined();
  return run.view.pending as OpenQuestion;
}

const receipts = (records: readonly LedgerRecord[]): unknown[] =>
  records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.evidence.reason?.code ?? 'SUCCESS'] : []));

async function faultsOf(runtime: Runtime, run_id: string): Promise<unknown[]> {
  const text = await runtime.ledger.export(run_id);
  const { checks } = await runtime.ledger.check(text, { replay: true });
  return checks.filter(({ id, status }) => status !== 'pass' && id !== 'anchor');
}

describe('a call that a person approves with a change', () => {
  test('runs once, with the edited arguments, as a step of the person', async () => {
    const runtime = await opened();
    const seen: unknown[] = [];
    const model = fromScript([mail('ada', 'hi'), done]);
    const run = runtime.start({
      dialect: 'xct',
      task: 'Mail Ada.',
      model: { ...model, propose: (request, io) => (seen.push(request.messages.at(-1)), model.propose(request, io)) },
    });
    const question = await asked(run);
    expect(question.editable).toBe(true);
    const edited = await run.edit(question.digest, { to: 'bob', text: 'hi' });
    expect(edited).toMatchObject({
      args: '{"text":"hi","to":"bob"}',
      changed: [{ pointer: '/to', before: 'ada', after: 'bob' }],
    });
    expect(edited.digest).not.toBe(question.digest);
    expect(run.view.pending).toEqual(question);
    await run.answer(question.digest, { approved: true, instead: edited, via: 'gesture' });
    expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
    expect(sent).toEqual([{ to: 'bob', text: 'hi' }]);
    const records = await runtime.ledger.records(run.id);
    expect(receipts(records)).toEqual(['replaced', 'SUCCESS', 'SUCCESS']);
    console.log(records.map(({ kind, body }) => kind + ' ' + JSON.stringify(body)).slice(1, 14).join('\n'));
    console.log(seen[1]);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });
});
