import { afterEach, describe, expect, test } from 'vitest';
import type { LedgerRecord } from '../../core/index.ts';
import type { StampedEvent } from '../../core/telemetry/event.ts';
import { toOtlp } from '../../core/telemetry/otlp.ts';
import type { OpenQuestion, Run, Runtime, RuntimeOptions } from '../../workers/api.ts';
import { defineTool, fromScript, type NodeOptions } from '../../workers/node.ts';
import { emptyLog, type MemoryLog } from '../../workers/store/memory/store.ts';
import { makePasskey, ORIGIN } from '../authenticator.ts';
import { openAt, openRuntime } from './shared.ts';

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

const OPTIONS = {
  tools: [send],
  grants: [
    { capability: 'mail.send', mode: 'ask', uses: 2 },
    { capability: 'mail.send', mode: 'deny', where: WHERE },
  ],
} satisfies RuntimeOptions;

async function opened(more: NodeOptions = {}): Promise<Runtime> {
  open = await openRuntime({ ...OPTIONS, ...more });
  return open;
}

async function asked(run: Run): Promise<OpenQuestion> {
  await expect.poll(() => run.view.pending).toBeDefined();
  return run.view.pending as OpenQuestion;
}

const receipts = (records: readonly LedgerRecord[]): unknown[] =>
  records.flatMap(({ kind, body }) => (kind === 'receipt' ? [body.evidence.reason?.code ?? 'SUCCESS'] : []));

async function faultsOf(runtime: Runtime, run_id: string): Promise<readonly { readonly status: string }[]> {
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
    expect(seen[1]).toMatchObject({
      kind: 'observation',
      call: { name: 'mail.send', args: '{"text":"hi","to":"ada"}' },
    });
    expect(JSON.parse((seen[1] as { content: string }).content)).toMatchObject({
      status: 'error',
      details: {
        code: 'replaced',
        instead: {
          step: 2,
          changed: [{ pointer: '/to', value: 'bob' }],
          outcome: { status: 'success', result: 'sent' },
        },
      },
    });
    expect(seen.length).toBe(2);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });

  test('is traced as a call of the person, for which no model was asked', async () => {
    const runtime = await opened();
    const model = fromScript([mail('ada', 'hi'), done]);
    const run = runtime.start({ dialect: 'xct', task: 'Mail Ada.', model });
    const events: StampedEvent[] = [];
    const listening = (async () => {
      for await (const event of run.telemetry()) events.push(event);
    })();
    const { digest } = await asked(run);
    const instead = await run.edit(digest, { to: 'bob', text: 'hi' });
    await run.answer(digest, { approved: true, instead });
    await run.result;
    await listening;
    const received = events.flatMap(({ event }) => (event.event_type === 'protocol_received' ? [event.by] : []));
    expect(received).toEqual([undefined, 'person', undefined]);
    const names = toOtlp(events).traces.resourceSpans[0].scopeSpans[0].spans.map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('chat'))).toEqual(['chat script', 'chat script']);
    expect(names.filter((name) => name === 'sallyport.step').length).toBe(3);
  });

  test('tells the model what came of the person’s call where that failed', async () => {
    const runtime = await opened();
    const session = runtime.openSession({ questions: 'wait' });
    const calling = session.call('mail.send', { to: 'ada', text: 'hi' });
    const { digest } = await asked(session.run);
    const instead = await session.run.edit(digest, { to: 'ada', text: 'fail' });
    await session.run.answer(digest, { approved: true, instead });
    expect(await calling).toMatchObject({
      ok: false,
      refusal: {
        code: 'replaced',
        details: { instead: { step: 2, outcome: { status: 'error', details: { code: 'host_failed' } } } },
      },
    });
    expect(sent.length).toBe(1);
    const next = session.call('mail.send', { to: 'ada', text: 'hi' });
    await session.run.answer((await asked(session.run)).digest, { approved: true });
    expect(await next).toMatchObject({ ok: true, value: 'sent' });
    await session.close();
    expect(await faultsOf(runtime, session.run.id)).toEqual([]);
  });

  test('stays open where an edit is refused, with the reason', async () => {
    const runtime = await opened();
    const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([mail('ada', 'hi'), done]) });
    const question = await asked(run);
    const { digest } = question;
    const refused: readonly (readonly [unknown, object])[] = [
      [
        { to: 'ada', text: 'x'.repeat(21) },
        { code: 'arguments_schema', details: { issues: [{ pointer: '/text' }] } },
      ],
      [{ to: 'ada' }, { code: 'arguments_schema' }],
      [{ to: 'eve', text: 'hi' }, { code: 'grant_denied' }],
      [['ada'], { code: 'wrong_type' }],
      [{ to: 'ada', text: 'hi' }, { code: 'edit_unavailable' }],
    ];
    for (const [args, reason] of refused) {
      await expect(run.edit(digest, args as never), JSON.stringify(args)).rejects.toMatchObject(reason);
      const instead = { args: JSON.stringify(args), digest };
      await expect(run.answer(digest, { approved: true, instead })).rejects.toMatchObject(reason);
    }
    const edited = await run.edit(digest, { to: 'bob', text: 'hi' });
    const other = { args: edited.args, digest: '0'.repeat(64) };
    for (const [answer, code] of [
      [{ approved: true, instead: other }, 'edit_stale'],
      [{ approved: true, instead: { ...edited, args: '{' } }, 'json_syntax'],
      [{ approved: true, instead: edited, standing: { args: 'any' } }, 'option_invalid'],
      [{ approved: true, instead: edited, via: 'authorizer' }, 'option_invalid'],
      [{ approved: true, instead: {} }, 'option_invalid'],
    ] as const)
      await expect(run.answer(digest, answer as never), code).rejects.toMatchObject({ code });
    await expect(run.edit(edited.digest, {})).rejects.toMatchObject({ code: 'question_unknown' });
    expect(run.view.pending).toEqual(question);
    expect(sent).toEqual([]);
    await run.answer(digest, { approved: true });
    expect(await run.result).toMatchObject({ state: 'completed', steps: 2 });
    expect(sent).toEqual([{ to: 'ada', text: 'hi' }]);
    await expect(run.edit(digest, {})).rejects.toMatchObject({ code: 'question_answered' });
  });

  test('takes the first of two answers', async () => {
    const runtime = await opened();
    const run = runtime.start({
      dialect: 'xct',
      task: 'Mail.',
      model: fromScript([mail('ada', 'hi'), mail('ada', 'again'), done]),
    });
    const { digest } = await asked(run);
    const instead = await run.edit(digest, { to: 'bob', text: 'hi' });
    const said = await Promise.allSettled([
      run.answer(digest, { approved: true, instead }),
      run.answer(digest, { approved: true, instead }),
      run.answer(digest, { approved: true }),
    ]);
    const late = said.filter(({ status }) => status === 'rejected');
    expect(late).toMatchObject(Array.from({ length: 2 }, () => ({ reason: { code: 'question_answered' } })));
    await expect.poll(() => run.view.pending?.digest).not.toBe(digest);
    // of two uses one is left, whatever was replaced
    await run.answer((await asked(run)).digest, { approved: true });
    await run.result;
    expect(sent.length).toBe(2);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });

  test('is asked of the authorizer, whose no leaves the question open', async () => {
    const asks: string[] = [];
    const runtime = await opened({
      authorizer: {
        id: 'rules',
        authorize: async ({ args }) => {
          asks.push(args);
          return args.includes('mallory') ? { allow: false, reason: 'not her' } : { allow: true };
        },
      },
    });
    const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([mail('ada', 'hi'), done]) });
    const { digest } = await asked(run);
    const wrong = await run.edit(digest, { to: 'mallory', text: 'hi' });
    await expect(run.answer(digest, { approved: true, instead: wrong })).rejects.toMatchObject({
      code: 'authorizer_denied',
    });
    await run.answer(digest, { approved: true, instead: await run.edit(digest, { to: 'bob', text: 'hi' }) });
    await run.result;
    expect(sent).toEqual([{ to: 'bob', text: 'hi' }]);
    expect(asks.length).toBe(3);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });
});

test('a passkey signs the edited call: a signature of the first one does not count', async () => {
  const ada = await makePasskey();
  const by = [{ name: 'Ada', key: ada.key, origin: ORIGIN }];
  const runtime = await opened({ grants: [{ capability: 'mail.send', mode: 'ask', signed: { by } }] });
  const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([mail('ada', 'hi'), done]) });
  const { digest, capability_hash: definition } = await asked(run);
  const instead = await run.edit(digest, { to: 'bob', text: 'hi' });
  const other = await run.edit(digest, { to: 'mallory', text: 'hi' });
  expect(instead).toMatchObject({ signed: { by, of: 1 } });
  const signs = (of: string) => ada.sign({ digest: of, definition, answer: 'once' });
  await expect(run.answer(digest, { approved: true, instead })).rejects.toMatchObject({ code: 'assertion_missing' });
  for (const wrong of [digest, other.digest])
    await expect(
      run.answer(digest, { approved: true, instead, signed: await signs(wrong) }),
      wrong,
    ).rejects.toMatchObject({ code: 'assertion_challenge' });
  // nor is a signature of the edited call one of the first
  await expect(run.answer(digest, { approved: true, signed: await signs(instead.digest) })).rejects.toMatchObject({
    code: 'assertion_challenge',
  });
  expect(run.view.pending?.digest).toBe(digest);
  expect(sent).toEqual([]);
  await run.answer(digest, { approved: true, instead, signed: await signs(instead.digest) });
  expect(await run.result).toMatchObject({ state: 'completed' });
  expect(sent).toEqual([{ to: 'bob', text: 'hi' }]);
  expect(await faultsOf(runtime, run.id)).toEqual([]);
});

test('an `approve` says yes to an edited call', async () => {
  const runs: Run[] = [];
  const runtime = await opened({
    approve: async ({ digest, args }) => {
      const edited = await runs[0]?.edit(digest, { ...JSON.parse(args), text: 'edited' });
      return edited === undefined ? { approved: false, reason: 'no run' } : { approved: true, instead: edited };
    },
  });
  const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([mail('ada', 'hi'), done]) });
  runs.push(run);
  expect(await run.result).toMatchObject({ state: 'completed' });
  expect(sent).toEqual([{ to: 'ada', text: 'edited' }]);
  const records = await runtime.ledger.records(run.id);
  expect(receipts(records)).toEqual(['replaced', 'SUCCESS', 'SUCCESS']);
  expect(await faultsOf(runtime, run.id)).toEqual([]);
});

test('an `approve` whose edit does not count has denied the call', async () => {
  const runtime = await opened({
    approve: async ({ args }) => ({
      approved: true,
      instead: { args: args.replace('hi', 'x'), digest: '0'.repeat(64) },
    }),
  });
  const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript([mail('ada', 'hi'), done]) });
  await run.result;
  expect(sent).toEqual([]);
  expect(receipts(await runtime.ledger.records(run.id))).toEqual(['approval_failed', 'SUCCESS']);
});

/** The log as a process leaves it that dies behind its write of this number. */
function cut(log: MemoryLog, writes: number): MemoryLog {
  const tables = { kept: new Map(log.tables.kept), files: new Map(), symbols: new Map() };
  return { batches: log.batches.slice(0, writes), tables };
}

const search = defineTool({
  name: 'mail.search',
  version: '1.0.0',
  description: 'Searches.',
  effect: 'read',
  args: {},
  run: () => [{ from: 'ada', text: 'secret' }],
});

const HANDLES = [
  { next_step: { tool: 'mail.search', arguments: {}, goal: 'find' } },
  {
    next_step: {
      tool: 'mail.send',
      arguments: { to: { $held: 'h1', at: '/0/from' }, text: { $held: 'h1', at: '/0/text' } },
      goal: 'send',
    },
  },
  done,
];

const DYING: readonly (readonly [string, RuntimeOptions, readonly object[]])[] = [
  ['its texts are in exports', OPTIONS, [mail('ada', 'hi'), done]],
  // exports leave the texts of these out
  [
    'its arguments are secret',
    { ...OPTIONS, tools: [{ ...send, ...{ secret: ['args'] } }] },
    [mail('ada', 'hi'), done],
  ],
  [
    'its arguments are held',
    {
      tools: [search, send],
      grants: [
        { capability: 'mail.search', mode: 'allow' },
        { capability: 'mail.send', mode: 'ask', uses: 1 },
      ],
      hold: 'untrusted',
    },
    HANDLES,
  ],
];

test.each(DYING)('an edited call runs once, behind whatever write the process dies: %s', async (_, options, script) => {
  const log = emptyLog();
  const clock = { now: Date.now() };
  const first = await openAt(clock, options, log);
  const run = first.start({ dialect: 'xct', task: 'Mail.', model: fromScript(script) });
  const { digest } = await asked(run);
  const [before] = [log.batches.length];
  const instead = await run.edit(digest, { to: 'bob', text: 'hi' });
  await run.answer(digest, { approved: true, instead });
  await run.result;
  const ends: unknown[] = [];
  for (let writes = before; writes < log.batches.length; writes++) {
    sent.length = 0;
    clock.now += 1000;
    const next = await openAt(clock, options, cut(log, writes));
    const known = await next.ledger.records(run.id);
    const again = await next.resume(run.id, fromScript([done]));
    await expect.poll(() => ['IDLE', 'AWAITING_APPROVAL'].includes(again.view.phase)).toBe(true);
    const { pending } = again.view;
    if (pending !== undefined) {
      expect(pending.digest).toBe(digest);
      expect((await again.edit(digest, { to: 'bob', text: 'hi' })).digest).toBe(instead.digest);
      await again.answer(digest, { approved: true, instead });
    }
    await again.run();
    await again.result;
    const isBegun = known.some(({ kind, body }) => kind === 'intent' && body.capability === 'mail.send');
    expect(sent).toEqual(isBegun ? [] : [{ to: 'bob', text: 'hi' }]);
    const records = await next.ledger.records(run.id);
    ends.push([...new Set(receipts(records).slice(script.length - 2))].join(' '));
    expect((await faultsOf(next, run.id)).filter(({ status }) => status === 'fail')).toEqual([]);
    if (options === OPTIONS) expect(await faultsOf(next, run.id)).toEqual([]);
    await next.close();
  }
  // asked again; replaced, and the person's call not begun; begun, and its outcome unknown; and behind its receipt
  expect(ends.slice(0, 4)).toEqual([
    'replaced SUCCESS',
    'replaced SUCCESS',
    'replaced interrupted SUCCESS',
    'replaced SUCCESS',
  ]);
  await first.close();
});

describe('a call with held values that a person edits', () => {
  test('is held as before, and the model is told of changed places without their values', async () => {
    const runtime = await opened({
      tools: [search, send],
      grants: [
        { capability: 'mail.search', mode: 'allow' },
        { capability: 'mail.send', mode: 'ask', uses: 1 },
      ],
      hold: 'untrusted',
    });
    const seen: string[] = [];
    const model = fromScript(HANDLES);
    const run = runtime.start({
      dialect: 'xct',
      task: 'Mail.',
      model: {
        ...model,
        propose: (request, io) => {
          seen.push(request.messages.map(({ content }) => content).join('\n'));
          return model.propose(request, io);
        },
      },
    });
    const question = await asked(run);
    expect(question).toMatchObject({ args: '{"text":"secret","to":"ada"}', held: true, editable: true });
    await expect(run.edit(question.digest, { to: { $held: 'h1' }, text: 'x' } as never)).rejects.toMatchObject({
      code: 'held_place',
    });
    const edited = await run.edit(question.digest, { to: 'bob', text: 'secret' });
    expect(edited).toMatchObject({ carries: [{ pointer: '/text' }, { pointer: '/to' }] });
    await run.answer(question.digest, { approved: true, instead: edited });
    await run.result;
    expect(sent).toEqual([{ to: 'bob', text: 'secret' }]);
    const told = seen.at(-1) ?? '';
    expect(told).toContain('"changed":[{"changed":true,"pointer":"/to"}],"outcome":{"result":{"$held":"h3"}');
    expect(told).not.toMatch(/bob|secret|"ada"/);
    const records = await runtime.ledger.records(run.id);
    expect(receipts(records)).toEqual(['SUCCESS', 'replaced', 'SUCCESS', 'SUCCESS']);
    expect(await faultsOf(runtime, run.id)).toEqual([]);
  });

  test('has the same telemetry, however long its values are', async () => {
    const told: unknown[] = [];
    for (const value of ['short', 'nearly 20 characters']) {
      const runtime = await openRuntime({
        tools: [{ ...search, run: () => [{ from: 'ada', text: value }] }, send],
        grants: [
          { capability: 'mail.search', mode: 'allow' },
          { capability: 'mail.send', mode: 'ask' },
        ],
        hold: 'untrusted',
      });
      const run = runtime.start({ dialect: 'xct', task: 'Mail.', model: fromScript(HANDLES) });
      const events: unknown[] = [];
      const listening = (async () => {
        for await (const { event } of run.telemetry()) events.push({ ...event, execution_id: '' });
      })();
      const { digest } = await asked(run);
      const instead = await run.edit(digest, { to: 'bob', text: value });
      await run.answer(digest, { approved: true, instead });
      await run.result;
      await listening;
      told.push(events);
      await runtime.close();
    }
    expect(told[1]).toEqual(told[0]);
  });

  test('tells the caller of a session nothing of its answer', async () => {
    const runtime = await opened({
      tools: [
        search,
        {
          ...send,
          run: (args, { record }) => {
            record?.({ answer: { echo: args } });
            return args;
          },
        },
      ],
      grants: [
        { capability: 'mail.search', mode: 'allow' },
        { capability: 'mail.send', mode: 'ask' },
      ],
      hold: 'untrusted',
    });
    const session = runtime.openSession({ questions: 'wait' });
    await session.call('mail.search', {});
    const calling = session.call('mail.send', { to: 'ada', text: { $held: 'h1', at: '/0/text' } });
    const { digest } = await asked(session.run);
    const instead = await session.run.edit(digest, { to: 'bob', text: 'secret' });
    await session.run.answer(digest, { approved: true, instead });
    const called = await calling;
    expect(called).toEqual({
      ok: false,
      refusal: expect.objectContaining({ code: 'replaced' }),
      labels: [],
      receipt: { run_id: session.run.id, step_id: expect.any(String) },
    });
    expect(JSON.stringify(called)).not.toContain('secret');
    await session.close();
  });
});
