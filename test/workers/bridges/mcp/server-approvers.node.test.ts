import { afterEach, describe, expect, test } from 'vitest';
import type { ToolContext } from '../../../../core/index.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import type { JsonObject } from '../../../../core/json/value.ts';
import type { ApprovalAnswer, Runtime } from '../../../../workers/api.ts';
import { deferred } from '../../../../workers/async.ts';
import type { McpServing } from '../../../../workers/bridges/mcp/server/options.ts';
import { defineCapability, defineTool, replayExport, verifyExport } from '../../../../workers/node.ts';
import { type Asked, codeOf, connected, ERAS, GRANTS, ran, runtimeOf, TOOLS, textOf, YES } from './server-shared.ts';

let runtime: Runtime;
let serving: McpServing;
afterEach(async () => {
  await serving.close();
  await runtime.close();
});

const POST = { name: 'note_post', arguments: { text: 'Hi.' } };
const NEVER: Asked = () => new Promise(() => undefined);

/** An approver of the runtime that answers, or waits for ever. */
function approver(answer?: ApprovalAnswer) {
  const asked: string[] = [];
  const approve = ({ capability }: { readonly capability: string }): Promise<ApprovalAnswer> => {
    asked.push(capability);
    return answer === undefined ? new Promise(() => undefined) : Promise.resolve(answer);
  };
  return { asked, approve };
}

describe.each(ERAS)('questions of a client of $era', (era) => {
  async function opened(
    ask: Asked | undefined,
    approve: ReturnType<typeof approver>['approve'] | undefined,
    how: 'elicit' | 'runtime' | 'either',
  ) {
    runtime = await runtimeOf(approve && { approve });
    const made = await connected(runtime, era, ask, { approve: how });
    serving = made.serving;
    return made.client;
  }

  test('go to the approver of the runtime alone with runtime', async () => {
    const shown: string[] = [];
    const { asked, approve } = approver({ approved: true });
    const client = await opened(({ message }) => (shown.push(message), { action: 'decline' }), approve, 'runtime');
    expect(textOf(await client.callTool(POST))).toBe('3');
    expect([asked, shown]).toEqual([['note.post'], []]);
  });

  test('are refused with runtime where the runtime has no approver', async () => {
    const client = await opened(YES, undefined, 'runtime');
    expect(textOf(await client.callTool(POST))).toContain('give openRuntime an approve function');
  });

  test('go to the person at the host alone with elicit', async () => {
    const { asked, approve } = approver({ approved: true });
    const client = await opened(() => ({ action: 'decline' }), approve, 'elicit');
    expect(codeOf(await client.callTool(POST))).toBe('approval_denied');
    expect(asked).toEqual([]);
  });

  test('go to both with either, and a yes at the host counts', async () => {
    const { asked, approve } = approver();
    const client = await opened(YES, approve, 'either');
    expect(textOf(await client.callTool(POST))).toBe('3');
    expect(asked).toEqual(['note.post']);
  });

  test('go to both with either, and an earlier no of the runtime counts', async () => {
    const { approve } = approver({ approved: false, reason: 'Not today.' });
    // a host of the later version asks before it hears of the answer
    const client = await opened(era.era === '2025-11-25' ? NEVER : YES, approve, 'either');
    expect(textOf(await client.callTool(POST))).toContain('Not today.');
    expect(ran).toEqual([]);
  });
});

/** An approver of the runtime that a test answers, by the order of the questions. */
function desk() {
  const answers: ((answer: ApprovalAnswer) => void)[] = [];
  const asked: string[] = [];
  const approve = ({ capability }: { readonly capability: string }): Promise<ApprovalAnswer> =>
    new Promise((answer) => {
      asked.push(capability);
      answers.push(answer);
    });
  return { asked, approve, say: (nth: number, approved = true) => answers[nth]?.(approved ? { approved } : NO) };
}
const NO: ApprovalAnswer = { approved: false, reason: 'Not today.' };
const ADD = { name: 'math_add', arguments: { a: 2, b: 3 } };

describe.each(ERAS)('while a person is asked about a call of a client of $era', (era) => {
  const secret = defineTool({
    version: '1.0.0',
    description: 'For a test.',
    name: 'secret',
    effect: 'read',
    labels: ['private', 'untrusted'],
    args: {},
    run: () => 1,
  });
  const send = defineTool({
    version: '1.0.0',
    description: 'For a test.',
    name: 'send',
    effect: 'egress',
    labels: [],
    args: {},
    run: () => (ran.push('send'), 1),
  });
  async function opened(how: Parameters<typeof connected>[3] = {}) {
    const person = desk();
    runtime = await runtimeOf({
      tools: [...TOOLS, secret, send],
      grants: [...GRANTS, { capability: 'secret', mode: 'ask' }, { capability: 'send', mode: 'allow' }],
      approve: person.approve,
    });
    const made = await connected(runtime, era, undefined, how);
    serving = made.serving;
    return { client: made.client, ...person };
  }
  const runsOf = async () => {
    await serving.close();
    const rows = await runtime.runs();
    for (const { run_id } of rows) {
      const jsonl = await runtime.ledger.export(run_id, { secrets: true });
      expect([run_id, (await verifyExport(jsonl)).ok, (await replayExport(jsonl)).ok]).toEqual([run_id, true, true]);
    }
    return rows;
  };

  test('its other calls go on, one after the other, and other questions come', async () => {
    const { client, asked, say } = await opened();
    const first = client.callTool(POST);
    await expect.poll(() => asked).toHaveLength(1);
    expect((await client.callTool(ADD)).structuredContent).toEqual({ sum: 5 });
    const second = client.callTool({ ...POST, arguments: { text: 'Two.' } });
    await expect.poll(() => asked).toHaveLength(2);
    expect((await client.callTool(ADD)).structuredContent).toEqual({ sum: 5 });
    say(1);
    expect(textOf(await second)).toBe('4');
    say(0);
    expect(textOf(await first)).toBe('3');
    expect((await client.callTool(ADD)).structuredContent).toEqual({ sum: 5 });
    expect(ran).toEqual(['math.add 2 3', 'math.add 2 3', 'note.post Two.', 'note.post Hi.', 'math.add 2 3']);
    const rows = await runsOf();
    expect(rows.every(({ sealed }) => sealed)).toBe(true);
    expect(rows).toHaveLength(4);
  });

  test('no run is opened for a question without calls beside it', async () => {
    const { client, asked, say } = await opened();
    const first = client.callTool(POST);
    await expect.poll(() => asked).toHaveLength(1);
    say(0);
    await first;
    await client.callTool(ADD);
    expect(await runsOf()).toHaveLength(1);
  });

  test('the labels of its result count for the calls after it', async () => {
    const { client, asked, say } = await opened();
    const first = client.callTool({ name: 'secret', arguments: {} });
    await expect.poll(() => asked).toEqual(['secret']);
    expect((await client.callTool({ name: 'send', arguments: {} }))._meta).toMatchObject({ 'sallyport/labels': [] });
    say(0);
    await first;
    const sent = client.callTool({ name: 'send', arguments: {} });
    await expect.poll(() => asked).toEqual(['secret', 'send']);
    say(1, false);
    expect(await sent).toMatchObject({ isError: true, _meta: { 'sallyport/labels': ['private', 'untrusted'] } });
    expect(ran).toEqual(['send']);
    await runsOf();
  });

  /** Has `change` take part where the second session opens. */
  function atSecondOpening(change: () => Promise<void>): void {
    const { openSession } = runtime;
    let opened = 0;
    const changed: typeof openSession = (options) => {
      const session = openSession(options);
      const isSecond = ++opened === 2;
      const offered = session.tools.bind(session);
      return Object.assign(session, {
        async tools() {
          const listed = await offered();
          if (isSecond) await change();
          return listed;
        },
      });
    };
    Object.assign(runtime, { openSession: changed });
  }

  test('the labels of its result count, also where it ends while the next session opens', async () => {
    const { client, asked, say } = await opened();
    const [begun, goOn] = [deferred<void>(), deferred<void>()];
    atSecondOpening(async () => {
      begun.resolve();
      await goOn.promise;
    });
    const first = client.callTool({ name: 'secret', arguments: {} });
    await expect.poll(() => asked).toEqual(['secret']);
    const beside = client.callTool(ADD);
    await begun.promise;
    say(0);
    await first;
    goOn.resolve();
    await beside;
    const sent = client.callTool({ name: 'send', arguments: {} });
    await expect.poll(() => asked).toEqual(['secret', 'send']);
    say(1, false);
    expect(await sent).toMatchObject({ isError: true });
    expect(ran).not.toContain('send');
    await runsOf();
  });

  test('a session beside it that fails to open costs its call, and the next one waits', async () => {
    const { client, asked, say } = await opened();
    atSecondOpening(async () => {
      throw new Error('the store was busy');
    });
    const first = client.callTool(POST);
    await expect.poll(() => asked).toHaveLength(1);
    await expect(client.callTool(ADD).then((each) => each.structuredContent ?? each)).rejects.toThrow();
    const next = client.callTool(ADD);
    say(0);
    expect(textOf(await first)).toBe('3');
    expect((await next).structuredContent).toEqual({ sum: 5 });
  });

  test('a host that cannot ask is told to come back, and one later identical call is recorded as taking the outcome', async () => {
    const { client, asked, say } = await opened({ pendingMs: 20 });
    expect(codeOf(await client.callTool(POST))).toBe('approval_pending');
    expect(codeOf(await client.callTool(POST))).toBe('approval_pending');
    expect(asked).toHaveLength(1);
    say(0);
    await expect.poll(() => ran).toEqual(['note.post Hi.']);
    const taken = await client.callTool(POST);
    expect(textOf(taken)).toBe('3');
    // the next one is a proposal of its own
    expect(codeOf(await client.callTool(POST))).toBe('approval_pending');
    expect(asked).toHaveLength(2);
    const rows = await runsOf();
    const records = (await Promise.all(rows.map(({ run_id }) => runtime.ledger.records(run_id)))).flat();
    const { run_id, step_id } = (taken._meta as { 'sallyport/receipt': { run_id: string; step_id: string } })[
      'sallyport/receipt'
    ];
    const told = records.flatMap((each) => (each.kind === 'rejection' ? [each] : []));
    expect(told.map(({ body }) => body)).toMatchObject([{ event: 'taken', from: 'mcp', of: { run_id, step_id } }]);
    expect(records.filter(({ kind }) => kind === 'proposal')).toHaveLength(2);
  });

  test('each of two identical calls at once has its own outcome', async () => {
    const { client, asked, say } = await opened({ pendingMs: 20 });
    const codes = (await Promise.all([client.callTool(POST), client.callTool(POST)])).map(codeOf);
    expect(codes).toEqual(['approval_pending', 'approval_pending']);
    await expect.poll(() => asked).toHaveLength(2);
    const outcome = async () => textOf(await client.callTool(POST));
    // an outcome that is there does not wait behind a question
    for (const nth of [1, 0]) {
      say(nth);
      await expect.poll(outcome).toBe('3');
    }
    expect(asked).toHaveLength(2);
    expect(ran).toEqual(['note.post Hi.', 'note.post Hi.']);
  });

  test.each([
    ['before it is told to come back', {}],
    ['while it hears progress', { onprogress: () => undefined }],
  ])('a repeat that its host cancels %s leaves the question to the next', async (_, options) => {
    const { client, asked, say } = await opened({ pendingMs: 200 });
    expect(codeOf(await client.callTool(POST))).toBe('approval_pending');
    const cancel = new AbortController();
    setTimeout(() => cancel.abort('enough'), 30);
    await expect(client.callTool(POST, { ...options, signal: cancel.signal })).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    say(0);
    await expect.poll(() => ran).toEqual(['note.post Hi.']);
    expect(textOf(await client.callTool(POST))).toBe('3');
    expect(asked).toHaveLength(1);
  });

  test('a call that waits behind the question does not run after its client has gone', async () => {
    const person = desk();
    const guest = defineCapability({
      name: 'guest',
      version: '1.0.0',
      description: 'For a test.',
      effect: 'pure',
      args: {},
      run: () => 1,
    });
    runtime = await runtimeOf({
      capabilities: [guest],
      grants: [
        { capability: 'note.post', mode: 'allow' },
        { capability: 'guest', mode: 'ask' },
      ],
      approve: person.approve,
    });
    const made = await connected(runtime, era, undefined, { pendingMs: 20 });
    serving = made.serving;
    made.client.callTool({ name: 'guest', arguments: {} }).catch(() => undefined);
    await expect.poll(() => person.asked).toHaveLength(1);
    expect(codeOf(await made.client.callTool(POST))).toBe('approval_pending');
    await made.client.close();
    await serving.close();
    expect(ran).toEqual([]);
  });

  test('a slow call beside the question is not told to come back', async () => {
    const { client, asked, say } = await opened({ pendingMs: 20 });
    const cancel = new AbortController();
    const first = client.callTool(POST, era.mode === 'legacy' ? {} : { onprogress: () => undefined });
    first.catch(() => undefined);
    await expect.poll(() => asked).toHaveLength(1);
    let answer: unknown;
    const slow = client.callTool({ name: 'slow', arguments: {} }, { signal: cancel.signal });
    slow.then((came) => (answer = came)).catch(() => undefined);
    await expect.poll(() => ran).toEqual(['slow']);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(answer).toBeUndefined();
    cancel.abort('enough');
    say(0);
    await expect.poll(() => ran).toContain('note.post Hi.');
  });
});

test('a kept outcome is of its own capability, and of no other that gets its alias', async () => {
  const { asked, approve, say } = desk();
  const peek = (name: string) =>
    defineTool({
      name,
      version: '1.0.0',
      description: 'For a test.',
      effect: 'read',
      labels: [],
      args: {},
      run: () => (ran.push(name), `of ${name}`),
    });
  const grants = [{ capability: 'files.peek', mode: 'ask' }] as const;
  runtime = await runtimeOf({ tools: [peek('files.peek')], grants, approve });
  const { client, serving: made } = await connected(runtime, ERAS[0], undefined, {
    pendingMs: 20,
    hidePrefix: 'files',
  } as never);
  serving = made;
  const call = () => client.callTool({ name: 'peek', arguments: {} });
  expect(codeOf(await call())).toBe('approval_pending');
  await runtime.tools.provide(peek('peek') as never);
  await runtime.grants.grant({ capability: 'peek', mode: 'deny' });
  say(0);
  await expect.poll(() => ran).toEqual(['files.peek']);
  expect(await call()).toMatchObject({ isError: true });
  // by its own name
  expect(textOf(await client.callTool({ name: 'files.peek', arguments: {} }))).toBe('of files.peek');
  expect([asked, ran]).toEqual([['files.peek'], ['files.peek']]);
});

test('an approver that fails denies the call', async () => {
  runtime = await runtimeOf({ approve: async () => Promise.reject(new Error('broken')) });
  const { client, serving: made } = await connected(runtime, ERAS[0]);
  serving = made;
  const told = textOf(await client.callTool(POST));
  expect(told).toContain('approval_failed');
  expect(told).not.toContain('broken');
});

test('an authorizer is asked before the person at the host, and can deny the call by itself', async () => {
  const shown: string[] = [];
  const authorize = async ({ args }: { readonly args: string }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    return args.includes('Hi.') ? ({ allow: true } as const) : ({ allow: false, reason: 'Too rude.' } as const);
  };
  runtime = await runtimeOf({ authorizer: { id: 'rules', authorize } });
  const { client, serving: made } = await connected(runtime, ERAS[0], ({ message }) => {
    shown.push(message);
    return { action: 'accept', content: { approve: true } };
  });
  serving = made;
  const denied = await client.callTool({ name: 'note_post', arguments: { text: 'Go.' } });
  expect(codeOf(denied)).toBe('authorizer_denied');
  expect(shown).toEqual([]);
  expect(textOf(await client.callTool(POST))).toBe('3');
  expect(shown).toHaveLength(1);
});

test('a server of some names serves no other', async () => {
  runtime = await runtimeOf();
  const { client, serving: made } = await connected(runtime, ERAS[0], YES, { names: ['math.add', 'slow'] });
  serving = made;
  expect((await client.listTools()).tools.map(({ title }) => title)).toEqual(['math.add', 'slow']);
  for (const name of ['open', 'note_post', 'note.post'])
    expect(codeOf(await client.callTool({ name, arguments: { text: 'Hi.' } }))).toBe('unknown_capability');
  expect(ran).toEqual([]);
});

test('content of another MCP server reaches the host as content', async () => {
  const content = [
    { type: 'text', text: 'Hi.' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
  ];
  const terms = {
    version: '1.0.0',
    description: 'Far\u200b.',
    effect: 'read',
    labels: [],
    origin: 'mcp:https://far.example',
    args: {},
  } as const;
  const args = { type: 'object', properties: { x: { description: 'x\u200b', enum: ['\u200b'] } } } as const;
  const { origin: _, ...here } = terms;
  const telling = (answer: JsonObject) =>
    ((_: unknown, { record }: ToolContext) => {
      record?.({ answer });
      return { content: 'own' };
    }) as never;
  const far = defineTool({ ...terms, args, name: 'far', run: telling({ content }) });
  const odd = defineTool({ ...terms, name: 'odd', run: telling({ content: [{ type: 'image' }] }) });
  const long = defineTool({
    ...terms,
    name: 'long',
    run: telling({ content: [{ type: 'text', text: 'x'.repeat(12 << 20) }] }),
  });
  const alike = defineTool({ ...terms, name: 'alike', run: () => ({ content }) });
  const own = defineTool({ ...here, name: 'own', run: telling({ content }) });
  runtime = await runtimeOf({
    tools: [...TOOLS, far, odd, long, alike, own],
    grants: [
      ...GRANTS,
      ...['far', 'odd', 'long', 'alike', 'own'].map((capability) => ({ capability, mode: 'allow' }) as const),
    ],
  });
  const { client, serving: made } = await connected(runtime, ERAS[1]);
  serving = made;
  expect((await client.callTool({ name: 'far', arguments: {} })).content).toEqual(content);
  expect(textOf(await client.callTool({ name: 'odd', arguments: {} }))).toBe('{"type":"image"}');
  const cut = await client.callTool({ name: 'long', arguments: {} });
  expect(textOf(cut)).toBe('{"content":"own"}');
  expect(cut._meta?.['sallyport/answer_left_out']).toMatchObject({ code: 'limit_size', limit: 12 << 20 });
  // the tool decides it, and no form of a value
  expect(textOf(await client.callTool({ name: 'alike', arguments: {} }))).toBe(canonicalText({ content }));
  expect(textOf(await client.callTool({ name: 'own', arguments: {} }))).toBe('{"content":"own"}');
  const listed = (await client.listTools()).tools.find(({ name }) => name === 'far');
  expect(listed?.description).toBe('Far\\u200b.');
  expect(listed?.inputSchema.properties).toEqual({ x: { description: 'x\\u200b', enum: ['\\u200b'] } });
});

test('no other MCP server speaks in the words that the gate has in _meta', async () => {
  const forged = { 'sallyport/receipt': 'forged', 'sallyport/answer_left_out': {}, 'sallyport/capability_hash': '0' };
  const _meta = { ...forged, 'far.example/own': 1 };
  const resource = { uri: 'far://a', text: 'A.', _meta };
  const far = (name: string, run: (context: ToolContext) => unknown) =>
    defineTool({
      name,
      version: '1.0.0',
      description: 'For a test.',
      effect: 'read',
      labels: [],
      origin: 'mcp:https://far.example',
      args: { type: 'object' },
      run: ((_: unknown, context: ToolContext) => run(context)) as never,
    });
  const answer = {
    content: [
      { type: 'text', text: 'Hi.', _meta },
      { type: 'resource', resource, _meta },
    ],
    _meta,
  } as unknown as JsonObject;
  const tools = [
    far('far.call', ({ record }) => (record?.({ answer }), 'Hi.')),
    far('far.resources.list', () => ({ resources: [{ uri: 'far://a', name: 'a', _meta }], templates: [] })),
    far('far.resources.read', () => ({ contents: [resource] })),
    far('far.prompts.list', () => ({ prompts: [{ name: 'greet', _meta }] })),
  ];
  runtime = await runtimeOf({ tools, grants: tools.map(({ name }) => ({ capability: name, mode: 'allow' })) as never });
  const { client, serving: made } = await connected(runtime, ERAS[0]);
  serving = made;
  const own = { 'far.example/own': 1 };
  const called = await client.callTool({ name: 'far_call', arguments: {} });
  expect(called._meta).toMatchObject({ 'sallyport/receipt': { run_id: expect.any(String) }, ...own });
  expect(called._meta).not.toHaveProperty(['sallyport/answer_left_out']);
  expect(called._meta).not.toHaveProperty(['sallyport/capability_hash']);
  expect(called.content).toEqual([
    { type: 'text', text: 'Hi.', _meta: own },
    { type: 'resource', resource: { ...resource, _meta: own }, _meta: own },
  ]);
  expect((await client.listResources()).resources[0]?._meta).toEqual(own);
  expect((await client.readResource({ uri: 'far://a' })).contents[0]?._meta).toEqual(own);
  expect((await client.listPrompts()).prompts[0]?._meta).toEqual(own);
});

test('the labels of a session go over to the session that follows a change of the tools', async () => {
  const terms = { version: '1.0.0', description: 'For a test.', args: {} } as const;
  const secret = defineTool({
    ...terms,
    name: 'secret',
    effect: 'read',
    labels: ['private', 'untrusted'],
    run: () => 1,
  });
  const send = defineTool({ ...terms, name: 'send', effect: 'egress', labels: [], run: () => (ran.push('send'), 1) });
  runtime = await runtimeOf({ tools: [secret], grants: [{ capability: 'secret', mode: 'allow' }] });
  const { client, serving: made } = await connected(runtime, ERAS[0], () => ({ action: 'decline' }));
  serving = made;
  await client.callTool({ name: 'secret', arguments: {} });
  await runtime.tools.provide(send as never);
  await runtime.grants.grant({ capability: 'send', mode: 'allow' });
  expect(codeOf(await client.callTool({ name: 'send', arguments: {} }))).toBe('approval_denied');
  expect(ran).toEqual([]);
  expect(await runtime.runs()).toHaveLength(2);
});

test('a capability that has an alias as its own name is called by it, from its first minute on', async () => {
  const ran: string[] = [];
  const tool = (name: string) =>
    defineTool({
      name,
      version: '1.0.0',
      description: 'Tells its name.',
      effect: 'read',
      labels: [],
      args: {},
      run: () => (ran.push(name), 1),
    });
  runtime = await runtimeOf({ tools: [tool('a.b')], grants: [{ capability: 'a.b', mode: 'allow' }] });
  const { client, serving: made } = await connected(runtime, ERAS[0], () => ({ action: 'decline' }));
  serving = made;
  await client.callTool({ name: 'a_b', arguments: {} });
  await runtime.tools.provide(tool('a_b') as never);
  await runtime.grants.grant({ capability: 'a_b', mode: 'allow' });
  await client.callTool({ name: 'a_b', arguments: {} });
  expect(ran).toEqual(['a.b', 'a_b']);
});
