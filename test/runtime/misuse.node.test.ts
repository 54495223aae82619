import { describe, expect, test } from 'vitest';
import { decode } from '../../core/index.ts';
import { verifyExport } from '../../core/verify.ts';
import * as node from '../../workers/node.ts';
import { temporaryFolder } from '../folder.ts';

/** Mistakes of a program without a compiler: each is refused at once and by name, and leaves no resource open. */
const ADD = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds.',
  args: { type: 'object' },
  effect: 'pure',
  source: 'export default () => 1;',
} as const;
const DONE = { done: true, message: 'x' };
const ODD = [null, -1, 1.5, Number.NaN, 'x', true, [], {}, () => 1, Symbol('s'), 10n, new Map(), new Uint8Array(2)];

/** Gives each odd value to an option: it is taken, or refused with a code. Returns the taken values. */
async function tried(use: (value: never) => unknown): Promise<readonly unknown[]> {
  const taken: unknown[] = [];
  for (const value of ODD) {
    try {
      await use(value as never);
      taken.push(value);
    } catch (error) {
      expect(error, String(value)).toBeInstanceOf(node.SallyportError);
    }
  }
  return taken;
}

function refused(name: string, wants?: RegExp) {
  const message: unknown = expect.stringMatching(wants ?? /./);
  return { code: 'option_invalid', message, details: expect.objectContaining({ name }) as unknown };
}

describe('openRuntime', () => {
  test.each(['capabilities', 'powers', 'grants', 'approve', 'consent'])(
    'openRuntime takes only a value of the right type for %s',
    async (name) => {
      const taken = await tried(async (value) => (await node.openRuntime({ [name]: value })).close());
      expect(taken).toEqual(
        ODD.filter((value) => (name.endsWith('s') ? Array.isArray(value) : typeof value === 'function')),
      );
    },
  );

  test('openRuntime releases the ledger when its options are refused', async () => {
    const directory = temporaryFolder();
    const store = { directory };
    const open = (capability: object) => node.openRuntime({ store, capabilities: [capability as typeof ADD] });
    await expect(open({ ...ADD, lables: ['private'] })).rejects.toMatchObject({ code: 'definition_invalid' });
    await expect(open({ ...ADD, version: undefined })).rejects.toMatchObject({ code: 'definition_invalid' });
    await (await open(ADD)).close();
  });
});

describe('a mistake of a program is told with its place and with what to write instead', () => {
  const { source: _, ...terms } = ADD;
  const tool = node.defineTool({ ...terms, run: () => 1 });
  const open = (options: object) => async () => (await node.openRuntime(options)).close();
  const grants = (...given: unknown[]) => open({ tools: [tool], grants: given });
  const named = { capability: 'math.add', mode: 'allow' };
  test.each<readonly [string, () => unknown, RegExp]>([
    [
      'an option with a wrong name',
      open({ tool: [] }),
      /The option tool is unknown here; known are store, .*tools, grants/,
    ],
    [
      'a mode with a wrong word',
      grants({ ...named, mode: 'alow' }),
      /mode has to be allow, ask or deny at \/grants\/0/,
    ],
    ['a path as a store', open({ store: './ledger' }), /it is the text "\.\/ledger"\. Use .*\{ directory: 'PATH' \}/],
    ['a store with a wrong name', open({ store: { dir: 'x' } }), /names no store of Node\. Use /],
    ['a grant that is a text', grants('math.add'), /The option grants\[0\] has to be an object/],
    ['a second grant without a mode', grants(named, { capability: 'math.add' }), /mode .* at \/grants\/1\/mode\. /],
    [
      'a grant with a wrong name',
      grants({ name: 'x', mode: 'ask' }),
      /name is unknown here; known are .*capability.* at \/grants\/0\/name/,
    ],
    [
      'a source that is a function',
      () => node.defineCapability({ ...ADD, source: (() => 1) as never }),
      /source must be the text of a module; a function is `run` of defineCapability at \/source/,
    ],
    [
      'a source beside a run',
      () => node.defineCapability({ ...ADD, run: () => 1 } as never),
      /either source or run, not both\. Keep one\./,
    ],
    [
      'a definition that defineCapability has not seen',
      open({ capabilities: [{ ...terms, run: () => 1 }] }),
      /for guest code defineCapability makes a source of `run` at \/capabilities\/0/,
    ],
    ['neither', () => node.defineCapability(terms as never), /needs a run, which is a function, or a source/],
    [
      'a native function',
      () => node.defineCapability({ ...terms, run: Math.max } as never),
      /native or bound\. Write it/,
    ],
    [
      'no version',
      () => node.defineCapability({ ...ADD, version: undefined as never }),
      /the version is missing: .* at \/version/,
    ],
    [
      'a tool with the function under another name',
      () => node.defineTool({ ...terms, execute: () => 1 } as never),
      /a capability has no member execute; a function of the program is `run` of defineTool/,
    ],
    ['a tool without a function', () => node.defineTool(terms as never), /The option run has to be a function/],
    [
      'a tool among the capabilities',
      open({ capabilities: [tool] }),
      /it has a `run`: a tool of defineTool belongs into `tools`, .* at \/capabilities\/0/,
    ],
    [
      'a capability among the tools',
      open({ tools: [ADD] }),
      /run has to be a function; a definition with a source belongs into capabilities/,
    ],
    [
      'a power without a function',
      () => node.definePower({ ...terms, run: undefined as never }),
      /The option run has to be a function/,
    ],
    [
      'a second capability with a wrong version',
      open({ capabilities: [ADD, { ...ADD, name: 'b', version: '1' }] }),
      /MAJOR\.MINOR\.PATCH at \/capabilities\/1\/version/,
    ],
  ])('%s', async (_, act, said) => {
    await expect((async () => act())()).rejects.toMatchObject({ message: expect.stringMatching(said) as unknown });
  });
});

describe('the ledger', () => {
  test('takes only a text for a run, and a hash or a reference for a payload', async () => {
    await using runtime = await node.openRuntime();
    const { ledger, held } = runtime;
    const reading = [ledger.records, ledger.explain, ledger.payloads, held.list] as const;
    for (const read of reading) expect(await tried((run_id) => read(run_id))).toEqual(['x']);
    const others = [ledger.export, ledger.verify, ledger.archive, ledger.delete, ledger.erase] as const;
    for (const act of others) expect(await tried((run_id) => act(run_id))).toEqual([]);
    expect(await tried((name) => ledger.payload('x', name))).toEqual(['x']);
    await expect(ledger.payload('x', { sha256: 5 } as never)).rejects.toMatchObject(refused('name'));
  });
});

describe('a run', () => {
  const start = (options: object) => async () => {
    await using runtime = await node.openRuntime();
    const model = node.fromScript([DONE]);
    return await runtime.start({ dialect: 'xct', task: 'x', model, ...options }).result;
  };

  test.each([
    ['a dialect that is none', { dialect: 'toString' }, refused('dialect', /femtoclaw, xct or catalytic/)],
    ['no task', { task: undefined }, refused('task')],
    ['a task that cannot be hashed', { task: '\ud800' }, refused('task')],
    ['a task that no request has room for', { task: `${'é'.repeat(30 << 10)}!` }, refused('task')],
    ['no model', { model: undefined }, refused('model', /a model/)],
    ['a model that proposes nothing', { model: { id: 'm' } }, refused('model.propose', /a function/)],
    ['limits that are a number', { limits: 5 }, refused('limits')],
    ['a limit that is misspelt', { limits: { stepz: 0 } }, refused('stepz', /unknown here/)],
    ['a limit that is a text', { limits: { steps: '5' } }, refused('steps', /a whole number/)],
    ['a budget that is misspelt', { budgets: { max_section: 1 } }, refused('max_section')],
  ])('runtime.start refuses %s', async (_, options, error) => {
    await expect(start(options)()).rejects.toMatchObject(error);
  });

  test("a refusal of start and of a session has its caller's line in its stack", async () => {
    await using runtime = await node.openRuntime();
    const model = node.fromScript([DONE]);
    const ownStart = () => runtime.start({ dialect: 'nope' as never, task: 'x', model });
    const stack: unknown = expect.stringMatching(/^SallyportError: The option dialect.*\n[^]*ownStart/u);
    await expect(ownStart().result).rejects.toMatchObject({ stack });
    const ownSession = () => runtime.openSession({ limits: { stepz: 1 } as never });
    const other: unknown = expect.stringMatching(/^SallyportError: The option stepz.*\n[^]*ownSession/u);
    await expect(ownSession().run.result).rejects.toMatchObject({ stack: other });
  });

  test('a run takes an undefined limit as an absent limit', async () => {
    expect(await start({ limits: { steps: undefined } })()).toMatchObject({ state: 'completed' });
  });

  test.each([[{}], [{ text: DONE }], ['{"done":true,"message":"x"}'], [null]])(
    'a run fails with model_failed when its model answers %j',
    async (answer) => {
      const model = { id: 'm', propose: async () => answer };
      expect(await start({ model })()).toMatchObject({ state: 'failed', code: 'model_failed' });
    },
  );

  test("a run fails with model_failed when the message of its model's error has a lone surrogate", async () => {
    const model = { id: 'm', propose: () => Promise.reject(new Error('half a pair: \ud800')) };
    expect(await start({ model })()).toMatchObject({ state: 'failed', code: 'model_failed' });
  });

  test('run.say takes texts only, and run.abort does not take an event as its reason', async () => {
    await using runtime = await node.openRuntime();
    const run = runtime.start({ dialect: 'xct', task: 'x', model: node.fromScript([DONE]), paused: true });
    await expect(run.say(5 as never)).rejects.toMatchObject(refused('task'));
    await expect(run.say('x'.repeat((60 << 10) + 1))).rejects.toMatchObject(refused('task'));
    await run.say('x'.repeat(60 << 10));
    await run.abort(new Event('click') as never);
    expect(await run.result).toMatchObject({ state: 'aborted', message: 'aborted' });
    await expect(runtime.ledger.export('nobody')).rejects.toMatchObject({ code: 'run_absent' });
    await expect(runtime.ledger.verify('nobody')).rejects.toMatchObject({ code: 'run_absent' });
  });

  test.each([['a text'], [5], [undefined]])('fromScript refuses %j as a script', (items) => {
    expect(() => node.fromScript(items as never)).toThrow(node.SallyportError);
  });
});

test('content.add takes files with bytes only, and stores no other file', async () => {
  await using runtime = await node.openRuntime();
  expect(await tried((bytes) => runtime.content.add([{ path: 'a.md', bytes }]))).toEqual([new Uint8Array(2)]);
  expect(await tried((path) => runtime.content.add([{ path, bytes: new Uint8Array() }]))).toEqual(['x']);
  expect(await tried((file) => runtime.content.add([file]))).toEqual([]);
  expect(await tried((files) => runtime.content.add(files))).toEqual([[], new Map()]);
  expect((await runtime.content.files()).map(({ path }) => path)).toEqual(['a.md', 'x']);
});

test('createValidator and validate refuse a wrong dialect, list or limit, and bytes of a wrong type', async () => {
  const given = { dialect: 'xct', capabilities: [ADD] } as const;
  await expect(node.createValidator(undefined as never)).rejects.toMatchObject(refused('dialect'));
  await expect(node.createValidator({ ...given, dialect: 'XCT' as never })).rejects.toMatchObject(refused('dialect'));
  await expect(node.createValidator({ ...given, limits: { size: 1 } as never })).rejects.toMatchObject(refused('size'));
  await using validator = await node.createValidator(given);
  expect(await tried((bytes) => validator.validate(bytes))).toEqual([new Uint8Array(2)]);
  expect(await validator.validate(Buffer.from(JSON.stringify(DONE)))).toMatchObject({ accepted: true });
});

test('a sandbox refuses values of the wrong type in the options of a call', async () => {
  await using sandbox = await node.createSandbox();
  await tried((options) => sandbox.load(options));
  for (const name of ['name', 'source', 'args', 'result', 'powers', 'limits'])
    await tried((value) => sandbox.load({ name: 'x', source: 'export default () => 1;', [name]: value }));
  const loaded = await sandbox.load({ name: 'x', source: 'export default () => 1;' });
  expect(await tried((seed) => loaded.call({}, { seed }))).toEqual([]);
  expect(await tried((now) => loaded.call({}, { now }))).toEqual([-1]);
  expect(await tried((signal) => loaded.call({}, { signal }))).toEqual([]);
  expect(await tried((heapHash) => loaded.call({}, { heapHash }))).toEqual([true]);
});

/** A misspelt option would be silently without effect, so that an unknown name is refused. */
test('each function of the surface refuses an option with an unknown name', async () => {
  await using runtime = await node.openRuntime();
  await using sandbox = await node.createSandbox();
  const source = 'export default () => 1;';
  const loaded = await sandbox.load({
    name: 'x',
    version: '1.0.0',
    description: 'A definition, whole.',
    source,
  } as never);
  const model = node.fromScript([DONE]);
  const run = runtime.start({ dialect: 'xct', task: 'x', model });
  await run.result;
  const jsonl = await runtime.ledger.export(run.id);
  const endpoint = { baseUrl: 'http://localhost:1/v1', model: 'm' };
  const stray = { anchr: '1:00' } as never;
  const uses: { readonly [name: string]: () => unknown } = {
    openRuntime: () => node.openRuntime(stray),
    'openRuntime, its store': () => node.openRuntime({ store: { directory: 'never-made', anchr: 1 } as never }),
    'openRuntime, its assets': () => node.openRuntime({ assets: '/x' } as never),
    start: () => runtime.start({ dialect: 'xct', task: 'x', model, anchr: 1 } as never),
    resume: () => runtime.resume(run.id, model, stray),
    follow: () => runtime.follow(run.id, stray)[Symbol.asyncIterator]().next(),
    records: () => run.records(stray),
    telemetry: () => run.telemetry(stray),
    showTracks: () => node.showTracks(run, stray),
    export: () => runtime.ledger.export(run.id, stray),
    verify: () => runtime.ledger.verify(run.id, stray),
    check: () => runtime.ledger.check(jsonl, stray),
    checkpoint: () => runtime.ledger.checkpoint(stray),
    fsck: () => runtime.ledger.fsck(stray),
    backup: () => runtime.storage.backup(stray),
    restore: () => runtime.storage.restore(new Uint8Array(), stray),
    'content.add': () => runtime.content.add([], stray),
    'content.replace': () => runtime.content.replace([], stray),
    verifyExport: () => node.verifyExport(jsonl, stray),
    replayExport: () => node.replayExport(jsonl, stray),
    'core.verifyExport': () => verifyExport(jsonl, stray),
    'core.decode': () => decode(new Uint8Array(), stray),
    createValidator: () => node.createValidator({ dialect: 'xct', capabilities: [], anchr: 1 } as never),
    createSandbox: () => node.createSandbox(stray),
    'createSandbox, its limits': () => node.createSandbox({ limits: stray }),
    load: () => sandbox.load({ name: 'x', source, anchr: 1 } as never),
    'load, its limits': () => sandbox.load({ name: 'x', source, limits: { anchr: 1 } as never }),
    call: () => loaded.call({}, stray),
    fromOpenAI: () => node.fromOpenAI({ ...endpoint, anchr: 'x' } as never),
    'fromOpenAI, its test': () => node.fromOpenAI(endpoint).testEndpoint(stray),
  };
  for (const [name, use] of Object.entries(uses)) {
    const told = await Promise.resolve()
      .then(use)
      .then(
        () => 'was taken',
        (error: unknown) => error,
      );
    expect(told, name).toMatchObject(refused(name === 'openRuntime, its assets' ? 'assets' : 'anchr', /unknown here/));
  }
});

test('an option that a polluted Object.prototype holds is ignored', () => {
  const { prototype } = Object;
  Object.defineProperty(prototype, 'anchor', { value: 5, configurable: true });
  try {
    expect(verifyExport('{}\n', {}).checks[3]).toMatchObject({ id: 'anchor', status: 'not_run' });
  } finally {
    delete (prototype as { anchor?: unknown }).anchor;
  }
});

test('verifyExport and replayExport refuse bytes in place of a text, and an anchor that is no text', async () => {
  await expect(node.verifyExport(Buffer.from('{}\n') as never)).rejects.toMatchObject(refused('text', /not its bytes/));
  await expect(node.verifyExport('{}\n', { anchor: 5 as never })).rejects.toMatchObject(refused('anchor'));
  await expect(node.replayExport(undefined as never)).rejects.toMatchObject(refused('text'));
});
