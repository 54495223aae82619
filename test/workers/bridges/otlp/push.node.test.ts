import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { type StampedEvent, tell } from '../../../../core/telemetry/event.ts';
import { toOtlp } from '../../../../core/telemetry/otlp.ts';
import type { OtlpSpan } from '../../../../core/telemetry/otlp-form.ts';
import { pushTerms } from '../../../../workers/bridges/otlp/options.ts';
import { push } from '../../../../workers/bridges/otlp/push.ts';
import { fromScript, type Runtime } from '../../../../workers/node.ts';
import { type PushOptions, pushTelemetry } from '../../../../workers/otlp.ts';
import { openRuntime } from '../../../runtime/shared.ts';
import { type Answer, type Asked, startCollector } from './collector.ts';

const ADD = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds two numbers.',
  args: { type: 'object' },
  effect: 'pure',
  source: 'export default ({ a, b }) => ({ sum: a + b });',
} as const;
const SECRET = { ...ADD, name: 'math.secret', secret: ['args', 'result'] } as const;
const CALL = { tool_call: { tool: 'math.add', args: { a: 31337, b: 2 } } };
const DONE = { message: { content: 'finished' } };

type Collector = Awaited<ReturnType<typeof startCollector>>;
let answer: (asked: Asked, nth: number) => Answer | Promise<Answer>;
let collector: Collector;
let runtime: Runtime;
beforeEach(async () => {
  answer = () => ({});
  collector = await startCollector((asked, nth) => answer(asked, nth));
  runtime = await openRuntime({
    capabilities: [ADD, SECRET],
    grants: [ADD, SECRET].map(({ name }) => ({ capability: name, mode: 'allow' })),
  });
});
afterEach(async () => {
  await runtime.close();
  collector.close();
});

const start = (items: readonly object[] = [CALL, '{' as never, DONE]) =>
  runtime.start({ dialect: 'femtoclaw', task: 'Add the numbers.', model: fromScript([...items] as never) });
const options = (more: Partial<PushOptions> = {}): PushOptions => ({ endpoint: collector.endpoint, ...more });
const attribute = (span: OtlpSpan | undefined, key: string) =>
  Object.values(span?.attributes.find((each) => each.key === key)?.value ?? {})[0];
const named = (name: string) => collector.spans().filter((span) => span.name.startsWith(name));

/** A run of these events, whose telemetry can be read as often as a reader likes. */
const runOf = (events: readonly StampedEvent['event'][], end?: Promise<unknown>) => ({
  id: RUN_ID,
  async *telemetry(): AsyncGenerator<StampedEvent> {
    yield* events.map((event, seq) => ({ seq, timestamp: 1_700_000_000_000 + seq, event }));
    await end;
  },
});
const RUN_ID = '3f0e4a8c-5b1d-4c6e-9a77-0d2f1b3c4d5e';
const failed = tell('model_failed', RUN_ID, { class: 'run', code: 'model_failed' });
/** Attempts without long waits. */
const pushFast = (run: Parameters<typeof push>[0], more: Partial<PushOptions> = {}) =>
  push(run, pushTerms(run, options(more)), fetch, [1, 1, 1, 1]);

describe('what a collector gets', () => {
  test('each span of a run once, and every other event as a log', async () => {
    const run = start();
    const pushed = await pushTelemetry(run, options({ service: 'my-app', everyMs: 5 }));
    const events: StampedEvent[] = [];
    for await (const event of run.telemetry()) events.push(event);
    const { traces, logs } = toOtlp(events);
    const byId = (spans: readonly OtlpSpan[]) => spans.toSorted((one, other) => (one.spanId < other.spanId ? -1 : 1));
    expect(byId(collector.spans())).toEqual(byId(traces.resourceSpans[0].scopeSpans[0].spans));
    expect(collector.logs()).toEqual(logs.resourceLogs[0].scopeLogs[0].logRecords);
    expect(pushed).toEqual({ spans: 8, logs: collector.logs().length, lost: 0 });
    const [{ body, headers, method } = {} as Asked] = collector.asked;
    expect([method, headers['content-type']]).toEqual(['POST', 'application/json']);
    expect(body.resourceSpans?.[0].resource ?? body.resourceLogs?.[0].resource).toEqual({
      attributes: [{ key: 'service.name', value: { stringValue: 'my-app' } }],
    });
    expect(new Set(collector.asked.map(({ path }) => path))).toEqual(new Set(['/v1/traces', '/v1/logs']));
  });

  test('the headers of the options go with each request, under a base with a path', async () => {
    await pushTelemetry(
      start([DONE]),
      options({ endpoint: `${collector.endpoint}/otlp/`, headers: { 'x-key': 'k1' } }),
    );
    expect(collector.asked.map(({ path, headers }) => [path, headers['x-key']])).toEqual([
      ['/otlp/v1/traces', 'k1'],
      ['/otlp/v1/logs', 'k1'],
    ]);
  });

  test.each(['/v1/traces', '/v1/logs/', '/otlp/v1/traces'])(
    'an endpoint that ends with the path of a signal, %s, gets no path twice',
    async (path) => {
      await pushTelemetry(start([DONE]), options({ endpoint: collector.endpoint + path }));
      const before = path.replace(/\/v1\/.*/, '');
      expect(collector.asked.map((asked) => asked.path)).toEqual([`${before}/v1/traces`, `${before}/v1/logs`]);
    },
  );

  test('a step is sent when it has ended, while the run goes on', async () => {
    const run = runtime.start({
      dialect: 'femtoclaw',
      task: 'Wait.',
      paused: true,
      model: fromScript([CALL, DONE]),
    });
    const pushing = pushTelemetry(run, options({ everyMs: 5 }));
    await run.step();
    await expect.poll(() => named('sallyport.step').length).toBe(1);
    expect(named('invoke_agent')).toEqual([]);
    await run.run();
    expect(await pushing).toMatchObject({ spans: 6, lost: 0 });
    expect(named('invoke_agent').length).toBe(1);
  });

  test('without logs only spans are sent', async () => {
    expect(await pushTelemetry(start([DONE]), options({ logs: false }))).toEqual({ spans: 3, logs: 0, lost: 0 });
    expect(collector.asked.map(({ path }) => path)).toEqual(['/v1/traces']);
  });

  test('a second push goes on with the next turn, and sends no span again', async () => {
    const run = start([DONE, CALL, DONE]);
    await pushTelemetry(run, options());
    await run.say('And again.');
    expect(await pushTelemetry(run, options())).toMatchObject({ spans: 6, lost: 0 });
    const ids = collector.spans().map(({ spanId }) => spanId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(named('invoke_agent').length).toBe(2);
  });
});

describe('a parent', () => {
  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const SPAN = 'b7ad6b7169203331';
  test.each([
    ['a header traceparent', `00-${TRACE}-${SPAN}-01`],
    ['a header of a later version', `01-${TRACE}-${SPAN}-01-more`],
    ['two ids', { traceId: TRACE, spanId: SPAN }],
  ])('%s puts the run below a span of another program', async (_, parent) => {
    await pushTelemetry(start([DONE]), options({ parent }));
    expect(new Set([...collector.spans(), ...collector.logs()].map(({ traceId }) => traceId))).toEqual(
      new Set([TRACE]),
    );
    expect(named('invoke_agent')[0]?.parentSpanId).toBe(SPAN);
    expect(named('sallyport.step')[0]?.parentSpanId).toBe(named('invoke_agent')[0]?.spanId);
  });

  test.each([
    ['zeros as trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['zeros as span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['the forbidden version', `ff-${TRACE}-${SPAN}-01`],
    ['more fields than version 00 has', `00-${TRACE}-${SPAN}-01-more`],
    ['short ids', { traceId: 'ab', spanId: 'cd' }],
    ['no ids', {}],
  ])('%s is refused', async (_, parent) => {
    await expect(pushTelemetry(start([DONE]), options({ parent: parent as string }))).rejects.toMatchObject({
      code: 'option_invalid',
    });
  });
});

describe('content', () => {
  test('without being asked for, no text leaves', async () => {
    await pushTelemetry(start(), options());
    expect(JSON.stringify(collector.asked)).not.toMatch(/31337|31339|Add the numbers|finished/);
  });

  test('with a ledger, spans hold messages, arguments and result', async () => {
    await pushTelemetry(start([CALL, DONE]), options({ content: { ledger: runtime.ledger }, everyMs: 1 }));
    const [call] = named('execute_tool');
    expect(attribute(call, 'gen_ai.tool.call.arguments')).toBe('{"a":31337,"b":2}');
    expect(attribute(call, 'gen_ai.tool.call.result')).toBe('{"sum":31339}');
    const [first, second] = named('chat').toSorted((one, other) =>
      one.startTimeUnixNano < other.startTimeUnixNano ? -1 : 1,
    );
    const messages = (span: OtlpSpan | undefined, way: string) =>
      JSON.parse(String(attribute(span, `gen_ai.${way}.messages`))) as readonly object[];
    expect(messages(first, 'input')).toEqual([
      { role: 'user', parts: [{ type: 'text', content: 'Add the numbers.' }] },
    ]);
    expect(messages(first, 'output')).toEqual([
      { role: 'assistant', parts: [{ type: 'text', content: canonicalText(CALL) }], finish_reason: 'stop' },
    ]);
    expect(messages(second, 'input')).toMatchObject([{ role: 'tool' }]);
    expect(JSON.stringify(messages(second, 'input'))).toContain('31339');
  });

  test('the texts of a secret step stay here, also with a ledger', async () => {
    const call = { tool_call: { tool: 'math.secret', args: { a: 31337, b: 2 } } };
    await pushTelemetry(start([call, DONE]), options({ content: { ledger: runtime.ledger } }));
    expect(named('execute_tool math.secret').length).toBe(1);
    expect(JSON.stringify(collector.asked)).not.toMatch(/31337|31339/);
    expect(JSON.stringify(collector.asked)).toContain('finished');
  });

  test('a text above 64 KiB is left out', async () => {
    const large = { tool_call: { tool: 'math.add', args: { a: 1, b: 2, pad: 'x'.repeat(70_000) } } };
    await pushTelemetry(start([large, DONE]), options({ content: { ledger: runtime.ledger } }));
    expect(attribute(named('execute_tool')[0], 'gen_ai.tool.call.arguments')).toBeUndefined();
    expect(attribute(named('execute_tool')[0], 'gen_ai.tool.call.result')).toBe('{"sum":3}');
  });

  test('the ledger is read for spans alone', async () => {
    let reads = 0;
    const ledger = { records: async () => (reads++, []), payload: async () => undefined };
    let end = (): void => undefined;
    const rests = new Promise<void>((resolve) => (end = resolve));
    const pushing = pushFast(runOf([failed], rests), { content: { ledger }, everyMs: 1 });
    await expect.poll(() => named('chat').length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    end();
    expect(await pushing).toMatchObject({ spans: 2, lost: 0 });
    expect(reads).toBe(2);
  });

  test('a ledger that cannot be read leaves the spans without texts', async () => {
    const ledger = { records: () => Promise.reject(new Error('closed')), payload: async () => undefined };
    expect(await pushTelemetry(start(), options({ content: { ledger } }))).toMatchObject({ spans: 8, lost: 0 });
  });
});

describe('a collector in trouble', () => {
  test.each([429, 502, 503, 504])('status %i is tried again until the collector takes the batch', async (status) => {
    answer = (_, nth) => (nth < 2 ? { status } : {});
    expect(await pushFast(runOf([failed]), { logs: false })).toEqual({ spans: 2, logs: 0, lost: 0 });
    expect(collector.asked.length).toBe(3);
  });

  test.each([400, 401, 404, 413, 500, 501])(
    'status %i is not tried again, and its batch is counted as lost',
    async (status) => {
      answer = () => ({ status, body: '{"code":3,"message":"bad wire"}' });
      const problem = { kind: 'status', status, said: 'bad wire' };
      expect(await pushFast(runOf([failed]), { logs: false })).toEqual({ spans: 0, logs: 0, lost: 2, problem });
      expect(collector.asked.length).toBe(1);
    },
  );

  test.each([
    [401, 'text/plain', 'no key\r\n', 'no key'],
    [413, 'text/html', '<h1>Too large</h1>', '<h1>Too large</h1>'],
    [415, '', 'only protobuf', 'only protobuf'],
    [403, 'application/json', '{"error":{"reason":"quota"}}', '{"error":{"reason":"quota"}}'],
    [404, 'application/json', '{"message":""}', '{"message":""}'],
    [400, 'text/plain', 'x'.repeat(2000), 'x'.repeat(300)],
    [400, 'application/x-protobuf', Buffer.from([0x0a, 0xff, 0x08]), undefined],
    [500, 'text/plain', ' \n', undefined],
  ] as const)('status %i as %s has the text of the collector', async (status, type, body, said) => {
    answer = () => ({ status, headers: { 'content-type': type }, body });
    const { problem } = await pushFast(runOf([failed]), { logs: false });
    expect(problem).toEqual({ kind: 'status', status, ...(said !== undefined && { said }) });
  });

  test('a key that the collector repeats is not in its text, and a key too short to hide leaves none', async () => {
    answer = ({ headers }) => ({ status: 401, body: `unknown key ${String(headers['x-api-key'])}, try again` });
    const said = async (key: string) =>
      (await pushFast(runOf([failed]), { logs: false, headers: { 'x-api-key': key } })).problem?.said;
    expect(await said('a-key-of-the-program')).toBe('unknown key (secret), try again');
    expect(await said('short')).toBeUndefined();
  });

  test('a collector that refuses logs alone still gets every span', async () => {
    answer = ({ path }) => (path === '/v1/logs' ? { status: 404, body: 'no such page' } : {});
    const pushed = await pushFast(start([DONE]));
    expect(pushed).toMatchObject({ spans: 3, logs: 0, problem: { kind: 'status', status: 404 } });
    expect(pushed.lost).toBeGreaterThan(3);
  });

  test('Retry-After is waited for', async () => {
    answer = (_, nth) => (nth === 0 ? { status: 429, headers: { 'retry-after': '1' } } : {});
    expect(await pushFast(runOf([failed]), { logs: false })).toMatchObject({ spans: 2, lost: 0 });
    const [first, second] = collector.asked;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(950);
  });

  test('a Retry-After of an hour ends the attempts', async () => {
    answer = () => ({ status: 503, headers: { 'retry-after': '3600' } });
    expect(await pushFast(runOf([failed]), { logs: false })).toMatchObject({ spans: 0, lost: 2 });
    expect(collector.asked.length).toBe(1);
  });

  test('the attempts at a batch are bounded, and at the end the rest is not tried', async () => {
    answer = () => ({ status: 503 });
    expect(await pushFast(runOf([failed]))).toMatchObject({ spans: 0, logs: 0, lost: 3, problem: { status: 503 } });
    expect(collector.asked.length).toBe(5);
  });

  test('a part that the collector rejects is counted as lost, and not sent again', async () => {
    answer = () => ({ body: '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"too old"}}' });
    const problem = { kind: 'rejected', said: 'too old' };
    expect(await pushFast(runOf([failed]), { logs: false })).toEqual({ spans: 1, logs: 0, lost: 1, problem });
    expect(collector.asked.length).toBe(1);
  });

  test('a broken connection is tried again', async () => {
    answer = (_, nth) => (nth === 0 ? { destroy: true } : {});
    expect(await pushFast(runOf([failed]), { logs: false })).toEqual({ spans: 2, logs: 0, lost: 0 });
  });

  test('a collector that is not there loses the telemetry, and not the run', async () => {
    collector.close();
    const run = start();
    expect(await pushFast(run)).toMatchObject({ spans: 0, logs: 0, problem: { kind: 'unreachable' } });
    expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
  });

  test('a redirect is not followed: the key would go along', async () => {
    answer = () => ({ status: 307, headers: { location: 'http://127.0.0.1:9/' } });
    expect(await pushFast(runOf([failed]), { logs: false })).toMatchObject({
      spans: 0,
      problem: { kind: 'unreachable' },
    });
  });

  test('any answer of a collector ends in counts, and never in an error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.integer({ min: 200, max: 599 }), async (body, status) => {
        const send = async () => new Response([204, 205, 304].includes(status) ? null : body, { status });
        const { spans, lost } = await push(runOf([failed]), pushTerms(runOf([]), options({ logs: false })), send, []);
        expect(spans + lost).toBe(2);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the end of a push', () => {
  test('an abort sends what has ended, and leaves the run as it is', async () => {
    const run = runtime.start({ dialect: 'femtoclaw', task: 'x', paused: true, model: fromScript([CALL, DONE]) });
    const stop = new AbortController();
    const pushing = pushTelemetry(run, options({ signal: stop.signal }));
    await run.step();
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    expect(await pushing).toMatchObject({ spans: 3, lost: 0 });
    expect(named('invoke_agent')).toEqual([]);
    await run.run();
    expect((await run.result).state).toBe('completed');
    expect(await pushTelemetry(run, options())).toMatchObject({ spans: 3, lost: 0 });
    expect(collector.spans().length).toBe(6);
  });

  test('an abort during a wait makes one more attempt at once', async () => {
    answer = (_, nth) => (nth === 0 ? { status: 429, headers: { 'retry-after': '30' } } : {});
    const stop = new AbortController();
    const pushing = pushFast(runOf([failed]), { logs: false, signal: stop.signal });
    await expect.poll(() => collector.asked.length).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    expect(await pushing).toMatchObject({ spans: 2, lost: 0 });
  });

  test('a runtime that closes ends the open spans and sends them', async () => {
    const run = runtime.start({ dialect: 'femtoclaw', task: 'x', paused: true, model: fromScript([CALL, DONE]) });
    const pushing = pushTelemetry(run, options());
    await run.step();
    await runtime.close();
    expect(await pushing).toMatchObject({ spans: 4, lost: 0 });
  });

  test('telemetry beyond 4096 waiting items is lost, and counted', async () => {
    let open = (): void => undefined;
    const gate = new Promise<Answer>((resolve) => (open = () => resolve({})));
    answer = () => gate;
    const pushing = pushFast(runOf(Array.from({ length: 6000 }, () => failed)), { logs: false });
    await expect.poll(() => collector.asked.length).toBe(1);
    open();
    const pushed = await pushing;
    expect(pushed.problem).toEqual({ kind: 'behind' });
    expect(pushed.lost).toBeGreaterThan(0);
    expect(pushed.spans + pushed.lost).toBe(6001);
  });

  test('a run that could not start has no telemetry to send', async () => {
    const run = runtime.start({ dialect: 'femtoclaw', task: '', model: fromScript([]), limits: { steps: -1 } });
    run.result.catch(() => undefined);
    expect(await pushTelemetry(run, options())).toEqual({ spans: 0, logs: 0, lost: 0 });
  });
});

describe('options', () => {
  test.each([
    ['no endpoint', {}, 'option_invalid'],
    ['an endpoint that is no address', { endpoint: 'collector' }, 'endpoint_invalid'],
    ['another scheme', { endpoint: 'ftp://127.0.0.1' }, 'endpoint_invalid'],
    ['a query', { endpoint: 'http://127.0.0.1/?a=b' }, 'endpoint_invalid'],
    ['a key over plain http', { endpoint: 'http://c.example', headers: { 'x-key': 'k' } }, 'endpoint_invalid'],
    [
      'a header that cannot be sent',
      { endpoint: 'http://127.0.0.1', headers: { 'x-key': 'a\nb' } },
      'endpoint_invalid',
    ],
    ['a misspelt option', { endpoint: 'http://127.0.0.1', every: 1 }, 'option_invalid'],
    ['no time between requests', { endpoint: 'http://127.0.0.1', everyMs: 0 }, 'option_invalid'],
    ['content without a ledger', { endpoint: 'http://127.0.0.1', content: {} }, 'option_invalid'],
    ['no run', { endpoint: 'http://127.0.0.1' }, 'option_invalid'],
  ])('%s is refused', async (what, given, code) => {
    const run = what === 'no run' ? ({} as never) : runOf([failed]);
    await expect(pushTelemetry(run, given as PushOptions)).rejects.toMatchObject({ code });
  });
});
