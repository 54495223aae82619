import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../core/errors.ts';
import { contentHash, encodeText, formatExport, type ToolContext } from '../../../core/index.ts';
import type { LogBody } from '../../../core/ledger/kinds/log.ts';
import type { StandingYes } from '../../../core/run/event.ts';
import type { CapabilityDefinition, GrantOption, ModelPort, OpenQuestion, Run, Runtime } from '../../../workers/api.ts';
import { rawJsonIn } from '../../../workers/client/raw-json.ts';
import { rejecterOf } from '../../../workers/client/rejections.ts';
import { defineCodeTool, definePower, defineTool, fromScript, ModelError } from '../../../workers/node.ts';
import { emptyLog, type MemoryLog } from '../../../workers/store/memory/store.ts';
import { makePasskey, ORIGIN } from '../../authenticator.ts';
import { execute, message, name, put, read, write } from '../../runtime/content/messages.ts';
import { openAt, openRuntime } from '../../runtime/shared.ts';
import { forgeTexts } from '../ledger/forge.ts';

/**
 * Small runs that together hold each kind of record, each of its events and each part of the pipeline. Exports by name.
 */
export async function richRuns(): Promise<ReadonlyMap<string, string>> {
  const made = await Promise.all([
    guest().then((text) => [['guest', text]] as const),
    messages().then((text) => [['messages', text]] as const),
    program().then((text) => [['program', text]] as const),
    sessions(),
    waiting().then((text) => [['waiting', text]] as const),
    crashed().then((text) => [['crashed', text]] as const),
    signed().then((text) => [['signed', text]] as const),
    secret(),
    edited().then(({ whole }) => [['edited', whole]] as const),
  ]);
  const kept = ['asked', 'private'].map((name) => [name, exportOf(name)] as const);
  return new Map([...made.flat(), ...kept, ['log', log()]]);
}

function exportOf(name: string): string {
  return readFileSync(join(import.meta.dirname, `../../vectors/exports/${name}.jsonl`), 'utf8');
}

const common = { version: '1.0.0', description: 'For a test.', args: { type: 'object' } } as const;
const FEW = { fuel: 200_000 } as const;
const steps = (tool: string, args: object = {}) => ({ next_step: { tool, arguments: args, goal: 'try' } });
const DONE = { done: true, message: 'done' } as const;

const allowed = (...names: readonly string[]): readonly GrantOption[] =>
  names.map((capability) => ({ capability, mode: 'allow' }));

/** Runs a script to its end, and exports it with its secrets. */
async function exported(runtime: Runtime, run: Run): Promise<string> {
  await run.result;
  const text = await runtime.ledger.export(run.id, { secrets: true });
  await runtime.close();
  return text;
}

/** Calls of guest code with built-in powers and powers of the page, their questions, their refusals and their ends. */
async function guest(): Promise<string> {
  const powers = [
    definePower({ ...common, args: {}, name: 'page.read', effect: 'read', labels: ['private'], run: () => 'read' }),
    definePower({
      ...common,
      args: {},
      name: 'mail.send',
      effect: 'egress',
      run: (text) => `sent ${JSON.stringify(text)}`,
    }),
    definePower({ ...common, args: {}, name: 'mail.drop', effect: 'write', run: () => null }),
  ];
  const use = `export default async (_, powers) => {
    const text = await powers.page.read(1);
    const said = await powers.mail.send(text + '!').catch((e) => e.name);
    return [text, said, await powers.mail.drop(2).catch((e) => e.name), Math.random()];
  }`;
  const own = `export default async (_, { random, clock, log, store }) => {
    log('kept'); await store.put('k', await store.get('k'));
    return [await random(), await clock()];
  }`;
  const capabilities: readonly CapabilityDefinition[] = [
    { ...common, name: 'use', effect: 'read', labels: [], powers: powers.map((each) => each.name), source: use },
    {
      ...common,
      name: 'own',
      effect: 'write',
      powers: ['random', 'clock', 'log', 'store.get', 'store.put'],
      source: own,
    },
    { ...common, name: 'loop', effect: 'pure', limits: FEW, source: 'export default () => { for (;;); }' },
    {
      ...common,
      name: 'throw',
      effect: 'pure',
      source: 'export default () => { console.log("soon"); throw new RangeError("no"); }',
    },
    { ...common, name: 'wrong', effect: 'pure', result: { type: 'string' }, source: 'export default () => 1' },
  ];
  let asked = 0;
  const runtime = await openRuntime({
    capabilities,
    powers,
    grants: [
      ...allowed('use', 'own', 'loop', 'throw', 'wrong'),
      { power: 'page.read', mode: 'allow', uses: 2 },
      { power: 'mail.send', mode: 'ask' },
      { power: 'mail.drop', mode: 'deny' },
    ],
    approve: async () => (++asked === 2 ? { approved: false, reason: 'not now' } : { approved: true }),
  });
  const model = fromScript([
    'no json',
    ...['use', 'use', 'use', 'own', 'loop', 'throw', 'wrong', 'none'].map((each) => steps(each)),
    DONE,
  ]);
  const limits = { refusalsInRow: 10 };
  return exported(
    runtime,
    runtime.start({ dialect: 'xct', task: 'Use them.', model, heapHash: true, seed: 7, limits }),
  );
}

/** A run whose grants want signatures of two persons, for a call, for a standing yes and for a power; a third comes late. */
export async function signed(): Promise<string> {
  const passkeys = { Ada: await makePasskey(), Bob: await makePasskey('EdDSA'), Eve: await makePasskey() };
  const by = Object.entries(passkeys).map(([name, { key }]) => ({ name, key, origin: ORIGIN }));
  const asks = { mode: 'ask', signed: { by, of: 2 } } as const;
  const use = 'export default (_, { mail }) => mail.send("hello")';
  const runtime = await openRuntime({
    powers: [definePower({ ...common, args: {}, name: 'mail.send', effect: 'egress', run: () => 'sent' })],
    capabilities: [
      { ...common, name: 'send', effect: 'egress', source: 'export default () => "sent"' },
      { ...common, name: 'keep', effect: 'write', source: 'export default () => "kept"' },
      { ...common, name: 'use', effect: 'read', labels: [], powers: ['mail.send'], source: use },
    ],
    grants: [
      { capability: 'send', ...asks },
      { capability: 'keep', ...asks },
      ...allowed('use'),
      { power: 'mail.send', ...asks },
    ],
  });
  const model = fromScript([...['send', 'keep', 'keep', 'use'].map((each) => steps(each)), DONE]);
  const run = runtime.start({ dialect: 'xct', task: 'Send it.', model });
  const sign = async (by: keyof typeof passkeys, digest: string, definition: string, standing?: StandingYes) => {
    const answer = standing === undefined ? 'once' : { ...standing };
    const assertion = await passkeys[by].sign({ digest, definition, answer });
    await runtime.answerSigned(digest, assertion, standing);
  };
  let before = '';
  for (const standing of [undefined, { args: 'any', uses: 2 } as const, undefined]) {
    const { digest, capability_hash } = await asked(run, before);
    before = digest;
    await sign('Ada', digest, capability_hash, standing);
    await sign('Bob', digest, capability_hash, standing);
    await sign('Eve', digest, capability_hash, standing).catch(() => undefined);
  }
  return exported(runtime, run);
}

/** The next question of a run. */
function asked(run: Run, before: string): Promise<OpenQuestion> {
  return new Promise((resolve) => {
    const look = ({ pending }: Run['view']) => pending && pending.digest !== before && resolve(pending);
    run.watch(look);
    look(run.view);
  });
}

const TEXT = '# A\none\n## B\ntwo\n';

/** Messages that read, write and call, with outputs, a failure that is not critical, a breach of a budget, and an end. */
async function messages(): Promise<string> {
  const double = { ...common, name: 'double', effect: 'pure', source: 'export default ({ n }) => n * 2' } as const;
  const keep = { ...common, name: 'keep', effect: 'write', source: 'export default () => "kept"' } as const;
  const fail = {
    ...common,
    name: 'fail',
    effect: 'pure',
    source: 'export default () => { throw new Error("no") }',
  } as const;
  const runtime = await openRuntime({
    capabilities: [double, keep, fail],
    grants: allowed('content.read', 'content.write', 'double', 'keep', 'fail'),
    guard: false,
  });
  await put(runtime, { 'a.md': TEXT });
  await name(runtime, '@x/file', 'FILE', 'a.md');
  await name(runtime, '@x/b', 'SECTION', 'a.md#["A","B"]');
  const call = (tool: string, more: object = {}) => execute(`@TOOLS/${tool}`, { args: {}, ...more });
  const model = fromScript([
    message([read('@x/b'), call('double', { args: { n: 2 }, output: 'four' }), call('keep')], {
      required_outputs: ['four'],
    }),
    message([call('fail', { critical: false }), call('keep')]),
    message([
      write('@x/b', { content: '## C\nthree\n', expected_hash: contentHash('## B\ntwo\n') }),
      call('keep'),
      read('@x/file'),
    ]),
    message([read('@x/file'), read('@x/b'), read('@x/file'), read('@x/b')]),
    message([read('@x/none')]),
    message([]),
  ] as never);
  return exported(runtime, runtime.start({ dialect: 'catalytic', task: 'Work.', model }));
}

/** A program that reads content and calls tools: reads without a record of their own, and inner calls. */
async function program(): Promise<string> {
  const send = defineTool({ ...common, name: 'send', effect: 'egress', labels: [], run: () => 'sent' });
  const look = {
    ...common,
    name: 'look',
    effect: 'egress',
    labels: [],
    powers: ['sections.expand', 'sections.search', 'mail.send'],
    source: `export default async (_, { sections, mail }) => {
      const said = [await sections.expand('@x/b', 'head(1)'), await sections.search('two', 3)];
      return [...said, await mail.send('hello')];
    }`,
  } as CapabilityDefinition;
  const mail = definePower({ ...common, args: {}, name: 'mail.send', effect: 'egress', run: () => 'sent' });
  const runtime = await openRuntime({
    capabilities: [look, defineCodeTool({ name: 'program', tools: [send] })],
    tools: [send],
    powers: [mail],
    grants: [...allowed('look', 'program', 'send', 'content.read'), { power: 'mail.send', mode: 'allow' }],
    guard: false,
  });
  await put(runtime, { 'a.md': TEXT });
  await name(runtime, '@x/b', 'SECTION', 'a.md#["A","B"]');
  const inner = steps('program', {
    program: 'return [await tools.send({ text: "hello" }), await tools.send(1).catch((e) => e.name)];',
  });
  return exported(
    runtime,
    runtime.start({ dialect: 'xct', task: 'Look.', model: fromScript([steps('look'), inner, DONE]) }),
  );
}

/**
 * Two sessions of a host. The first: tools with a declared effect, answers of each sort, a standing yes, an expired
 * grant, a revocation, messages that were turned away. The second goes on for the first.
 */
async function sessions(): Promise<readonly (readonly [string, string])[]> {
  const args = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
  const tool = { ...common, args, run: ({ text }: { text: string }) => text } as const;
  const tools = [
    defineTool({
      ...tool,
      name: 'echo',
      effect: 'read',
      labels: ['untrusted'],
      declared: 'd'.repeat(64),
      origin: 'mcp:here',
      run: ((args: { text: string }, { record }: ToolContext) => {
        record?.({ answer: { content: [args.text] }, repeated: 'session_forgotten' });
        return args.text;
      }) as never,
    }),
    defineTool({ ...tool, name: 'send', effect: 'egress', labels: [] }),
    defineTool({
      ...tool,
      name: 'fail',
      effect: 'pure',
      run: () => {
        throw new RangeError('no');
      },
    }),
  ];
  let asked = 0;
  const answers = [
    { approved: false, reason: 'not that' },
    { approved: true },
    { approved: true, standing: { args: 'any', uses: 5 } },
  ] as const;
  const runtime = await openRuntime({
    tools,
    grants: [
      { capability: 'echo', mode: 'allow', uses: 9, rate: [{ calls: 9, windowMs: 60_000 }] },
      { capability: 'send', mode: 'ask' },
      { capability: 'fail', mode: 'allow', expires: Date.now() + 86_400_000 },
    ],
    approve: async () => answers[asked++ % 3] ?? { approved: true },
  });
  const first = runtime.openSession({ label: 'a host' });
  const wire = '{"method":"tools/call"}';
  await first.call('echo', rawJsonIn('{"text":"one"}', encodeText(wire)), { goal: 'to hear it' });
  const reject = rejecterOf(first);
  const turned = refuse('wrong_type', { expected: 'text', got: 'a number' });
  await reject({ from: 'mcp', refusal: turned.refusal, bytes: encodeText('{"text":1}') });
  await reject({ from: 'mcp', counts: [{ class: turned.refusal.class, code: 'wrong_type', count: 3 }] });
  for (const text of ['no', 'yes', 'always', 'once more']) await first.call('send', { text });
  await first.call('fail', { text: 'x' });
  await first.call('echo', { text: 1 });
  for (const { id, capability } of await runtime.grants.list())
    if (capability === 'fail') await runtime.grants.revoke(id);
  await first.call('fail', { text: 'x' });
  await first.close('thank you');
  const second = runtime.openSession({ after: first.run.id });
  await second.call('echo', { text: 'two' });
  await second.run.abort('enough');
  const all = [first, second].map(async ({ run }, nth) => {
    const text = await runtime.ledger.export(run.id, { secrets: true });
    return [nth === 0 ? 'session' : 'session after', text] as const;
  });
  const texts = await Promise.all(all);
  await runtime.close();
  return texts;
}

/** A model that fails, counts its tokens and is cut off, a second task, and a limit that ends the run. */
async function waiting(): Promise<string> {
  const turns = [
    new ModelError('The server is busy.', { retryable: true, afterMs: 1500 }),
    { message: { content: 'first' } },
    { tool_call: { tool: 'put', args: {} } },
    { tool_call: { tool: 'put', args: {} } },
  ];
  let asked = 0;
  const model: ModelPort = {
    id: 'failing',
    locality: { kind: 'local' },
    async propose() {
      const turn = turns[asked++];
      if (turn instanceof Error || turn === undefined) throw turn ?? new Error('asked too often');
      const facts = { usage: { input: 10, output: 2 }, finish: 'stop', providerData: `signature ${asked}` } as const;
      return { text: JSON.stringify(turn), ...facts };
    },
  };
  const keep = { ...common, name: 'put', effect: 'write', source: 'export default () => "kept"' } as const;
  const grants: readonly GrantOption[] = [{ capability: 'put', mode: 'ask', expires: Date.now() + 86_400_000 }];
  const runtime = await openRuntime({ capabilities: [keep], grants, approve: async () => ({ approved: true }) });
  const run = runtime.start({ dialect: 'femtoclaw', task: 'Talk.', model, limits: { steps: 3 } });
  await run.run();
  await run.run();
  await run.result;
  await run.say('And now?');
  return exported(runtime, run);
}

/** A call that a crash cut off, and a question that the next process put again. */
async function crashed(): Promise<string> {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const keep = { ...common, name: 'put', effect: 'write', source: 'export default () => "kept"' } as const;
  const ask = { ...keep, name: 'ask' };
  const grants: readonly GrantOption[] = [...allowed('put'), { capability: 'ask', mode: 'ask' }];
  const before: MemoryLog = emptyLog();
  const first = await openAt(clock, { capabilities: [keep, ask], grants }, before);
  const run = first.start({ dialect: 'xct', task: 'Note.', model: fromScript([steps('put'), steps('put')]) });
  await run.step();
  before.batches.pop();
  clock.now += 60_000;
  const second = await openAt(clock, {}, before);
  const again = await second.resume(run.id, fromScript([steps('ask')]));
  await again.step();
  clock.now += 60_000;
  const third = await openAt(clock, {}, before);
  const last = await third.resume(run.id, fromScript([DONE]));
  const { digest = '' } = last.view.pending ?? again.view.pending ?? {};
  clock.now += 60_000;
  await last.answer(digest, { approved: true });
  await last.run();
  return exported(third, last);
}

/** A secret step, once with its texts and once as a file that leaves them out. */
async function secret(): Promise<readonly (readonly [string, string])[]> {
  const key = {
    ...common,
    name: 'key',
    effect: 'write',
    secret: ['args', 'result'],
    source: 'export default () => "k"',
  } as const;
  const runtime = await openRuntime({ capabilities: [key], grants: allowed('key') });
  const run = runtime.start({ dialect: 'xct', task: 'Keep it.', model: fromScript([steps('key', { n: 1 }), DONE]) });
  await run.result;
  const whole = await runtime.ledger.export(run.id, { secrets: true });
  const stripped = await runtime.ledger.export(run.id);
  await runtime.close();
  return [
    ['secret', whole],
    ['secret left out', stripped],
  ];
}

/** Calls that a person has edited: one with a handle, and one whose texts are secret. */
export async function edited(): Promise<{ readonly whole: string; readonly stripped: string }> {
  const key = {
    ...common,
    name: 'key',
    effect: 'write',
    secret: ['args'],
    source: 'export default () => "k"',
  } as const;
  const runtime = await openRuntime({
    capabilities: [key],
    tools: [
      defineTool({ ...common, name: 'find', effect: 'read', run: () => 'found' }),
      defineTool({ ...common, name: 'send', effect: 'egress', labels: [], run: () => 'sent' }),
    ],
    grants: [...allowed('find'), { capability: 'send', mode: 'ask' }, { capability: 'key', mode: 'ask' }],
    hold: 'untrusted',
  });
  const text = { $held: 'h1' };
  const model = fromScript([steps('find'), steps('send', { to: 'a', text }), steps('key', { n: 1 }), DONE]);
  const run = runtime.start({ dialect: 'xct', task: 'Send it.', model });
  let before = '';
  for (const args of [{ to: 'b', text: 'found' }, { n: 2 }]) {
    const { digest } = await asked(run, before);
    before = digest;
    await run.answer(digest, { approved: true, instead: await run.edit(digest, args), via: 'gesture' });
  }
  await run.result;
  const whole = await runtime.ledger.export(run.id, { secrets: true });
  const stripped = await runtime.ledger.export(run.id);
  await runtime.close();
  return { whole, stripped };
}

const RUN = '5a117007-0000-4000-8000-000000000001';
const HASH = 'c'.repeat(64);

/** The run of a device's log. No run decides about it, so that its records are written here by hand. */
function log(): string {
  const place = { size: 4, root: HASH };
  const bodies: readonly LogBody[] = [
    { event: 'lost', ...place, found: 2 },
    { event: 'restored', ...place, found: 2 },
    { event: 'archived', run: RUN, records: 4, head: HASH, file: HASH },
    { event: 'backup_made', ...place },
    { event: 'backup_restored', ...place, found: 2 },
    { event: 'notified', run: RUN, digest: HASH, to: 'https://push.example', tries: 3, outcome: 'failed', status: 500 },
    { event: 'undone', run: RUN, step: 1, files: [{ path: 'a.md', before: HASH, after: HASH }] },
    { event: 'erased', run: RUN, payloads: [HASH] },
    { event: 'deleted', run: RUN, records: 4, head: HASH },
  ];
  const texts = forgeTexts(
    'system',
    bodies.map((body) => ({ kind: 'log', body })),
  );
  return formatExport('system', texts, []);
}
