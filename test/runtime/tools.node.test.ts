import { afterEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { Bodies, LedgerRecord, PayloadRef, RecordKind, ToolContext, ToolDefinition } from '../../core/index.ts';
import { isAnswerRef } from '../../core/ledger/form.ts';
import type { OpenStep } from '../../core/run/open-step.ts';
import { answerPayload } from '../../core/run/payload.ts';
import type { GrantOption, Run, Runtime, RuntimeOptions, ToolSource } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts } from '../../workers/node/platform.ts';
import type { NodeOptions } from '../../workers/node.ts';
import { defineCapability, defineTool, fromScript, ToolError } from '../../workers/node.ts';
import type { Ports } from '../../workers/ports.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import { execute, message } from './content/messages.ts';
import { expectReplayed, verified } from './replayed.ts';
import { forChecks, forRuns, openRuntime } from './shared.ts';

const common = { version: '1.0.0', description: 'For a test.' } as const;
const done = { done: true, message: 'done' };
const ask = (tool: string, args: object = {}) => ({ next_step: { tool, arguments: args, goal: 'use a tool' } });
const PATH = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } as const;

let open: Runtime | undefined;
afterEach(() => open?.close());

/** A tool that reads a file, and the paths that it was called with. */
function reader(run: (path: string, signal: AbortSignal) => unknown = (path) => `text of ${path}`, more = {}) {
  const paths: string[] = [];
  const tool = defineTool({
    ...common,
    name: 'fs.read',
    effect: 'read',
    labels: ['private'],
    args: { ...PATH, additionalProperties: false },
    result: { type: 'string', maxLength: 100_000 },
    origin: 'mcp:https://files.example',
    run: ((args: { path: string }, io: { signal: AbortSignal }) => {
      paths.push(args.path);
      return run(args.path, io.signal);
    }) as never,
    ...more,
  });
  return { tool, paths };
}

const ALLOW: readonly GrantOption[] = [{ capability: 'fs.read', mode: 'allow' }];

async function runWith(steps: readonly object[], given: NodeOptions): Promise<Run> {
  open = await openRuntime({ grants: ALLOW, ...given });
  return open.start({ dialect: 'xct', task: 'Read a file.', model: fromScript([...steps, done]) });
}

async function finished(run: Run): Promise<readonly LedgerRecord[]> {
  await run.result;
  await expectReplayed((await open?.ledger.export(run.id, { secrets: true })) ?? '');
  return (await open?.ledger.records(run.id)) ?? [];
}

const kinds = (records: readonly LedgerRecord[]) => records.map(({ kind }) => kind);
function bodies<K extends RecordKind>(records: readonly LedgerRecord[], kind: K): readonly Bodies[K][] {
  return records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
}
const codes = (records: readonly LedgerRecord[]) =>
  bodies(records, 'receipt').map(({ evidence }) => evidence.reason?.code ?? 'SUCCESS');

/** The reply that the model reads after the first step. */
async function reply(run: Run, records: readonly LedgerRecord[]): Promise<unknown> {
  return (await replies(run, records))[0];
}

function replies(run: Run, records: readonly LedgerRecord[]): Promise<readonly unknown[]> {
  return Promise.all(
    bodies(records, 'observation').map(async ({ payload }) =>
      JSON.parse(new TextDecoder().decode(await open?.ledger.payload(run.id, payload.sha256))),
    ),
  );
}

describe('a tool of the program', () => {
  test('a tool is called with checked arguments under one grant, and its run replays without the program', async () => {
    const { tool, paths } = reader();
    const run = await runWith([ask('fs.read', { path: 'a.txt' })], { tools: [tool] });
    const records = await finished(run);
    expect(paths).toEqual(['a.txt']);
    expect(await reply(run, records)).toEqual({ status: 'success', result: 'text of a.txt' });
    expect(codes(records)).toEqual(['SUCCESS', 'SUCCESS']);
    expect(bodies(records, 'receipt')[0]?.evidence.labels).toEqual(['private']);
    expect((await open?.ledger.verify(run.id))?.ok).toBe(true);
  });

  test('the intent is durable before the tool runs, and the receipt comes after it', async () => {
    const seen: string[] = [];
    const { tool } = reader(async () => {
      seen.push(...kinds((await open?.ledger.records(run.id)) ?? []));
      return 'text';
    });
    const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
    const records = await finished(run);
    expect(seen.at(-1)).toBe('intent');
    expect(kinds(records)).toEqual(
      ['configuration', 'task', 'proposal', 'verdict', 'decision', 'intent', 'observation', 'receipt'].concat([
        'proposal',
        'verdict',
        'receipt',
        'seal',
      ]),
    );
  });

  describe('that tells its whole answer', () => {
    /** A run of a tool that takes its value from `answer`, with the evidence of its receipt. */
    async function told(answer: unknown, more: object = {}) {
      const whole = ((_: unknown, { record }: ToolContext) => {
        record?.({ answer: answer as never, repeated: 'session_forgotten' });
        if (Object.hasOwn(more, 'fails')) throw new ToolError('no_file', 'No such file.');
        return 'text';
      }) as never;
      const { tool } = reader(undefined, { run: whole });
      const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
      const records = await finished(run);
      const evidence = bodies(records, 'receipt')[0]?.evidence;
      const ledger = (open as Runtime).ledger;
      return { run, records, evidence, ledger, ref: evidence?.answer as PayloadRef };
    }
    const ANSWER = { content: [{ type: 'text', text: 'text', annotations: { priority: 1 } }], _meta: { 'a/b': [1] } };
    const WHOLE = JSON.stringify({
      _meta: ANSWER._meta,
      content: [{ annotations: { priority: 1 }, text: 'text', type: 'text' }],
    });

    test.each([{}, { fails: true }])('the receipt names it, and keeps it until it is erased: %j', async (more) => {
      const { run, evidence, ledger, ref } = await told(ANSWER, more);
      expect(evidence).toMatchObject({ repeated: 'session_forgotten' });
      expect(evidence?.result_hash === ref.sha256).toBe(false);
      expect(new TextDecoder().decode(await ledger.payload(run.id, ref))).toBe(WHOLE);
      expect(await ledger.export(run.id)).toContain(ref.sha256);
      await ledger.erase(run.id);
      expect(await ledger.payload(run.id, ref)).toBeUndefined();
      const file = await ledger.export(run.id);
      expect((await verified(file)).checks.filter(({ status }) => status === 'fail')).toEqual([]);
    });

    test('of an operation of a secret message it is salted, and no usual export has it', async () => {
      const run = ((_: unknown, { record }: ToolContext) => (record?.({ answer: ANSWER }), 'text')) as never;
      const { tool } = reader(undefined, { run });
      const key = {
        ...common,
        name: 'key',
        effect: 'pure',
        args: {},
        secret: ['result'],
        source: 'export default () => 1',
      } as const;
      const grants: readonly GrantOption[] = [...ALLOW, { capability: 'key', mode: 'allow' }];
      open = await openRuntime({ tools: [tool], capabilities: [key], grants });
      const ops = [execute('@TOOLS/fs.read', { args: { path: 'a' } }), execute('@TOOLS/key', { args: {} })];
      const { ledger } = open;
      const model = fromScript([message(ops)]);
      const started = open.start({ dialect: 'catalytic', task: 'Read.', model, limits: { steps: 1 } });
      const records = await finished(started);
      const ref = bodies(records, 'receipt')[0]?.evidence.operations?.[0]?.answer as PayloadRef;
      expect(ref).toMatchObject({ salt: 64, bytes: WHOLE.length + 64 });
      expect(new TextDecoder().decode(await ledger.payload(started.id, ref))).toBe(WHOLE);
      expect(await ledger.export(started.id)).not.toContain('priority');
      expect(await ledger.export(started.id, { secrets: true })).toContain('priority');
    });

    test('up to 12 MiB it is kept, and of a longer one the hash and the length', () => {
      const open = { step: 1 } as OpenStep;
      const most = 12 << 20;
      const whole = answerPayload(open, 'x'.repeat(most));
      expect([whole.payload?.bytes.length, isAnswerRef(whole.ref)]).toEqual([most, true]);
      const longer = answerPayload(open, 'x'.repeat(most + 1));
      expect(longer).toEqual({ ref: { bytes: most + 1, kept: 0, sha256: longer.ref.sha256 } });
      expect(isAnswerRef(longer.ref)).toBe(true);
      const { kept: _, ...claimed } = longer.ref;
      expect([isAnswerRef(claimed), isAnswerRef({ ...whole.ref, kept: 0 })]).toEqual([false, false]);
    });

    test('a caller of a session gets it beside the value, and a program beside its own', async () => {
      const { tool } = reader(undefined, {
        run: ((_: unknown, { record }: ToolContext) => {
          record?.({ answer: ANSWER });
          return 'text';
        }) as never,
      });
      open = await openRuntime({ grants: ALLOW, tools: [tool] });
      const called = await open.openSession().call('fs.read', { path: 'a' });
      expect(called).toMatchObject({ ok: true, value: 'text', answer: { bytes: WHOLE.length, value: ANSWER } });
    });
  });

  test('a denial is an authorization refusal, and the tool does not run', async () => {
    const { tool, paths } = reader();
    const run = await runWith([ask('fs.read', { path: 'a' })], {
      tools: [tool],
      grants: [{ capability: 'fs.read', mode: 'ask' }],
      approve: async () => ({ approved: false, reason: 'not now' }),
    });
    const records = await finished(run);
    expect(paths).toEqual([]);
    expect(await reply(run, records)).toMatchObject({
      status: 'error',
      details: { class: 'authorization', code: 'approval_denied' },
    });
  });

  test('a question shows where the arguments go, and the place is part of the hash', async () => {
    const { tool } = reader();
    const asked: unknown[] = [];
    const run = await runWith([ask('fs.read', { path: 'a' })], {
      tools: [tool],
      grants: [{ capability: 'fs.read', mode: 'ask' }],
      approve: async (request) => {
        asked.push(request.origin);
        return { approved: true };
      },
    });
    await finished(run);
    expect(asked).toEqual(['mcp:https://files.example']);
    const [here] = (await open?.capabilities.list())?.filter(({ name }) => name === 'fs.read') ?? [];
    await open?.close();
    open = await openRuntime({ tools: [reader(undefined, { origin: 'mcp:https://other.example' }).tool] });
    const [there] = (await open.capabilities.list()).filter(({ name }) => name === 'fs.read');
    expect(there?.hash).not.toBe(here?.hash);
  });

  test('the guard asks before a tool sends data that another tool has read', async () => {
    const { tool } = reader(undefined, { labels: ['private', 'untrusted'] });
    const send = defineTool({ ...common, name: 'mail.send', effect: 'egress', args: {}, run: () => 'sent' });
    const asked: string[] = [];
    const run = await runWith([ask('fs.read', { path: 'a' }), ask('mail.send')], {
      tools: [tool, send],
      grants: [...ALLOW, { capability: 'mail.send', mode: 'allow' }],
      approve: async ({ capability }) => {
        asked.push(capability);
        return { approved: true };
      },
    });
    await finished(run);
    expect(asked).toEqual(['mail.send']);
  });
});

const deep = (levels: number) => Array.from({ length: levels }).reduce((inner: unknown) => [inner], 0);
const HOSTILE: readonly (readonly [name: string, run: () => unknown, code: string])[] = [
  [
    'throws',
    () => {
      throw new RangeError('no');
    },
    'host_failed',
  ],
  [
    'throws a megabyte',
    () => {
      throw new Error('x'.repeat(1 << 20));
    },
    'host_failed',
  ],
  [
    'throws a ToolError of a megabyte',
    () => {
      throw new ToolError('x'.repeat(1 << 20), 'x'.repeat(1 << 20));
    },
    'capability_threw',
  ],
  ['answers a function', () => () => 1, 'result_not_json'],
  ['answers a number', () => 1, 'result_schema'],
  ['answers a lone surrogate', () => '\ud800', 'result_not_json'],
  ['answers a value 65 deep', () => deep(65), 'result_not_json'],
  ['answers 2 MB', () => 'x'.repeat(2 << 20), 'bytes_out_exceeded'],
];

describe('a tool whose schema has a check of its own', () => {
  const path = z.object({ path: z.string().refine((text) => text.startsWith('/safe/'), 'must start with /safe/') });

  test('the check runs after approval, its issues end the call, and the function is not called', async () => {
    const said: string[] = [];
    const args = path.refine(() => said.push('checked') > 0);
    const { tool, paths } = reader(undefined, { args });
    const run = await runWith([ask('fs.read', { path: '/etc/passwd' }), ask('fs.read', { path: '/safe/a' })], {
      tools: [tool],
      grants: [{ capability: 'fs.read', mode: 'ask' }],
      approve: async () => {
        said.push('asked');
        return { approved: true };
      },
    });
    const records = await finished(run);
    expect(codes(records)).toEqual(['args_refused', 'SUCCESS', 'SUCCESS']);
    expect(paths).toEqual(['/safe/a']);
    expect(said.slice(0, 2)).toEqual(['asked', 'checked']);
    expect(await reply(run, records)).toMatchObject({
      message:
        'fs.read does not take these arguments: must start with /safe/ at /path. Change the arguments; nothing was carried out.',
      details: { class: 'execution', issues: [{ pointer: '/path', message: 'must start with /safe/' }] },
    });
    expect((await open?.ledger.verify(run.id))?.ok).toBe(true);
  });

  test('a schema that changes the arguments ends the call, and the function gets the approved ones', async () => {
    const { tool, paths } = reader(undefined, {
      args: z.object({ path: z.string().trim(), more: z.number().default(1) }),
    });
    const steps = [{ path: ' a', more: 2 }, { path: 'a' }, { path: 'a', more: 1 }];
    const run = await runWith(
      steps.map((args) => ask('fs.read', args)),
      { tools: [tool] },
    );
    expect(codes(await finished(run))).toEqual(['args_transformed', 'args_transformed', 'SUCCESS', 'SUCCESS']);
    expect(paths).toEqual(['a']);
  });

  test('a schema that mutates what it checks changes nothing', async () => {
    const args = z.object({ path: z.string() }).refine((value) => {
      value.path = '/etc/passwd';
      return true;
    });
    const { tool, paths } = reader(undefined, { args });
    const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
    expect(codes(await finished(run))[0]).toBe('args_transformed');
    expect(paths).toEqual([]);
  });

  test('a result is checked, and a check that throws tells the model no word', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const throws = z.object({
      path: z.string().refine(() => {
        throw new Error('hunter2');
      }),
    });
    const result = z.string().refine((text) => text === 'good', 'must be good');
    for (const [more, code] of [
      [{ result }, 'result_schema'],
      [{ args: throws }, 'host_failed'],
    ] as const) {
      const { tool } = reader(undefined, more);
      const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
      const records = await finished(run);
      expect(codes(records)[0]).toBe(code);
      expect(JSON.stringify(await reply(run, records))).not.toContain('hunter2');
    }
    warned.mockRestore();
  });
});

describe('a tool that has changed something, and whose answer is refused', () => {
  test.each<[string, () => unknown, string]>([
    ['answers outside of its schema', () => 1, 'result_schema'],
    ['answers a function', () => () => 1, 'result_not_json'],
    ['answers 2 MB', () => 'x'.repeat(2 << 20), 'bytes_out_exceeded'],
    [
      'cannot use the answer of its server',
      () => Promise.reject(new ToolError('answer_refused', 'No 200 here.')),
      'capability_threw',
    ],
  ])(
    'a tool that %s ends its call with effect_done, and the model is told not to repeat it',
    async (_, run, because) => {
      const { tool } = reader(run, { effect: 'write' });
      const started = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
      const records = await finished(started);
      expect(codes(records)).toEqual(['effect_done', 'SUCCESS']);
      expect(await reply(started, records)).toMatchObject({
        message: expect.stringMatching(
          /^fs\.read has been carried out, but its answer is not used: .*Do not repeat the same call/,
        ),
        details: { because },
      });
    },
  );

  test('a tool that has failed is not called carried out', async () => {
    const { tool } = reader(() => Promise.reject(new ToolError('out_of_stock', 'None.')), { effect: 'write' });
    const started = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
    expect(codes(await finished(started))).toEqual(['capability_threw', 'SUCCESS']);
  });
});

describe('a hostile tool', () => {
  test.each(HOSTILE)('a tool that %s ends its call with a code, and the run goes on', async (_, answer, code) => {
    const { tool } = reader(answer);
    const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
    expect(codes(await finished(run))).toEqual([code, 'SUCCESS']);
  });

  test('a thrown error of a tool stays with the program, and the words of a ToolError reach the model', async () => {
    const warned = vi.spyOn(console, 'warn').mockReturnValue();
    const secret = new TypeError('at /home/user/secret.js:12 password=hunter2');
    const thrown: readonly Error[] = [secret, new ToolError('out_of_stock', 'No rye is left.')];
    const { tool } = reader((path) => Promise.reject(thrown[Number(path)]));
    const run = await runWith(
      [0, 1].map((path) => ask('fs.read', { path: String(path) })),
      { tools: [tool] },
    );
    const records = await finished(run);
    expect(codes(records)).toEqual(['host_failed', 'capability_threw', 'SUCCESS']);
    const [first, second] = await replies(run, records);
    expect(first).toEqual({
      status: 'error',
      message:
        'fs.read failed in the program that provides it. Check what it did before you repeat it, or continue without it.',
      details: { class: 'execution', code: 'host_failed', step: 'execute', name: 'fs.read' },
    });
    expect(second).toMatchObject({
      message: expect.stringContaining('out_of_stock: No rye is left.'),
      details: { error: { name: 'out_of_stock', message: 'No rye is left.' } },
    });
    const events: unknown[] = [];
    for await (const { event } of run.telemetry()) events.push(event);
    expect(events).toContainEqual(expect.objectContaining({ code: 'host_failed', ended_by: 'program' }));
    const kept = `${await open?.ledger.export(run.id, { secrets: true })}${JSON.stringify(events)}`;
    expect(kept).not.toMatch(/hunter2|TypeError|secret\.js/);
    expect(warned.mock.calls).toEqual([[expect.stringContaining('fs.read failed'), secret]]);
    warned.mockRestore();
  });

  test('a tool that never answers is told to stop, and its call ends at its deadline', async () => {
    let stopped = false;
    const { tool } = reader(
      (_, signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => (stopped = true));
        }),
      { timeoutMs: 50 },
    );
    const run = await runWith([ask('fs.read', { path: 'a' })], { tools: [tool] });
    expect(codes(await finished(run))).toEqual(['deadline_exceeded', 'SUCCESS']);
    expect(stopped).toBe(true);
  });

  test('an answer after the abort of its run changes no record', async () => {
    let answer: (text: string) => void = () => undefined;
    const begun = new Promise<void>((begin) => {
      const { tool } = reader(() => {
        begin();
        return new Promise((resolve) => (answer = resolve));
      });
      void runWith([ask('fs.read', { path: 'a' })], { tools: [tool] }).then((run) => (late = run));
    });
    let late: Run | undefined;
    await begun;
    await late?.abort('enough');
    const records = await finished(late as Run);
    answer('too late');
    await Promise.resolve();
    expect(codes(records)).toEqual(['call_aborted']);
    expect(await open?.ledger.records(late?.id ?? '')).toEqual(records);
  });

  test('a tool that is removed while it is called ends its call, and the run goes on without it', async () => {
    const { tool } = reader(async () => {
      await open?.tools.remove('fs.read');
      return 'text';
    });
    const run = await runWith([ask('fs.read', { path: 'a' }), ask('fs.read', { path: 'b' })], { tools: [tool] });
    expect(codes(await finished(run))).toEqual(['permission_revoked', 'capability_disabled', 'SUCCESS']);
  });

  test('a tool that changes between the question and the yes does not run', async () => {
    const { tool, paths } = reader();
    const changed = reader(undefined, { version: '2.0.0' });
    const run = await runWith([ask('fs.read', { path: 'a' })], {
      tools: [tool],
      grants: [{ capability: 'fs.read', mode: 'ask' }],
      approve: async () => {
        await open?.tools.provide(changed.tool);
        return { approved: true };
      },
    });
    expect(codes(await finished(run))[0]).toBe('capability_disabled');
    expect([...paths, ...changed.paths]).toEqual([]);
  });
});

describe('a source of tools', () => {
  const tools = (...names: readonly string[]): readonly ToolDefinition[] =>
    names.map((name) => defineTool({ ...common, name, effect: 'read', args: {}, run: () => name }));

  function source(first: readonly ToolDefinition[]) {
    let [listed, tell] = [first, (): void => undefined];
    const made: ToolSource & { closed: boolean } = {
      id: 'a test',
      closed: false,
      list: async () => listed,
      changed: (listener) => {
        tell = listener;
        return () => (tell = () => undefined);
      },
      close: async () => void (made.closed = true),
    };
    const change = (next: readonly ToolDefinition[]): void => {
      listed = next;
      tell();
    };
    return { made, change };
  }
  const names = async () => (await open?.capabilities.list())?.flatMap(({ name, host }) => (host ? name : [])).sort();

  test('the tools follow the list of their source, and the source closes with the runtime', async () => {
    const { made, change } = source(tools('a.one', 'a.two'));
    open = await openRuntime({ tools: [made] });
    expect(await names()).toEqual(['a.one', 'a.two']);
    change(tools('a.two', 'a.three'));
    await expect.poll(names).toEqual(['a.three', 'a.two']);
    await open.close();
    expect(made.closed).toBe(true);
  });

  test('a definition that stays the same keeps its grants over a change of the list', async () => {
    const { made, change } = source(tools('a.one'));
    open = await openRuntime({ tools: [made], grants: [{ capability: 'a.one', mode: 'allow' }] });
    change(tools('a.one', 'a.two'));
    await expect.poll(names).toEqual(['a.one', 'a.two']);
    expect(await open.grants.list()).toHaveLength(1);
  });

  test('the list of a source is followed after the program has removed one of its tools', async () => {
    const { made, change } = source(tools('a.one', 'a.two'));
    open = await openRuntime({ tools: [made] });
    await open.tools.remove('a.one');
    change(tools('a.two', 'a.three'));
    await expect.poll(names).toEqual(['a.three', 'a.two']);
  });

  test('a source that lists a name twice, or a name that is taken, is refused', async () => {
    const code = 'capability_twice';
    await expect(openRuntime({ tools: [source(tools('a', 'a')).made] })).rejects.toMatchObject({ code });
    const many = Array.from({ length: 1000 }, () => 'a');
    await expect(openRuntime({ tools: [source(tools(...many)).made] })).rejects.toMatchObject({ code });
    const taken = [source(tools('a')).made, source(tools('a')).made];
    await expect(openRuntime({ tools: taken })).rejects.toMatchObject({ code });
    const add = defineCapability({ ...common, name: 'a', effect: 'pure', args: {}, source: 'export default () => 1' });
    await expect(openRuntime({ tools: tools('a'), capabilities: [add] })).rejects.toMatchObject({ code });
    await expect(openRuntime({ tools: tools('a', 'a') })).rejects.toMatchObject({ code });
  });

  test('a later list that cannot be taken leaves the tools as they were', async () => {
    const { made, change } = source(tools('a.one'));
    open = await openRuntime({ tools: [made] });
    change(tools('a.two', 'a.two'));
    change(tools('a.one', 'a.four'));
    await expect.poll(names).toEqual(['a.four', 'a.one']);
  });
});

/** A runtime over a log that outlives it. */
async function over(log: MemoryLog, given: NodeOptions = {}): Promise<Runtime> {
  const ports: Ports = { ...nodePorts, ...(await forRuns()), store: openMemoryStore(log) };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), given as RuntimeOptions);
}

describe('a tool after a crash', () => {
  test('a resumed run calls the tool of the new process, and without it the call ends with tool_gone', async () => {
    for (const [given, code] of [
      [[reader().tool], 'SUCCESS'],
      [[], 'tool_gone'],
    ] as const) {
      const log = emptyLog();
      const asking = { grants: [{ capability: 'fs.read', mode: 'ask' }] } as const;
      const before = await over(log, { tools: [reader().tool], ...asking });
      const model = fromScript([ask('fs.read', { path: 'a' })]);
      const run = before.start({ dialect: 'xct', task: 'Read.', model });
      await expect.poll(() => run.view.pending?.capability).toBe('fs.read');
      open = await over(log, { tools: given });
      const again = await open.resume(run.id, fromScript([done]));
      await expect.poll(() => again.view.pending?.capability).toBe('fs.read');
      await again.answer(again.view.pending?.digest ?? '', { approved: true });
      await again.run();
      expect(codes(await finished(again))).toEqual([code, 'SUCCESS']);
    }
  });

  test('a call that a crash cut off is closed as interrupted, and the tool is not called again', async () => {
    const log = emptyLog();
    const cut = reader(() => new Promise(() => undefined));
    const before = await over(log, { tools: [cut.tool], grants: ALLOW });
    const run = before.start({ dialect: 'xct', task: 'Read.', model: fromScript([ask('fs.read', { path: 'a' })]) });
    await expect.poll(() => cut.paths).toEqual(['a']);
    const next = reader();
    open = await over(log, { tools: [next.tool], grants: ALLOW });
    const again = await open.resume(run.id, fromScript([done]));
    await again.run();
    expect(codes(await finished(again))).toEqual(['interrupted', 'SUCCESS']);
    expect(next.paths).toEqual([]);
  });
});

describe('tools of a capability', () => {
  const SOURCE = `export default async ({ paths }, { tools }) => {
    const texts = [];
    for (const path of paths) texts.push(await tools.call('fs.read', { path }).catch((e) => e.name));
    return texts;
  }`;
  const all = defineCapability({
    ...common,
    name: 'read.all',
    effect: 'read',
    labels: [],
    args: { type: 'object', properties: { paths: { type: 'array', items: { type: 'string' } } }, required: ['paths'] },
    tools: ['fs.read'],
    source: SOURCE,
  });
  const reading = ask('read.all', { paths: ['a', 'b'] });
  const mode = (fs: 'allow' | 'ask' | 'deny'): readonly GrantOption[] => [
    { capability: 'read.all', mode: 'allow' },
    { capability: 'fs.read', mode: fs },
  ];
  const readAll = (given: NodeOptions) => runWith([reading], { capabilities: [all], ...given });

  test('guest code calls the tools that its definition names, each under the grant of the tool', async () => {
    const { tool, paths } = reader();
    const run = await readAll({ tools: [tool], grants: mode('allow') });
    const records = await finished(run);
    expect(await reply(run, records)).toMatchObject({ result: ['text of a', 'text of b'] });
    expect(paths).toEqual(['a', 'b']);
    const { evidence } = bodies(records, 'receipt')[0] as Bodies['receipt'];
    expect(evidence.powers).toMatchObject([{ power: 'fs.read' }, { power: 'fs.read' }]);
    expect(evidence.labels).toEqual(['private']);
  });

  test('a person is asked about each call inside the program, while it waits outside of the sandbox', async () => {
    const { tool } = reader();
    const asked: unknown[] = [];
    const run = await readAll({
      tools: [tool],
      grants: mode('ask'),
      approve: async ({ capability, args, origin, reason }) => {
        asked.push([capability, args, origin, reason.includes('read.all asks for this tool')]);
        return asked.length === 1 ? { approved: true } : { approved: false, reason: 'no' };
      },
    });
    const records = await finished(run);
    const origin = 'mcp:https://files.example';
    expect(asked).toEqual([
      ['fs.read', '{"path":"a"}', origin, true],
      ['fs.read', '{"path":"b"}', origin, true],
    ]);
    expect(await reply(run, records)).toMatchObject({ result: ['text of a', 'approval_denied'] });
    expect(kinds(records)).toContain('parked');
  });

  test('a call without a grant, of a tool that is not named, or with wrong arguments is refused to the guest', async () => {
    const other = defineTool({ ...common, name: 'fs.list', effect: 'read', args: {}, run: () => [] });
    const source = `export default async (_, { tools }) => Promise.all([
      tools.call('fs.read', { path: 'a' }), tools.call('fs.list', {}), tools.call('fs.read', { way: 1 }), tools.call('fs.read'), tools.call(1, 2),
    ].map((each) => each.catch((e) => e.name)))`;
    const odd = defineCapability({ ...common, name: 'odd', effect: 'read', args: {}, tools: ['fs.read'], source });
    const run = await runWith([ask('odd')], {
      capabilities: [odd],
      tools: [reader().tool, other],
      grants: [
        { capability: 'odd', mode: 'allow' },
        { capability: 'fs.list', mode: 'allow' },
      ],
    });
    const records = await finished(run);
    expect(await reply(run, records)).toMatchObject({
      result: ['no_grant', 'power_unknown', 'power_arguments', 'power_arguments', 'power_arguments'],
    });
  });

  test('a definition with tools is not pure, and names no tool among its powers', () => {
    const define = (more: object) => () =>
      defineCapability({ ...common, name: 'x', args: {}, source: SOURCE, ...more } as never);
    expect(define({ effect: 'pure', tools: ['a'] })).toThrow(/effect must be read/);
    expect(define({ effect: 'read', tools: ['a'], powers: ['a'] })).toThrow(/among the powers/);
    expect(define({ effect: 'read', tools: 'a' })).toThrow(/list of names/);
  });
});
