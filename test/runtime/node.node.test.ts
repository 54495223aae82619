import { expect, test } from 'vitest';
import { answerOf } from '../../core/run/authorize/question.ts';
import type { Run, Runtime } from '../../workers/api.ts';
import {
  createSandbox,
  createValidator,
  fromScript,
  openRuntime,
  replayExport,
  verifyExport,
} from '../../workers/node.ts';

const ADD = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds two numbers.',
  args: {
    type: 'object',
    required: ['a', 'b'],
    additionalProperties: false,
    properties: { a: { type: 'number' }, b: { type: 'number', maximum: 100 } },
  },
  result: { type: 'object', required: ['sum'], additionalProperties: false, properties: { sum: { type: 'number' } } },
  effect: 'pure',
  source: 'export default ({ a, b }) => ({ sum: a + b });',
} as const;

const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

test('a validator checks a proposal against a schema registered at run time', async () => {
  const validator = await createValidator({ dialect: 'femtoclaw', capabilities: [ADD] });
  const call = (args: unknown) => validator.validate(bytes({ tool_call: { tool: 'math.add', args } }));
  expect(await call({ a: 1, b: 2 })).toMatchObject({
    accepted: true,
    kind: 'call',
    capability: 'math.add',
    args: { a: 1, b: 2 },
  });
  expect(await call({ a: 1, b: 200 })).toMatchObject({
    accepted: false,
    class: 'invalid_arguments',
    code: 'arguments_schema',
    step: 'arguments',
    pointer: '/tool_call/args/b',
  });
  await validator.close();
});

test('a run is judged, executed and recorded while the guest of another run loops without end', async () => {
  const limits = { fuel: 2 ** 50, deadlineMs: 600_000 };
  const spins = { effect: 'write', limits } as const;
  const SPIN = { ...ADD, ...spins, name: 'spin', args: {}, result: {}, source: 'export default () => { for (;;); }' };
  const runtime = await openRuntime({
    capabilities: [ADD, SPIN],
    grants: [ADD, SPIN].map(({ name }) => ({ capability: name, mode: 'allow' })),
  });
  const say = (...calls: readonly object[]) => fromScript([...calls, { message: { content: 'done' } }]);
  const spin = say({ tool_call: { tool: 'spin', args: {} } });
  const stuck = runtime.start({ dialect: 'femtoclaw', task: 'Spin.', model: spin });
  void stuck.run();
  for await (const { kind } of stuck.records()) if (kind === 'intent') break;
  const adds = [1, 2, 3].map((a) => ({ tool_call: { tool: 'math.add', args: { a, b: 2 } } }));
  const other = runtime.start({ dialect: 'femtoclaw', task: 'Add.', model: say(...adds) });
  // Arguments and results of this run are checked by a realm of the same pool.
  expect(await other.result).toMatchObject({ state: 'completed', steps: 4 });
  expect((await runtime.runs()).filter(({ sealed }) => !sealed)).toMatchObject([{ run_id: stuck.id }]);
  await stuck.abort('long enough');
  expect(await stuck.result).toMatchObject({ state: 'aborted' });
  await runtime.close();
});

test('a runtime runs a script headless, from the first record to the seal', async () => {
  const runtime = await openRuntime({
    capabilities: [ADD],
    grants: [{ capability: 'math.add', mode: 'allow', where: { properties: { a: { maximum: 10 } } } }],
  });
  const run = runtime.start({
    dialect: 'femtoclaw',
    task: 'Add.',
    model: fromScript([
      { tool_call: { tool: 'math.add', args: { a: 1, b: 2 } } },
      { tool_call: { tool: 'math.add', args: { a: 11, b: 2 } } },
      { message: { content: '3' } },
    ]),
  });
  const kinds: string[] = [];
  for await (const record of run.records()) kinds.push(record.kind === 'decision' ? record.body.decision : record.kind);
  expect(kinds[0]).toBe('configuration');
  expect(kinds.at(-1)).toBe('seal');
  expect(kinds).toContain('DENIED_ARGUMENT_INVALID');
  expect(await run.result).toMatchObject({ state: 'completed', message: '3', steps: 3 });
  await runtime.close();
});

test('a run takes single steps, and asks a person when the guard demands it', async () => {
  const note = { ...ADD, name: 'note.put', effect: 'write' } as const;
  const look = { ...ADD, name: 'note.get', effect: 'read' } as const;
  const runtime = await openRuntime({
    capabilities: [note, look],
    grants: [
      { capability: 'note.put', mode: 'allow' },
      { capability: 'note.get', mode: 'allow' },
    ],
  });
  const call = (tool: string) => ({ tool_call: { tool, args: { a: 1, b: 2 } } });
  const model = fromScript([
    call('note.put'),
    call('note.get'),
    call('note.put'),
    call('note.put'),
    { message: { content: 'x' } },
  ]);
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Note.', model });
  await run.step();
  expect(run.view).toMatchObject({ phase: 'IDLE', steps: 1 });
  await run.step();
  await run.step();
  expect(run.view).toMatchObject({ phase: 'AWAITING_APPROVAL', steps: 3 });
  await run.answer('0'.repeat(64), { approved: true });
  expect(run.view.phase).toBe('AWAITING_APPROVAL');
  await run.answer(run.view.pending?.digest ?? '', { approved: true, standing: { args: 'exact', uses: 2 } });
  await run.run();
  expect(await run.result).toMatchObject({ state: 'completed', steps: 5 });
  const decisions = (await runtime.ledger.records(run.id)).flatMap((record) =>
    record.kind === 'decision' ? [record.body.decision] : [],
  );
  expect(decisions).toEqual(['AUTHORIZED', 'AUTHORIZED', 'REQUIRES_APPROVAL', 'AUTHORIZED', 'AUTHORIZED']);
  await runtime.close();
});

test('the ledger tells a gesture from the answer of a program, which cannot call itself a gesture', async () => {
  const note = { ...ADD, name: 'note.put', effect: 'write' } as const;
  const grants = [{ capability: 'note.put', mode: 'ask' }] as const;
  const script = [{ tool_call: { tool: 'note.put', args: { a: 1, b: 2 } } }, { message: { content: 'x' } }];
  const vias = async (runtime: Runtime, run: Run) => {
    await run.result;
    const records = await runtime.ledger.records(run.id);
    await runtime.close();
    return records.flatMap(({ kind, body }) => (kind === 'approval' && body.event === 'answered' ? [body.via] : []));
  };
  const callback = await openRuntime({
    capabilities: [note],
    grants,
    approve: async () => ({ approved: true, via: 'gesture' }),
  });
  const called = callback.start({ dialect: 'femtoclaw', task: 'Note.', model: fromScript(script) });
  expect(await vias(callback, called)).toEqual(['program']);

  for (const via of ['gesture', undefined] as const) {
    const runtime = await openRuntime({ capabilities: [note], grants });
    const run = runtime.start({ dialect: 'femtoclaw', task: 'Note.', model: fromScript(script), paused: true });
    await run.step();
    const digest = run.view.pending?.digest ?? '';
    const other = { approved: true, via: 'habit' } as never;
    await expect(run.answer(digest, other)).rejects.toMatchObject({ code: 'option_invalid', details: { name: 'via' } });
    await run.answer(digest, { approved: true, ...(via && { via }) });
    await run.run();
    expect(await vias(runtime, run)).toEqual([via ?? 'program']);
  }
});

test('a run sends no private content to a remote model without consent', async () => {
  const look = { ...ADD, name: 'note.get', effect: 'read' } as const;
  const open = (consent?: () => Promise<boolean>) =>
    openRuntime({
      capabilities: [look],
      grants: [{ capability: 'note.get', mode: 'allow' }],
      ...(consent && { consent }),
    });
  const script = () => [{ tool_call: { tool: 'note.get', args: { a: 1, b: 2 } } }, { message: { content: 'x' } }];
  for (const yes of [true, false]) {
    const runtime = await open(async () => yes);
    const model = { ...fromScript(script()), locality: { kind: 'remote', origin: 'https://models.example' } } as const;
    const run = runtime.start({ dialect: 'femtoclaw', task: 'Look.', model });
    expect(await run.result).toMatchObject(
      yes ? { state: 'completed' } : { state: 'failed', code: 'consent_denied', steps: 1 },
    );
    const consents = (await runtime.ledger.records(run.id)).filter((record) => record.kind === 'consent');
    expect(consents.map((record) => record.body)).toMatchObject([
      { event: 'asked', origin: 'https://models.example' },
      { event: 'answered', approved: yes, via: 'program' },
    ]);
    await runtime.close();
  }
});

test('a turn that was completed is continued by the next task, in the same run', async () => {
  const runtime = await openRuntime({ capabilities: [ADD], grants: [{ capability: 'math.add', mode: 'allow' }] });
  const model = fromScript([
    { message: { content: 'one' } },
    { tool_call: { tool: 'math.add', args: { a: 1, b: 1 } } },
    { message: { content: 'two' } },
  ]);
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Count.', model });
  expect(await run.result).toMatchObject({ state: 'completed', message: 'one', steps: 1 });
  await run.say('Go on.');
  expect(await run.result).toMatchObject({ state: 'completed', message: 'two', steps: 3 });
  const kinds = (await runtime.ledger.records(run.id)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'seal' || kind === 'task')).toEqual(['task', 'seal', 'task', 'seal']);
  expect((await runtime.ledger.verify(run.id)).ok).toBe(true);
  await runtime.close();
});

test('a sandbox on its own checks arguments and results', async () => {
  const sandbox = await createSandbox();
  const { args, result } = ADD;
  const add = await sandbox.load({ name: 'math.add', source: ADD.source, args, result });
  expect(await add.call({ a: 1, b: 2 })).toMatchObject({ ok: true, value: { sum: 3 } });
  expect(await add.call({ a: 1, b: 200 })).toMatchObject({ ok: false, kind: 'args' });
  const wrong = await sandbox.load({ name: 'math.add', source: 'export default () => ({ sum: "3" });', result });
  expect(await wrong.call({})).toMatchObject({ ok: false, kind: 'result' });
  await expect(sandbox.load({ name: 'x', source: 'export default {\n  a b };' })).rejects.toMatchObject({
    code: 'source_syntax',
    line: 2,
  });
  await expect(
    sandbox.load({ name: 'x', source: ADD.source, args: { $ref: 'https://x.example/' } }),
  ).rejects.toMatchObject({ code: 'schema_refused' });
  await sandbox.close();
});

test('a runtime, a sandbox and a validator can be disposed of, which closes them and aborts open runs', async () => {
  // `await using` calls this; Node 20 has the symbol and not yet the syntax.
  const dispose = (owned: AsyncDisposable): PromiseLike<void> => owned[Symbol.asyncDispose]();
  const runtime = await openRuntime();
  const silent = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
  const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: silent });
  await dispose(run);
  expect(await run.result).toMatchObject({ state: 'aborted', message: 'disposed' });
  await dispose(run);
  const other = runtime.start({ dialect: 'xct', task: 'Wait.', model: silent });
  await dispose(runtime);
  expect(await other.result).toMatchObject({ state: 'aborted', message: 'closed' });

  const sandbox = await createSandbox();
  const loaded = await sandbox.load({ name: 'a', source: 'export default () => 1;' });
  await dispose(sandbox);
  expect(await loaded.call({})).toMatchObject({ ok: false, kind: 'aborted' });
  await dispose(await createValidator({ dialect: 'xct', capabilities: [] }));
});

test('a signal ends a check or a reader, and leaves the run and later checks undisturbed', async () => {
  const runtime = await openRuntime({ capabilities: [ADD], grants: [{ capability: 'math.add', mode: 'allow' }] });
  const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: fromScript([{ done: true, message: 'x' }]) });
  await run.result;
  const jsonl = await runtime.ledger.export(run.id);
  const { ledger } = runtime;
  const ways = [
    (signal: AbortSignal) => ledger.verify(run.id, { signal }),
    (signal: AbortSignal) => ledger.check(jsonl, { replay: true, signal }),
    (signal: AbortSignal) => ledger.fsck({ signal }),
    (signal: AbortSignal) => verifyExport(jsonl, { signal }),
    (signal: AbortSignal) => replayExport(jsonl, { signal }),
  ];
  for (const way of ways) {
    await expect(way(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    const controller = new AbortController();
    const given = way(controller.signal);
    controller.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    expect(await way(new AbortController().signal)).toMatchObject({ ok: true });
  }
  const silent = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
  const waiting = runtime.start({ dialect: 'xct', task: 'Wait.', model: silent });
  const controller = new AbortController();
  const [records, events] = [waiting.records(controller), waiting.telemetry(controller)];
  const read = async (some: AsyncIterable<unknown>) => {
    let count = 0;
    for await (const _ of some) count++;
    return count;
  };
  const reading = Promise.all([read(records), read(events)]);
  for await (const { kind } of waiting.records()) if (kind === 'task') break;
  controller.abort();
  const [seen, told] = await reading;
  expect([seen > 0, told > 0, waiting.view.end]).toEqual([true, true, undefined]);
  await runtime.close();
});

test('a run is aborted by its signal, also when the signal was aborted before the start', async () => {
  const runtime = await openRuntime();
  const silent = { ...fromScript([]), propose: () => new Promise<never>(() => undefined) };
  for (const early of [true, false]) {
    const controller = new AbortController();
    if (early) controller.abort();
    const run = runtime.start({ dialect: 'xct', task: 'Wait.', model: silent, signal: controller.signal });
    controller.abort();
    expect(await run.result).toMatchObject({ state: 'aborted', message: 'aborted by its signal', steps: 0 });
  }
  await runtime.close();
});

test('a grant for a capability registered later holds for runs that start after it, and is taken back by revoke and remove', async () => {
  const runtime = await openRuntime({});
  const decide = async (): Promise<unknown> => {
    const script = [{ tool_call: { tool: 'math.add', args: { a: 1, b: 2 } } }, { message: { content: 'done' } }];
    const run = runtime.start({ dialect: 'femtoclaw', task: 'Add.', model: fromScript(script) });
    await run.result;
    const records = await runtime.ledger.records(run.id);
    const verdict = records.find(({ kind }) => kind === 'verdict')?.body as { refusal?: { code: string } };
    const decision = records.find(({ kind }) => kind === 'decision')?.body as { decision?: string } | undefined;
    return decision?.decision ?? verdict.refusal?.code;
  };
  await runtime.capabilities.register(ADD);
  expect(await decide()).toBe('DENIED_CAPABILITY_DISABLED');
  await runtime.capabilities.enable('math.add');
  expect(await decide()).toBe('DENIED_POLICY_VIOLATION');
  const { id } = await runtime.grants.grant({ capability: 'math.add', mode: 'allow' });
  expect(await decide()).toBe('AUTHORIZED');
  await runtime.grants.revoke(id);
  expect(await runtime.grants.list()).toEqual([]);
  expect(await decide()).toBe('DENIED_POLICY_VIOLATION');

  await runtime.grants.grant({ capability: 'math.add', mode: 'allow' });
  await runtime.capabilities.remove('math.add');
  expect(await decide()).toBe('unknown_capability');
  await expect(runtime.capabilities.remove('math.add')).rejects.toMatchObject({ code: 'unknown_capability' });
  // The same definition under the same name, registered again, is no longer the definition that was granted.
  await runtime.capabilities.register(ADD);
  await runtime.capabilities.enable('math.add');
  expect(await decide()).toBe('DENIED_POLICY_VIOLATION');
  await runtime.close();
});

test('a polluted Object.prototype adds no grant, and adds no member to an answer', async () => {
  const lent = { grants: [{ capability: 'math.add', mode: 'allow' }], standing: { args: 'any' } };
  for (const [name, value] of Object.entries(lent)) {
    Reflect.defineProperty(Object.prototype, name, { value, configurable: true });
  }
  try {
    expect(answerOf({ approved: true })).toEqual({ ok: true, value: { approved: true, via: 'program' } });
    const runtime = await openRuntime({ capabilities: [ADD] });
    expect(await runtime.grants.list()).toEqual([]);
    await runtime.close();
  } finally {
    for (const name of Object.keys(lent)) Reflect.deleteProperty(Object.prototype, name);
  }
});
