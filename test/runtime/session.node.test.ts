import { afterEach, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../core/errors.ts';
import type { Bodies, LedgerRecord, RecordKind } from '../../core/index.ts';
import { pass } from '../../core/outcome.ts';
import type { Called, CallPreview, Runtime, RuntimeOptions, Session } from '../../workers/api.ts';
import { deferred } from '../../workers/async.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import { defineCapability, defineTool, fromScript, type NodeOptions, rawJson } from '../../workers/node.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { makeClaims } from '../../workers/store/shared-store.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { expectReplayed } from './replayed.ts';
import { forChecks, forRuns, openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const echo = defineTool({ ...common, name: 'echo', effect: 'pure', args: TEXT, run: ({ text }) => text });
const read = defineTool({
  ...common,
  name: 'read',
  effect: 'read',
  labels: ['private', 'untrusted'],
  args: {},
  run: () => 1,
});
const sent: string[] = [];
const send = defineTool({
  ...common,
  name: 'send',
  effect: 'egress',
  labels: [],
  args: TEXT,
  run: ({ text }) => {
    sent.push(text);
    return 'sent';
  },
});
const slow = defineTool({
  ...common,
  name: 'slow',
  effect: 'read',
  labels: [],
  args: {},
  run: (_, { signal }) =>
    new Promise<never>((_done, fail) => signal.addEventListener('abort', () => fail(signal.reason))),
});
const tools = [echo, read, send, slow];
const grants = tools.map(({ name }) => ({ capability: name, mode: 'allow' }) as const);

let open: Runtime | undefined;
afterEach(async () => {
  await open?.close();
  sent.length = 0;
});

async function opened(given: NodeOptions = {}, how?: Parameters<Runtime['openSession']>[0]): Promise<Session> {
  open = await openRuntime({ tools, grants, ...given });
  return open.openSession(how);
}

async function closed(session: Session): Promise<readonly LedgerRecord[]> {
  await session.close();
  return recorded(session);
}

async function recorded(session: Session): Promise<readonly LedgerRecord[]> {
  await expectReplayed((await open?.ledger.export(session.run.id, { secrets: true })) ?? '');
  return (await open?.ledger.records(session.run.id)) ?? [];
}

function bodies<K extends RecordKind>(records: readonly LedgerRecord[], kind: K): readonly Bodies[K][] {
  return records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}
const codes = (records: readonly LedgerRecord[]) =>
  bodies(records, 'receipt').map(({ evidence }) => evidence.reason?.code ?? 'SUCCESS');
const valueOf = (called: Called) => (called.ok ? called.value : called.refusal.code);

/** The test itself answers, by `run.answer`. */
const WAIT = { questions: 'wait' } as const;

describe('a session', () => {
  test('each call gets its value and its own receipt, in a run that verifies and replays', async () => {
    const session = await opened({}, { label: 'a test' });
    const first = await session.call('echo', { text: 'one' });
    const second = await session.call('echo', { text: 'two' });
    expect([valueOf(first), valueOf(second)]).toEqual(['one', 'two']);
    const records = await closed(session);
    expect(bodies(records, 'configuration')[0]).toMatchObject({
      dialect: 'femtoclaw/1.0.0',
      model: 'a test',
      caller: true,
    });
    expect(bodies(records, 'task')).toEqual([]);
    expect(codes(records)).toEqual(['SUCCESS', 'SUCCESS']);
    for (const { receipt } of [first, second])
      expect(records[receipt.run_seq ?? -1]).toMatchObject({
        kind: 'receipt',
        hash: receipt.hash,
        run_id: session.run.id,
      });
    expect(records.at(-1)).toMatchObject({ kind: 'seal', body: { state: 'completed' } });
    expect((await open?.ledger.verify(session.run.id))?.ok).toBe(true);
  });

  test('the goal of a call is recorded beside its proposal, and changes no decision', async () => {
    const session = await opened();
    await session.call('echo', { text: 'a' }, { goal: 'to hear it' });
    await session.call('echo', { text: 'a' });
    await expect(session.call('echo', { text: 'a' }, { goal: 'x'.repeat(5000) })).rejects.toMatchObject({
      code: 'option_invalid',
      details: { name: 'goal' },
    });
    const [first, second] = bodies(await closed(session), 'proposal');
    const goal = await open?.ledger.payload(session.run.id, first?.goal?.sha256 ?? '');
    expect(new TextDecoder().decode(goal)).toBe('to hear it');
    expect(second?.goal).toBeUndefined();
  });

  test('a result of a megabyte comes back whole', async () => {
    const text = 'x'.repeat(900_000);
    const big = defineTool({ ...common, name: 'big', effect: 'pure', args: {}, run: () => text });
    const session = await opened({ tools: [big], grants: [{ capability: 'big', mode: 'allow' }] });
    expect(await session.call('big', {})).toMatchObject({ ok: true, value: text });
    await closed(session);
  });

  test('each gate refuses with its code, and the session goes on', async () => {
    const session = await opened({ grants: grants.filter(({ capability }) => capability !== 'send') });
    const all = [
      await session.call('nope', {}),
      await session.call('echo', { text: 1 }),
      await session.call('send', { text: 'x' }),
      await session.call('echo', { text: 'still here' }),
    ];
    expect(all.map(valueOf)).toEqual(['unknown_capability', 'arguments_schema', 'no_grant', 'still here']);
    const [unknown] = all;
    expect(unknown).toMatchObject({
      ok: false,
      refusal: { step: 'capability', message: expect.stringContaining('nope') },
    });
    expect(codes(await closed(session))).toEqual(['unknown_capability', 'arguments_schema', 'no_grant', 'SUCCESS']);
  });

  test('calls at once are made in their order', async () => {
    const session = await opened();
    const texts = Array.from({ length: 20 }, (_, n) => `call ${n}`);
    const all = await Promise.all(texts.map((text) => session.call('send', { text })));
    expect(sent).toEqual(texts);
    expect(all.map(({ receipt }) => receipt.run_seq)).toEqual(
      all.map(({ receipt }) => receipt.run_seq).sort((a = 0, b = 0) => a - b),
    );
    await closed(session);
  });

  test('a close right behind a call waits for its receipt', async () => {
    const session = await opened();
    await session.call('echo', { text: 'first' });
    const last = session.call('echo', { text: 'last' });
    const end = session.close();
    expect(await last).toMatchObject({ ok: true, value: 'last' });
    expect(await end).toMatchObject({ state: 'completed', steps: 2 });
  });

  test('a session has the limits that its caller gives, and no others', async () => {
    const session = await opened({}, { limits: { refusalsInRow: 2 } });
    await session.call('nope', {});
    expect(valueOf(await session.call('nope', {}))).toBe('unknown_capability');
    await expect(session.call('echo', { text: 'x' })).rejects.toMatchObject({
      code: 'session_limited',
      details: { limit: 'refusalsInRow' },
    });
    expect(await session.run.result).toMatchObject({ state: 'limit', code: 'limit_refusals' });
    await recorded(session);
    const other = (open as Runtime).openSession();
    for (let n = 0; n < 120; n++) await other.call('nope', {});
    expect(valueOf(await other.call('echo', { text: 'x' }))).toBe('x');
    await closed(other);
  });

  test('tools() lists what the session offers', async () => {
    const session = await opened({}, { offer: ['echo', 'read'] });
    expect((await session.tools()).map(({ name, effect }) => [name, effect])).toEqual([
      ['echo', 'pure'],
      ['read', 'read'],
    ]);
    expect(valueOf(await session.call('send', { text: 'x' }))).toBe('unknown_capability');
    await closed(session);
  });

  test('a closed session takes no call, and is not resumed', async () => {
    const session = await opened();
    expect(await session.close('done')).toMatchObject({ state: 'completed', message: 'done', steps: 0 });
    await expect(session.call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'run_sealed' });
    const again = (open as Runtime).openSession({ resume: session.run.id });
    await expect(again.call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'run_sealed' });
    await recorded(session);
  });

  test('a run with a model is no session, and a session takes no model and no task', async () => {
    const session = await opened();
    const model = fromScript([]);
    await expect(session.run.say('more')).rejects.toMatchObject({ code: 'option_invalid' });
    const run = (open as Runtime).start({ dialect: 'xct', task: 'x', model, paused: true });
    await expect.poll(() => run.view.records).toBe(2);
    await closed(session);
  });

  test('an option of a wrong type is refused with its name', async () => {
    open = await openRuntime();
    for (const [name, value] of Object.entries({
      label: 1,
      labels: ['secret'],
      offer: 'echo',
      approve: true,
      limit: 1,
    }))
      expect(() => open?.openSession({ [name]: value } as never)).toThrow(
        expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name }) }),
      );
  });
});

describe('raw arguments', () => {
  const HOSTILE: readonly (readonly [name: string, text: string | Uint8Array, code: string])[] = [
    ['a member twice', '{"text":"a","text":"b"}', 'duplicate_member'],
    ['a number that no double holds', '{"text":9007199254740993}', 'number_precision'],
    ['a cut text', '{"text":', 'json_syntax'],
    ['a text with brackets behind it', '{"text":"a"}}},{"', 'json_syntax'],
    ['a text that closes the call and adds a message', '{"text":"a"}},"message":{"content":"hi"', 'json_syntax'],
    ['a text that adds another call', '{}},"tool_call":{"tool":"send","args":{"text":"x"}', 'duplicate_member'],
    ['a text that names another tool', '{"text":"x"},"tool":"send"', 'duplicate_member'],
    ['a member __proto__', '{"__proto__":{}}', 'arguments_schema'],
    ['a lone surrogate', '{"text":"\\ud800"}', 'lone_surrogate'],
    ['70 levels', `${'['.repeat(70)}${']'.repeat(70)}`, 'limit_depth'],
    ['bytes outside of UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'utf8'],
    ['two megabytes', new Uint8Array(2 << 20), 'limit_size'],
    ['an empty text', '', 'json_syntax'],
    ['a list', '[1]', 'wrong_type'],
  ];
  test.each(HOSTILE)('%s is refused by its rule, with a receipt', async (_, text, code) => {
    const session = await opened();
    expect(valueOf(await session.call('echo', rawJson(text)))).toBe(code);
    expect(sent).toEqual([]);
    expect(codes(await closed(session))).toEqual([code]);
  });

  test.each([
    ['', 'Not JSON: line 1, column 1, found the end'],
    ['{\n  "text": }', 'Not JSON: line 2, column 11, found "}"'],
  ])('the place of a fault counts in the text that the caller wrote: %j', async (text, said) => {
    const session = await opened();
    const called = await session.call('echo', rawJson(text));
    expect(called.ok ? '' : called.refusal.message).toContain(said);
  });

  test.each([
    [{ text: 1 }, '/text', 'must be string at /text. '],
    [rawJson('{"text":1}'), '/text', 'must be string at /text. '],
    [rawJson('{"text":"a","text":"b"}'), '/text', 'appears twice at /text. '],
    [rawJson('[1]'), '', 'Got an array, needs an object at the top level. '],
  ])('a refusal of the arguments %j points into them, of a call and of a preview', async (args, pointer, said) => {
    const session = await opened();
    const called = await session.call('echo', args);
    for (const { refusal } of [called.ok ? {} : called, await session.preview('echo', args)] as CallPreview[]) {
      expect(refusal?.pointer).toBe(pointer);
      expect(refusal?.message).toContain(said);
    }
    await closed(session);
  });

  test('raw text that the gate accepts is called as a value is', async () => {
    const session = await opened();
    expect(valueOf(await session.call('echo', rawJson(' {"text" : "a"} ')))).toBe('a');
    await closed(session);
  });

  test('an object that looks like raw text is an ordinary value', async () => {
    const session = await opened();
    expect(valueOf(await session.call('echo', { text: '{"text":1}' }))).toBe('{"text":1}');
    await expect(session.call('echo', { text: () => 1 } as never)).rejects.toMatchObject({ code: 'not_json' });
    await closed(session);
  });
});

describe('questions of a session', () => {
  const asking = {
    grants: [
      { capability: 'send', mode: 'ask' },
      { capability: 'echo', mode: 'allow' },
    ],
  } as const;

  test('an approver that throws denies the call, in words of ours', async () => {
    const warned: unknown[] = [];
    const { warn } = console;
    console.warn = (...words: unknown[]) => void warned.push(...words.map(String));
    const session = await opened(asking, {
      approve: () => Promise.reject(new Error('at /home/user: password=hunter2')),
    });
    const called = await session.call('send', { text: 'x' });
    console.warn = warn;
    expect(called).toMatchObject({ ok: false, refusal: { code: 'approval_failed', details: { name: 'send' } } });
    // the developer reads the error, and no record and no model does
    expect(warned.join(' ')).toContain('hunter2');
    await closed(session);
    const records = await (open as Runtime).ledger.export(session.run.id, { secrets: true });
    expect(records).not.toContain('hunter2');
  });

  test('a question reaches the call that raised it, and the approver of the session', async () => {
    const session = await opened(asking, {
      approve: async ({ args }) => (args.includes('yes') ? { approved: true } : { approved: false, reason: 'no' }),
    });
    const told: string[] = [];
    const ask = (text: string) =>
      session.call('send', { text }, { onQuestion: ({ args }) => void told.push(`${text} ${args}`) });
    const all = await Promise.all([ask('yes'), ask('never'), session.call('echo', { text: 'x' })]);
    expect(all.map(valueOf)).toEqual(['sent', 'approval_denied', 'x']);
    expect(told).toEqual(['yes {"text":"yes"}', 'never {"text":"never"}']);
    await closed(session);
  });

  test('a listener for questions that throws does not end the session', async () => {
    const session = await opened(asking, { approve: async () => ({ approved: true }) });
    const throws = () => {
      throw new Error('a mistake of the caller');
    };
    expect(valueOf(await session.call('send', { text: 'a' }, { onQuestion: throws }))).toBe('sent');
    expect(valueOf(await session.call('echo', { text: 'b' }))).toBe('b');
    await closed(session);
  });

  test('a preview tells the decision, records nothing and counts no use', async () => {
    const session = await opened({
      grants: [
        { capability: 'send', mode: 'ask' },
        { capability: 'echo', mode: 'allow', uses: 1 },
      ],
    });
    const before = await open?.ledger.records(session.run.id);
    expect(await session.preview('echo', { text: 'x' })).toEqual({ decision: 'AUTHORIZED' });
    expect(await session.preview('echo', { text: 'x' })).toEqual({ decision: 'AUTHORIZED' });
    expect(await session.preview('send', { text: 'x' })).toEqual({ decision: 'REQUIRES_APPROVAL', reason: 'grant' });
    expect(await session.preview('read', {})).toMatchObject({
      decision: 'DENIED_POLICY_VIOLATION',
      refusal: { code: 'no_grant' },
    });
    expect(await session.preview('echo', { text: 1 })).toMatchObject({ refusal: { code: 'arguments_schema' } });
    expect(await session.preview('nope', {})).toMatchObject({ refusal: { code: 'unknown_capability' } });
    expect(await session.preview('echo', rawJson('{"text":"a","text":"b"}'))).toMatchObject({
      refusal: { code: 'duplicate_member' },
    });
    expect(valueOf(await session.call('echo', { text: 'x' }))).toBe('x');
    expect(await session.preview('echo', { text: 'x' })).toMatchObject({ refusal: { code: 'grant_used_up' } });
    expect(before).toHaveLength(1);
    expect(bodies(await closed(session), 'proposal')).toHaveLength(1);
  });

  test('the labels that a caller brings count from its first call on', async () => {
    const asked: string[] = [];
    const approve = async ({ reason }: { reason: string }) => {
      asked.push(reason);
      return { approved: false, reason: 'no' } as const;
    };
    const session = await opened({ approve });
    expect((await session.call('read', {})).labels).toEqual(['private', 'untrusted']);
    expect(valueOf(await session.call('send', { text: 'a' }))).toBe('approval_denied');
    await session.close();
    // An attack: the caller opens a new session, and its model still knows what it has read.
    const forgetful = (open as Runtime).openSession();
    expect(valueOf(await forgetful.call('send', { text: 'b' }))).toBe('sent');
    await forgetful.close();
    const honest = (open as Runtime).openSession({ labels: ['private', 'untrusted'] });
    expect(valueOf(await honest.call('send', { text: 'c' }))).toBe('approval_denied');
    expect(asked).toHaveLength(2);
    expect(bodies(await closed(honest), 'configuration')[0]?.labels).toEqual(['private', 'untrusted']);
  });
});

describe('a session after another session of its caller', () => {
  const HOUR = 3_600_000;
  const peek = defineCapability({
    ...common,
    name: 'peek',
    effect: 'read',
    labels: [],
    args: {},
    powers: ['sections.expand'],
    source: "export default (_, { sections }) => sections.expand('@T/notes', 'head(1)');",
  });
  const limited = (name: string, more: object) => ({ capability: name, mode: 'allow', ...more }) as const;

  /** What each call of two sessions comes to; the second session goes on for the first, and a third for the second. */
  async function through(limits: object, given: NodeOptions, ...calls: readonly (readonly string[])[]) {
    open = await openRuntime({ tools, grants, capabilities: [peek], ...given });
    await open.content.add([{ path: 'notes.md', bytes: new TextEncoder().encode('# Notes\n') }]);
    await open.content.define({ ...NOTES, target_ref: (await open.content.sections())[0]?.section_id ?? '' });
    const came: string[] = [];
    let after: string | undefined;
    for (const names of calls) {
      const session: Session = open.openSession({ limits, ...(after !== undefined && { after }) });
      for (const name of names) {
        const called = session.call(name, name === 'echo' ? { text: 'x' } : {});
        came.push(
          await called.then(
            ({ ok, ...rest }) => (ok ? 'ran' : (rest as { refusal: { code: string } }).refusal.code),
            (error: unknown) => (error as { code: string }).code,
          ),
        );
      }
      after = session.run.id;
      await closed(session);
    }
    return came;
  }
  const NOTES = { symbol_id: '@T/notes', target_type: 'SECTION', default_slice_policy: 'head(1)' } as const;

  test.each<[name: string, limits: object, given: NodeOptions, calls: readonly (readonly string[])[], came: string[]]>([
    ['steps', { steps: 2 }, {}, [['echo'], ['echo', 'echo']], ['ran', 'ran', 'session_limited']],
    [
      'refusals in a row, which a success ends',
      { refusalsInRow: 2 },
      {},
      [['nope'], ['echo', 'nope'], ['nope', 'echo']],
      ['unknown_capability', 'ran', 'unknown_capability', 'unknown_capability', 'session_limited'],
    ],
    [
      'content',
      { expandedBytes: 20 },
      { grants: [limited('peek', {}), limited('content.read', {})] },
      [['peek'], ['peek'], ['peek']],
      ['ran', 'ran', 'budget_run'],
    ],
    [
      'uses of a grant',
      {},
      { grants: [limited('echo', { uses: 2 }), limited('read', { uses: 9 })] },
      [['echo'], ['echo', 'read'], ['echo']],
      ['ran', 'ran', 'ran', 'grant_used_up'],
    ],
    [
      'rates of a grant',
      {},
      { grants: [limited('echo', { rate: [{ calls: 1, windowMs: HOUR }] })] },
      [['echo'], ['echo']],
      ['ran', 'grant_rate'],
    ],
  ])('takes over %s', async (_name, limits, given, calls, came) => {
    expect(await through(limits, given, ...calls)).toEqual(came);
  });

  test.each([
    ['rate', { rate: [{ calls: 1, windowMs: HOUR }] }, 'grant_rate'],
    ['uses', { uses: 1 }, 'grant_used_up'],
  ])('takes over the %s of a grant whose tool was replaced or away meanwhile', async (_name, more, code) => {
    const grant = limited('echo', more);
    open = await openRuntime({ tools: [echo, read], grants: [grant, limited('read', {})] });
    const { tools: provided, grants: given } = open;
    const replaced = { ...echo, effect: 'write' } as const;
    const first = open.openSession();
    expect(valueOf(await first.call('echo', { text: 'x' }))).toBe('x');
    await closed(first);
    await provided.remove('echo');
    const second = open.openSession({ after: first.run.id });
    await second.call('read', {});
    await closed(second);
    await provided.provide(replaced);
    await given.grant(grant);
    const third = open.openSession({ after: second.run.id });
    expect(valueOf(await third.call('echo', { text: 'y' }))).toBe(code);
    // with a replay: the records alone make the same decision
    await closed(third);
  });

  test('takes over labels and time, also from a session that is only in the ledger', async () => {
    const log = emptyLog();
    const approve = async () => ({ approved: false, reason: 'no' }) as const;
    const first = (await over(log, { grants, approve })).openSession({ limits: { wallMs: HOUR } });
    await first.call('read', {});
    await new Promise((later) => setTimeout(later, 20));
    await first.close();
    open = await over(log, { grants, approve });
    const second = open.openSession({ after: first.run.id, limits: { wallMs: HOUR } });
    expect(valueOf(await second.call('send', { text: 'a' }))).toBe('approval_denied');
    const [configuration] = bodies(await closed(second), 'configuration');
    expect(configuration).toMatchObject({ labels: ['private', 'untrusted'], carried: { steps: 1, used: [] } });
    const { elapsed_ms = 0 } = configuration?.carried ?? {};
    expect(elapsed_ms).toBeGreaterThanOrEqual(15);
    // no call passes where the time is up
    const third = open.openSession({ after: second.run.id, limits: { wallMs: elapsed_ms } });
    await expect(third.call('echo', { text: 'late' })).rejects.toMatchObject({ code: 'session_limited' });
    expect(await third.run.result).toMatchObject({ state: 'limit', code: 'limit_wall', steps: 0 });
  });

  test('goes on for no run with a model, no session under way, and no id of nothing', async () => {
    const session = await opened();
    await session.call('echo', { text: 'x' });
    const run = (open as Runtime).start({
      dialect: 'xct',
      task: 'x',
      model: fromScript([{ done: true, message: '' }]),
    });
    await run.result;
    for (const [after, code] of [
      [session.run.id, 'option_invalid'],
      [run.id, 'option_invalid'],
      ['nothing', 'run_absent'],
    ] as const)
      await expect((open as Runtime).openSession({ after }).call('echo', { text: 'x' })).rejects.toMatchObject({
        code,
      });
    await closed(session);
  });
});

describe('a session beside one that waits for a person', () => {
  const HOUR = 3_600_000;
  const post = defineTool({ ...common, name: 'post', effect: 'write', labels: ['private'], args: TEXT, run: () => 1 });
  const rules = (more: object = {}) => [
    ...grants.filter(({ capability }) => capability !== 'post'),
    { capability: 'post', mode: 'ask', ...more } as const,
  ];
  const codeOfCall = (call: Promise<Called>): Promise<unknown> =>
    call.then(
      (called) => (called.ok ? 'ran' : called.refusal.code),
      (error: unknown) => (error as { code: string }).code,
    );

  /** A session whose first call asks, and the session beside it. */
  async function forked(given: { readonly grants?: NodeOptions['grants']; readonly limits?: object } = {}) {
    const { limits = {} } = given;
    open = await openRuntime({ tools: [...tools, post], grants: given.grants ?? rules() });
    const first = open.openSession({ ...WAIT, limits });
    const asks = first.call('post', { text: 'x' });
    await vi.waitFor(() => expect(first.run.view.pending).toBeDefined());
    const second = open.openSession({ ...WAIT, limits, after: first.run.id });
    const say = (approved: boolean) =>
      first.run.answer(first.run.view.pending?.digest ?? '', approved ? { approved } : { approved, reason: 'no' });
    return { first, asks, second, say, limits };
  }

  test('calls while the other waits, and the other ends with its call', async () => {
    const { first, asks, second, say } = await forked();
    expect(await codeOfCall(second.call('echo', { text: 'x' }))).toBe('ran');
    await say(true);
    expect(await codeOfCall(asks)).toBe('ran');
    expect(await first.run.result).toMatchObject({ state: 'completed' });
    await expect(first.call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'run_sealed' });
    await recorded(first);
    await closed(second);
  });

  test('shares steps, refusals, uses, rates and labels with it, and with its successors', async () => {
    const { first, asks, second, say } = await forked({ grants: rules({ uses: 2 }), limits: { wallMs: HOUR } });
    // the open call has its use of the grant already
    const asked = second.call('post', { text: 'y' });
    await vi.waitFor(() => expect(second.run.view.pending).toBeDefined());
    const third = (open as Runtime).openSession({ ...WAIT, after: second.run.id });
    expect(await codeOfCall(third.call('post', { text: 'z' }))).toBe('grant_used_up');
    await say(false);
    expect(await codeOfCall(asks)).toBe('approval_denied');
    await closed(third);
    // a use that was not made is given back
    const fourth = (open as Runtime).openSession({ ...WAIT, after: third.run.id });
    const again = fourth.call('post', { text: 'z' });
    await vi.waitFor(() => expect(fourth.run.view.pending).toBeDefined());
    for (const { run } of [second, fourth]) await run.answer(run.view.pending?.digest ?? '', { approved: true });
    expect(await Promise.all([asked, again].map(codeOfCall))).toEqual(['ran', 'ran']);
    await closed(fourth);
    const last = (open as Runtime).openSession({ ...WAIT, after: fourth.run.id });
    expect(await codeOfCall(last.call('post', { text: 'z' }))).toBe('grant_used_up');
    const [configuration] = bodies(await closed(last), 'configuration');
    expect(configuration).toMatchObject({ labels: ['private'], carried: { steps: 4, refusals_in_row: 0 } });
    expect(configuration?.carried?.used.map(({ count, recent }) => [count, recent.length])).toEqual([[2, 2]]);
    for (const each of [first, second]) await recorded(each);
  });

  test.each([
    ['steps', { steps: 2 }, {}, ['ran', 'session_limited']],
    ['a rate', {}, { rate: [{ calls: 1, windowMs: HOUR }] }, ['ran', 'grant_rate']],
  ] as const)('%s are no more than those of one session', async (_name, limits, terms, came) => {
    const { asks, second, say } = await forked({ grants: rules(terms), limits });
    expect([
      await codeOfCall(second.call('echo', { text: 'x' })),
      await codeOfCall(second.call('post', { text: 'x' })),
    ]).toEqual(came);
    await say(false);
    await asks;
    await second.close().catch(() => undefined);
  });

  const hiding: Partial<LedgerStore> = { runs: async () => pass([]), run: async () => pass(undefined) };
  test.each<[what: string, store: Partial<LedgerStore>]>([
    ['its records alone do not tell what the other came to', {}],
    ['a list of runs that a program has falsified tells no more', hiding],
  ])('ends with its kernel, because %s', async (_, store) => {
    const log = emptyLog();
    const given = { grants: rules(), tools: [...tools, post] };
    const runtime = await over(log, given);
    const first = runtime.openSession(WAIT);
    first.call('post', { text: 'x' }).catch(() => undefined);
    await vi.waitFor(() => expect(first.run.view.pending).toBeDefined());
    const second = runtime.openSession({ ...WAIT, after: first.run.id });
    expect(await codeOfCall(second.call('echo', { text: 'x' }))).toBe('ran');
    // as behind a crash: another kernel on the same log
    open = await over(log, given, { store });
    for (const { run } of [first, second])
      for (const how of [{ resume: run.id }, { after: run.id }]) {
        const next = open.openSession({ ...WAIT, ...how });
        expect(await codeOfCall(next.call('echo', { text: 'x' })), JSON.stringify(how)).toBe('option_invalid');
      }
  });

  const lost = async () => refuse('store_lost', { reason: 'the disk' });
  let log = emptyLog();
  test.each<[what: string, code: string, store: (second: string) => Partial<LedgerStore>]>([
    ['the rows of the runs cannot be read', 'store_lost', () => ({ snapshot: lost })],
    [
      'the first record of a later run cannot be read',
      'store_lost',
      (second) => ({
        read: (run_id, ...from) => (run_id === second ? lost() : openMemoryStore(log).read(run_id, ...from)),
      }),
    ],
    [
      'the first record of a later run is damaged',
      'record_malformed',
      (second) => ({
        read: async (run_id, ...from) => {
          const found = await openMemoryStore(log).read(run_id, ...from);
          if (run_id !== second || !found.ok) return found;
          return pass(found.value.map((batch) => ({ ...batch, records: batch.records.map(() => '{}') })));
        },
      }),
    ],
  ])('does not go on where %s', async (_, code, storeFor) => {
    log = emptyLog();
    const given = { grants: rules(), tools: [...tools, post] };
    const runtime = await over(log, given);
    const first = runtime.openSession(WAIT);
    first.call('post', { text: 'x' }).catch(() => undefined);
    await vi.waitFor(() => expect(first.run.view.pending).toBeDefined());
    const second = runtime.openSession({ ...WAIT, after: first.run.id });
    expect(await codeOfCall(second.call('echo', { text: 'x' }))).toBe('ran');
    open = await over(log, given, { store: storeFor(second.run.id) });
    for (const how of [{ resume: first.run.id }, { after: first.run.id }]) {
      const next = open.openSession({ ...WAIT, ...how });
      expect(await codeOfCall(next.call('echo', { text: 'x' })), JSON.stringify(how)).toBe(code);
    }
  });

  test.each([0, 17])('tells its labels to the session after, with %i other sessions between', async (others) => {
    const { asks, second, say } = await forked();
    expect(await codeOfCall(second.call('echo', { text: 'x' }))).toBe('ran');
    await closed(second);
    for (let each = 0; each < others; each++) {
      const other = (open as Runtime).openSession();
      await other.call('echo', { text: 'x' });
      await other.close();
    }
    await say(true);
    await asks;
    const third = (open as Runtime).openSession({ after: second.run.id });
    await third.call('echo', { text: 'x' });
    expect(bodies(await closed(third), 'configuration')[0]?.labels).toEqual(['private']);
  });

  test('counts as having read everything once it was erased', async () => {
    const { first, asks, second, say } = await forked();
    expect(await codeOfCall(second.call('echo', { text: 'x' }))).toBe('ran');
    await say(true);
    await asks;
    await first.run.result;
    await (open as Runtime).ledger.erase(first.run.id);
    await closed(second);
    const third = (open as Runtime).openSession({ after: second.run.id });
    expect(await codeOfCall(third.call('echo', { text: 'x' }))).toBe('ran');
    expect(bodies(await closed(third), 'configuration')[0]?.labels).toEqual(['private', 'untrusted']);
  });

  test('does not begin twice', async () => {
    const { first, asks, say } = await forked();
    const twice = (open as Runtime).openSession({ after: first.run.id });
    await expect(twice.call('echo', { text: 'x' })).rejects.toMatchObject({ code: 'option_invalid' });
    await say(false);
    await asks;
  });
});

describe('a session where nobody can answer', () => {
  const ask = { grants: [{ capability: 'send', mode: 'ask' }] } as const;
  const WAITED_MS = 100;
  const soon = (call: Promise<Called>) =>
    Promise.race([call.then(valueOf), new Promise<string>((done) => void setTimeout(done, WAITED_MS, 'waits'))]);

  test('refuses the question of a grant and of the guard with approval_unavailable, and goes on', async () => {
    const session = await opened({}, { labels: ['private'] });
    expect(valueOf(await session.call('read', {}))).toBe(1);
    const asked = await session.call('send', { text: 'a' });
    expect(asked).toMatchObject({
      ok: false,
      refusal: { code: 'approval_unavailable', step: 'approve', details: { name: 'send' } },
    });
    expect(asked.ok ? '' : asked.refusal.message).toContain('send needs the approval of a person');
    expect(valueOf(await session.call('echo', { text: 'on' }))).toBe('on');
    expect(sent).toEqual([]);
    const records = await closed(session);
    expect(codes(records)).toEqual(['SUCCESS', 'approval_unavailable', 'SUCCESS']);
    expect(bodies(records, 'approval')).toMatchObject([
      { event: 'asked', capability: 'send' },
      { event: 'answered', approved: false, via: 'nobody' },
    ]);
    expect((await open?.ledger.verify(session.run.id))?.ok).toBe(true);
  });

  test('waits with questions: wait, and for a call with onQuestion', async () => {
    const session = await opened(ask, WAIT);
    const waiting = session.call('send', { text: 'a' });
    await vi.waitUntil(() => session.run.view.pending);
    expect(await soon(waiting)).toBe('waits');
    await session.run.answer(session.run.view.pending?.digest ?? '', { approved: true });
    expect(valueOf(await waiting)).toBe('sent');
    await closed(session);
    const other = (open as Runtime).openSession();
    const listened = other.call('send', { text: 'b' }, { onQuestion: () => undefined });
    await vi.waitUntil(() => other.run.view.pending);
    expect(await soon(listened)).toBe('waits');
    await other.run.answer(other.run.view.pending?.digest ?? '', { approved: true });
    expect(valueOf(await listened)).toBe('sent');
    expect(valueOf(await other.call('send', { text: 'c' }))).toBe('approval_unavailable');
    await closed(other);
  });

  test('refuses where the listener for questions throws', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const session = await opened(ask);
    const onQuestion = () => {
      throw new Error('a mistake of the caller');
    };
    expect(valueOf(await session.call('send', { text: 'a' }, { onQuestion }))).toBe('approval_unavailable');
    await closed(session);
  });

  test('refuses what an authorizer leaves to a person', async () => {
    const session = await opened({ ...ask, authorizer: { id: 'rules', authorize: async () => ({ allow: true }) } });
    expect(valueOf(await session.call('send', { text: 'a' }))).toBe('approval_unavailable');
    await closed(session);
  });

  test('a yes in the name of nobody is no answer', async () => {
    const session = await opened(ask, WAIT);
    const waiting = session.call('send', { text: 'a' });
    await expect.poll(() => session.run.view.pending?.capability).toBe('send');
    const digest = session.run.view.pending?.digest ?? '';
    await expect(session.run.answer(digest, { approved: true, via: 'nobody' } as never)).rejects.toMatchObject({
      code: 'option_invalid',
    });
    await session.run.answer(digest, { approved: false, reason: 'no' });
    expect(valueOf(await waiting)).toBe('approval_denied');
    await closed(session);
  });
});

describe('a call that is given up', () => {
  test('an aborted call gets its receipt, and the next call is made', async () => {
    const session = await opened();
    const stop = new AbortController();
    const call = session.call('slow', {}, { signal: stop.signal });
    const next = session.call('echo', { text: 'next' });
    await expect.poll(() => session.run.view.phase).toBe('CAPABILITY_EXECUTING');
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    expect(valueOf(await next)).toBe('next');
    expect(codes(await closed(session))).toEqual(['call_aborted', 'SUCCESS']);
  });

  test('a call that waits for a person, or in the queue, is given up', async () => {
    const session = await opened(
      {
        grants: [
          { capability: 'send', mode: 'ask' },
          { capability: 'echo', mode: 'allow' },
        ],
      },
      WAIT,
    );
    const [first, second] = [new AbortController(), new AbortController()];
    const asked = session.call('send', { text: 'a' }, { signal: first.signal });
    const queued = session.call('send', { text: 'b' }, { signal: second.signal });
    const last = session.call('echo', { text: 'c' });
    await expect.poll(() => session.run.view.pending?.capability).toBe('send');
    second.abort(new Error('second'));
    await expect(queued).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(asked).rejects.toThrow('first');
    expect(valueOf(await last)).toBe('c');
    await expect(session.call('echo', { text: 'd' }, { signal: first.signal })).rejects.toThrow('first');
    expect(sent).toEqual([]);
    expect(codes(await closed(session))).toEqual(['call_aborted', 'SUCCESS']);
  });

  test('a call is given up at every moment of its way, and the session goes on', async () => {
    const session = await opened();
    for (let turns = 0; turns < 60; turns++) {
      const stop = new AbortController();
      const call = session.call('send', { text: `${turns}` }, { signal: stop.signal }).then(valueOf, () => 'given up');
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      stop.abort();
      await call;
    }
    expect(valueOf(await session.call('echo', { text: 'here' }))).toBe('here');
    await closed(session);
  });
});

/** A process over a log that outlives it. */
async function over(
  log: MemoryLog,
  given: NodeOptions = {},
  { claim, store: more }: { readonly claim?: Ports['claim']; readonly store?: Partial<LedgerStore> } = {},
): Promise<Runtime> {
  const store: LedgerStore = { ...openMemoryStore(log), ...more };
  const ports: Ports = { ...nodePorts, ...(await forRuns()), store, ...(claim && { claim }) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), { tools, grants, ...given } as RuntimeOptions);
}

describe('a session after a crash', () => {
  test('a resumed session has its labels and its counts, and its open question', async () => {
    const log = emptyLog();
    const asking = {
      grants: [
        { capability: 'send', mode: 'ask' },
        { capability: 'read', mode: 'allow' },
      ],
    } as const;
    const before = (await over(log, asking)).openSession({ labels: ['untrusted'], ...WAIT });
    await before.call('read', {});
    void before.call('send', { text: 'a' }).catch(() => undefined);
    await expect.poll(() => before.run.view.pending?.capability).toBe('send');
    open = await over(log, asking);
    const session = open.openSession({ resume: before.run.id, ...WAIT });
    await expect.poll(() => session.run.view.pending?.digest).toBe(before.run.view.pending?.digest);
    await session.run.answer(session.run.view.pending?.digest ?? '', { approved: true });
    expect(await session.resumed).toMatchObject({ ok: true, value: 'sent', labels: ['private', 'untrusted'] });
    expect(sent).toEqual(['a']);
    expect(valueOf(await session.call('read', {}))).toBe(1);
    expect(codes(await closed(session))).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS']);
  });

  test('a resumed session goes on where its question is answered as soon as it is put', async () => {
    const log = emptyLog();
    const asking = { grants: [{ capability: 'send', mode: 'ask' }] } as const;
    const before = (await over(log, asking)).openSession(WAIT);
    void before.call('send', { text: 'a' }).catch(() => undefined);
    await expect.poll(() => before.run.view.pending?.capability).toBe('send');
    open = await over(log, asking);
    const session = open.openSession({ resume: before.run.id, ...WAIT });
    session.run.watch(({ pending }) => pending && void session.run.answer(pending.digest, { approved: true }));
    expect(await session.resumed).toMatchObject({ ok: true, value: 'sent' });
    expect(valueOf(await session.call('send', { text: 'b' }))).toBe('sent');
    await closed(session);
  });

  test('a resumed session puts its open question to its approver, and refuses it where nobody can answer', async () => {
    const asking = { grants: [{ capability: 'send', mode: 'ask' }] } as const;
    const approve = async () => ({ approved: true }) as const;
    for (const [how, came] of [
      [{ approve }, 'sent'],
      [{}, 'approval_unavailable'],
    ] as const) {
      const log = emptyLog();
      const before = (await over(log, asking)).openSession(WAIT);
      void before.call('send', { text: 'a' }).catch(() => undefined);
      await expect.poll(() => before.run.view.pending?.capability).toBe('send');
      open = await over(log, asking);
      const session = open.openSession({ resume: before.run.id, ...how });
      const resumed = await session.resumed;
      expect(resumed && valueOf(resumed)).toBe(came);
      await closed(session);
    }
  });

  test('a call that the crash cut off is closed, and is not made again', async () => {
    const log = emptyLog();
    const before = (await over(log)).openSession();
    void before.call('slow', {}).catch(() => undefined);
    await expect.poll(() => before.run.view.phase).toBe('CAPABILITY_EXECUTING');
    open = await over(log);
    const session = open.openSession({ resume: before.run.id });
    expect(await session.resumed).toMatchObject({ ok: false, refusal: { code: 'interrupted' } });
    expect(valueOf(await session.call('echo', { text: 'on' }))).toBe('on');
    expect(codes(await closed(session))).toEqual(['interrupted', 'SUCCESS']);
  });

  test('a session without an open call resumes at rest', async () => {
    const log = emptyLog();
    const before = (await over(log)).openSession();
    await before.call('echo', { text: 'a' });
    open = await over(log);
    const session = open.openSession({ resume: before.run.id });
    expect(await session.resumed).toBeUndefined();
    expect(valueOf(await session.call('echo', { text: 'b' }))).toBe('b');
    await closed(session);
  });

  test('of two processes that resume a session one gets run_open', async () => {
    const log = emptyLog();
    const before = (await over(log)).openSession();
    await before.call('echo', { text: 'a' });
    const { claim } = makeClaims();
    open = await over(log, {}, { claim });
    const other = await over(log, {}, { claim });
    const sessions = [open.openSession({ resume: before.run.id }), other.openSession({ resume: before.run.id })];
    const answers = await Promise.allSettled(sessions.map((session) => session.call('echo', { text: 'b' })));
    expect(
      answers.map((each) => (each.status === 'fulfilled' ? 'made' : (each.reason as { code: string }).code)).sort(),
    ).toEqual(['made', 'run_open']);
    await other.close();
  });
});

describe('the close of a runtime with calls under way', () => {
  /** A tool that answers when the test says so. */
  function held() {
    const begun = deferred<AbortSignal>();
    const answer = deferred<string>();
    const wait = defineTool({
      ...common,
      name: 'wait',
      effect: 'write',
      labels: [],
      args: {},
      run: (_, { signal }) => {
        begun.resolve(signal);
        return answer.promise;
      },
    });
    return {
      begun: begun.promise,
      answer,
      given: {
        tools: [...tools, wait],
        grants: [...grants, { capability: 'wait', mode: 'allow' }],
      } satisfies NodeOptions,
    };
  }

  test('drain lets the calls under way and in the queue end, and takes no further one', async () => {
    const { begun, answer, given } = held();
    const session = await opened(given);
    const calls = [session.call('wait', {}), session.call('echo', { text: 'a' })];
    await begun;
    const closing = open?.close({ drain: true });
    await expect(session.call('echo', { text: 'b' })).rejects.toMatchObject({ code: 'runtime_closed' });
    await expect(open?.openSession().call('echo', { text: 'c' })).rejects.toMatchObject({ code: 'runtime_closed' });
    answer.resolve('done');
    expect((await Promise.all(calls)).map(valueOf)).toEqual(['done', 'a']);
    await closing;
  });

  test('drain ends a run with a model behind the step at work', async () => {
    const { begun, answer, given } = held();
    const calling = { tool_call: { tool: 'wait', args: {} } };
    open = await openRuntime(given);
    const run = open.start({ dialect: 'femtoclaw', task: 'Wait.', model: fromScript([calling, calling, calling]) });
    const ended = run.result.catch((error: unknown) => error);
    void run.run().catch(() => undefined);
    await begun;
    const closing = open.close({ drain: true });
    answer.resolve('done');
    await closing;
    expect(await ended).toMatchObject({ state: 'aborted' });
  });

  test('a signal bounds the drain, and without drain a call is aborted with its documented code', async () => {
    for (const how of [{ drain: true, signal: AbortSignal.timeout(20) }, undefined]) {
      const { begun, given } = held();
      const session = await opened(given);
      const call = session.call('wait', {});
      const queued = session.call('echo', { text: 'a' }).catch((error: unknown) => error);
      const signal = await begun;
      await open?.close(how);
      expect(signal.aborted).toBe(true);
      expect(valueOf(await call)).toBe('call_aborted');
      expect(await queued).toMatchObject({ code: 'run_sealed' });
    }
  });
});
