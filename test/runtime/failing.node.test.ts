import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodeText } from '../../core/index.ts';
import type { ModelPort, ModelRequest, StartOptions } from '../../workers/api.ts';
import { fromOpenAI, fromScript, ModelError, replayExport, verifyExport } from '../../workers/node.ts';
import { temporaryFolder } from '../folder.ts';
import { JSON_TYPE, serve, type TestServer } from '../workers/bridges/models/server.ts';
import { openRuntime } from './shared.ts';

const DONE = { done: true, message: 'ok' };
const WRONG = { done: 1 };
const busy = (more: { readonly afterMs?: number; readonly said?: string } = {}) =>
  new ModelError('The server is busy.', { retryable: true, ...more });

/** A model that gives these answers, or fails with these errors, in order. */
function model(turns: readonly (object | Error)[]): ModelPort & { readonly asked: () => number } {
  let asked = 0;
  return {
    id: 'failing',
    locality: { kind: 'local' },
    asked: () => asked,
    async propose() {
      const turn = turns[asked++];
      if (turn instanceof Error || turn === undefined) throw turn ?? new Error('asked too often');
      return { text: JSON.stringify(turn) };
    },
  };
}

async function opened(turns: readonly (object | Error)[], options: Partial<StartOptions> = {}) {
  const runtime = await openRuntime();
  const port = model(turns);
  const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: port, ...options });
  return { runtime, run, port };
}

type Opened = Awaited<ReturnType<typeof opened>>;

/** Makes every check of the run, its replay included; returns the records and their kinds. */
async function checked({ runtime, run }: Opened) {
  const jsonl = await runtime.ledger.export(run.id);
  const report = await replayExport(jsonl);
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect((await verifyExport(jsonl)).ok).toBe(true);
  const records = await runtime.ledger.records(run.id);
  await runtime.close();
  return { jsonl, report, records, kinds: records.map(({ kind }) => kind) };
}

describe('a failure of the model that may pass', () => {
  test('a run pauses after a model failure that may pass, and its view gives the reason', async () => {
    const world = await opened([busy({ afterMs: 1500, said: 'slow down' }), DONE]);
    const { run } = world;
    const began = Date.now();
    const since = expect.toSatisfy((ms: number) => ms >= began && ms <= Date.now());
    const waiting = { message: 'The server is busy.', afterMs: 1500, said: 'slow down', since, failures: 1 };
    expect(await run.run()).toEqual(waiting);
    expect(run.view).toMatchObject({ phase: 'IDLE', mode: 'paused', steps: 0, waiting });
    expect(run.view.end).toBe(undefined);
    expect(world.port.asked()).toBe(1);
    expect(await run.run()).toBe(undefined);
    expect(run.view.waiting).toBe(undefined);
    expect(await run.result).toMatchObject({ state: 'completed', steps: 1 });
    const { kinds, jsonl, records } = await checked(world);
    expect(kinds).toEqual(['configuration', 'task', 'state', 'proposal', 'verdict', 'receipt', 'seal']);
    expect(records[2]?.body).toMatchObject({ event: 'model_failed', after_ms: 1500 });
    expect(jsonl).not.toContain('slow down');
  });

  test('a step pauses at each model failure that may pass, as often as the program asks again', async () => {
    const world = await opened([busy(), busy(), WRONG, busy(), DONE], { paused: true });
    const { run } = world;
    expect(await run.step()).toMatchObject({ failures: 1 });
    expect(await run.step()).toMatchObject({ failures: 2 });
    expect(await run.step()).toBe(undefined);
    expect(run.view.steps).toBe(1);
    expect(await run.step()).toMatchObject({ failures: 1 });
    await run.step();
    expect((await run.result).state).toBe('completed');
    await checked(world);
  });

  test('telemetry tells a model failure by its code, without text of the server or the model', async () => {
    const world = await opened([busy({ afterMs: 20, said: 'sk-secret' }), DONE]);
    await world.run.run();
    const events: object[] = [];
    const told = (async () => {
      for await (const { event } of world.run.telemetry()) events.push(event);
    })();
    await world.run.run();
    await told;
    const failed = events.filter((event) => (event as { event_type: string }).event_type === 'model_failed');
    expect(failed).toEqual([expect.objectContaining({ status: 'failed', code: 'model_failed', after_ms: 20 })]);
    expect(JSON.stringify(events)).not.toMatch(/busy|secret/);
    await checked(world);
  });

  test('a run that waits after a model failure still takes a task and an abort', async () => {
    const world = await opened([busy(), busy(), DONE]);
    await world.run.run();
    await world.run.say('Try again.');
    await world.run.run();
    await world.run.abort('enough');
    expect(await world.run.result).toMatchObject({ state: 'aborted', message: 'enough' });
    const { kinds } = await checked(world);
    expect(kinds).toEqual(['configuration', 'task', 'state', 'task', 'state', 'seal']);
  });

  test('a task that arrives while the failing model is asked follows the failure', async () => {
    const gate: { fail?: (reason: Error) => void } = {};
    const runtime = await openRuntime();
    let asked = 0;
    const port: ModelPort = {
      id: 'slow',
      locality: { kind: 'local' },
      propose: () =>
        asked++ === 0
          ? new Promise((_, reject) => (gate.fail = reject))
          : Promise.resolve({ text: JSON.stringify(DONE) }),
    };
    const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: port, limits: { modelFailuresInRow: 1 } });
    const going = run.run();
    await expect.poll(() => gate.fail).toBeDefined();
    const saying = run.say('One more thing.');
    gate.fail?.(busy({ afterMs: 1 }));
    await saying;
    await going;
    expect((await run.result).state).toBe('completed');
    await checked({ runtime, run } as Opened);
  });

  test('a run that waits after a model failure is resumed in another process, with the reason', async () => {
    const directory = temporaryFolder();
    const before = await openRuntime({ store: { directory } });
    const run = before.start({ dialect: 'xct', task: 'Talk.', model: model([WRONG, busy()]) });
    await run.run();
    const failed = (await before.ledger.records(run.id)).at(-1);
    // The copy stands for a crash: closing a runtime ends its runs.
    const copy = temporaryFolder();
    const { cp, rm } = await import('node:fs/promises');
    await cp(directory, copy, { recursive: true });
    await rm(join(copy, 'lock'), { force: true, recursive: true });
    await before.close();
    const runtime = await openRuntime({ store: { directory: copy } });
    const again = await runtime.resume(run.id, fromScript([DONE]));
    await expect.poll(() => again.view.phase).toBe('IDLE');
    expect(again.view.waiting).toEqual({ message: 'The server is busy.', since: failed?.at, failures: 1 });
    await again.run();
    expect(await again.result).toMatchObject({ state: 'completed', steps: 2 });
    await checked({ runtime, run: again } as Opened);
  });
});

describe('a run that asks its model again by itself', () => {
  const limits = { modelFailuresInRow: 2 };

  test('a run with failures allowed asks its model again, and records each attempt', async () => {
    const world = await opened([busy({ afterMs: 1 }), busy({ afterMs: 1 }), WRONG, busy({ afterMs: 1 }), DONE], {
      limits,
    });
    expect(await world.run.run()).toBe(undefined);
    expect(await world.run.result).toMatchObject({ state: 'completed', steps: 2 });
    const { kinds } = await checked(world);
    expect(kinds.filter((kind) => kind === 'state').length).toBe(3);
  });

  test('a run with failures allowed asks its model again within one step', async () => {
    const world = await opened([busy({ afterMs: 1 }), WRONG, DONE], { limits, paused: true });
    expect(await world.run.step()).toBe(undefined);
    expect(world.run.view).toMatchObject({ steps: 1, mode: 'paused' });
    await world.run.run();
    await checked(world);
  });

  test('a run fails after one model failure more in a row than it allows', async () => {
    const failures = Array.from({ length: 5 }, () => busy({ afterMs: 1, said: 'no' }));
    const world = await opened(failures, { limits });
    expect(await world.run.result).toMatchObject({ state: 'failed', code: 'model_failed', said: 'no' });
    expect(world.port.asked()).toBe(3);
    expect((await checked(world)).kinds).toEqual(['configuration', 'task', 'state', 'state', 'seal']);
  });

  test('a run that allows no model failure in a row fails at the first', async () => {
    const world = await opened([busy()], { limits: { modelFailuresInRow: 0 } });
    expect(await world.run.result).toMatchObject({ state: 'failed', code: 'model_failed' });
    await checked(world);
  });

  test('a run that waits to ask its model again can be aborted', async () => {
    const world = await opened([busy({ afterMs: 3_000_000 })], { limits });
    await expect.poll(() => world.run.view).toMatchObject({ phase: 'INPUT_RECEIVED', records: 3 });
    expect(world.run.view.waiting).toMatchObject({ message: 'The server is busy.', afterMs: 3_000_000, failures: 1 });
    await world.run.abort('enough');
    expect(await world.run.result).toMatchObject({ state: 'aborted' });
    await checked(world);
  });
});

test.each([
  ['that is final', new ModelError('No such model.', { retryable: false, said: 'model_not_found' }), 'model_not_found'],
  ['of a program that says no more', new TypeError('undefined is not a function'), undefined],
])('a model failure %s ends the run', async (_, error, said) => {
  const world = await opened([error]);
  const end = await world.run.result;
  expect(end).toMatchObject({ state: 'failed', code: 'model_failed', message: error.message });
  expect(end.said).toBe(said);
  expect((await checked(world)).jsonl).not.toContain('model_not_found');
});

describe('failures of a server that speaks the protocol of OpenAI', () => {
  const KEY = 'sk-live-1234567890';
  let server: TestServer;
  let broken = 0;
  beforeAll(async () => {
    const say =
      (status: number, headers: object = {}) =>
      (response: ServerResponse) =>
        void response.writeHead(status, { ...headers }).end(`no, not with ${KEY}: ${'x'.repeat(9000)}`);
    server = await serve({
      ...Object.fromEntries([400, 401, 404, 408, 425, 429, 500, 503].map((status) => [status, say(status)])),
      seconds: say(429, { 'retry-after': '7' }),
      date: say(503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }),
      ...Object.fromEntries(
        ['-5', '5.5', '1 day'].map((time, nth) => [`odd${nth}`, say(503, { 'retry-after': time })]),
      ),
      past: say(503, { 'retry-after': 'Sunday, 06-Nov-94 08:49:37 GMT' }),
      midway: (response) => {
        response.writeHead(200, JSON_TYPE).end(`{"error":{"message":"overloaded, ${KEY}"}}`);
      },
      dropped: (response) => {
        broken++;
        response.destroy();
      },
    });
  });
  afterAll(() => server.close());

  const failureOf = async (at: string | number) => {
    const port = fromOpenAI({ baseUrl: `${server.origin}/${at}`, model: 'tiny', apiKey: KEY });
    const request: ModelRequest = { messages: [], dialect: 'xct', tools: [], proposalSchema: {}, maxTokens: 1 };
    const error = await port.propose(request, { signal: new AbortController().signal }).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ModelError);
    return error as ModelError;
  };

  test.each([
    [400, false],
    [401, false],
    [404, false],
    [408, true],
    [425, true],
    [429, true],
    [500, true],
    [503, true],
  ])(
    'a ModelError of HTTP %d has retryable %s, and gives the answer of the server without the key',
    async (status, retryable) => {
      const error = await failureOf(status);
      expect(error).toMatchObject({ retryable, message: `The endpoint answered with an error. (HTTP ${status})` });
      expect(error.said).toMatch(/^no, not with \(secret\): x+$/);
      expect(error.said?.length).toBe(2048);
    },
  );

  test('a ModelError reads the retry-after header as seconds or as a date', async () => {
    expect((await failureOf('seconds')).afterMs).toBe(7000);
    const { afterMs = 0 } = await failureOf('date');
    expect(afterMs).toBeGreaterThan(40_000);
    expect(afterMs).toBeLessThanOrEqual(60_000);
    expect((await failureOf('past')).afterMs).toBe(0);
  });

  test.each(['odd0', 'odd1', 'odd2'])(
    'a ModelError has no afterMs for a retry-after header that is neither seconds nor a date: %s',
    async (path) => {
      expect(await failureOf(path)).not.toHaveProperty('afterMs');
    },
  );

  test('a ModelError is retryable for an error within an answer and for a dropped connection', async () => {
    expect(await failureOf('midway')).toMatchObject({ retryable: true, said: '{"message":"overloaded, (secret)"}' });
    expect((await failureOf('dropped')).retryable).toBe(true);
    expect(broken).toBe(1);
  });

  test('records hold neither the answer of a failing server nor the key', async () => {
    const runtime = await openRuntime();
    for (const at of [429, 401]) {
      const port = fromOpenAI({ baseUrl: `${server.origin}/${at}`, model: 'tiny', apiKey: KEY });
      const run = runtime.start({ dialect: 'xct', task: 'Talk.', model: port });
      await run.run();
      if (at === 429) expect(run.view.waiting?.said).toContain('no, not with');
      else expect((await run.result).said).toContain('no, not with');
      const jsonl = await runtime.ledger.export(run.id);
      const payloads = jsonl.match(/"[A-Za-z0-9+/]{8,}={0,2}"/g) ?? [];
      const bytes = [jsonl, ...payloads.map((text) => Buffer.from(text, 'base64').toString())].join('\n');
      expect(bytes).not.toMatch(/not with|sk-live/);
      expect(encodeText(bytes).length).toBeGreaterThan(500);
    }
    await runtime.close();
  });
});
