import Ajv2020 from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { derive } from '../../../core/telemetry/derive.ts';
import { EVENTS, type StampedEvent, tell } from '../../../core/telemetry/event.ts';
import { toOtlp } from '../../../core/telemetry/otlp.ts';
import { caseCount } from '../../cases.ts';
import { CONTENT, play, RUN_ID, type World } from './run.ts';
import { worlds } from './worlds.ts';

/**
 * The form that the JSON decoder of a collector takes, by opentelemetry-proto 1.x: no unknown member, ids in hex,
 * 64-bit numbers as text.
 */
const NANOS = { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})$' };
const TRACE_ID = { type: 'string', pattern: '^(?!0{32})[0-9a-f]{32}$' };
const SPAN_ID = { type: 'string', pattern: '^(?!0{16})[0-9a-f]{16}$' };
const closed = (properties: object, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const VALUE = {
  oneOf: [
    closed({ stringValue: { type: 'string' } }),
    closed({ boolValue: { type: 'boolean' } }),
    closed({ intValue: { type: 'string', pattern: '^-?(0|[1-9][0-9]{0,18})$' } }),
  ],
};
const ATTRIBUTES = {
  type: 'array',
  items: closed({ key: { type: 'string', pattern: '^[a-z_]+(\\.[a-z_]+)*$' }, value: VALUE }),
};
const RESOURCE = closed({ attributes: ATTRIBUTES });
const SCOPE = closed({ name: { type: 'string' } });
const one = (items: object) => ({ type: 'array', minItems: 1, maxItems: 1, items });
const SPAN = closed(
  {
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    parentSpanId: SPAN_ID,
    name: { type: 'string', minLength: 1 },
    kind: { enum: [1, 3] },
    startTimeUnixNano: NANOS,
    endTimeUnixNano: NANOS,
    attributes: ATTRIBUTES,
    status: closed({ code: { enum: [0, 1, 2] }, message: { type: 'string' } }, ['code', 'message']),
  },
  ['parentSpanId'],
);
const LOG = closed({
  traceId: TRACE_ID,
  spanId: SPAN_ID,
  timeUnixNano: NANOS,
  observedTimeUnixNano: NANOS,
  severityNumber: { type: 'integer', minimum: 1, maximum: 24 },
  severityText: { type: 'string' },
  eventName: { enum: Object.values(EVENTS).map(({ name }) => name) },
  attributes: ATTRIBUTES,
});
const EXPORT = closed({
  traces: closed({
    resourceSpans: one(
      closed({ resource: RESOURCE, scopeSpans: one(closed({ scope: SCOPE, spans: { type: 'array', items: SPAN } })) }),
    ),
  }),
  logs: closed({
    resourceLogs: one(
      closed({
        resource: RESOURCE,
        scopeLogs: one(closed({ scope: SCOPE, logRecords: { type: 'array', items: LOG } })),
      }),
    ),
  }),
});
const accepts = new Ajv2020({ allErrors: true }).compile(EXPORT);

function stamped(world: World): readonly StampedEvent[] {
  return play(world)
    .moments.flatMap(({ before, event, after, effects }, index) =>
      derive(before, event, after, effects).map((told) => ({ timestamp: 1_700_000_000_000 + index, event: told })),
    )
    .map((event, seq) => ({ seq, ...event }));
}

const spansOf = (events: readonly StampedEvent[]) => toOtlp(events).traces.resourceSpans[0].scopeSpans[0].spans;
const logsOf = (events: readonly StampedEvent[]) => toOtlp(events).logs.resourceLogs[0].scopeLogs[0].logRecords;

const call = (name: string) =>
  JSON.stringify({ next_step: { tool: `test.${name}`, arguments: { text: 'x' }, goal: '' } });
const WORLD: World = {
  dialect: 'xct',
  remote: false,
  precompiled: true,
  mode: 'running',
  proposals: [call('pure'), call('unknown'), '{"done":true,"message":"x"}'],
  answers: [],
  checks: [],
  calls: [],
  stopAfter: 1000,
  lostAfter: 1000,
  stray: [],
};

test('every run is exported in the form that collectors read', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      accepts(JSON.parse(JSON.stringify(toOtlp(stamped(world)))));
      expect(accepts.errors ?? []).toEqual([]);
    }),
    { numRuns: caseCount(200) },
  );
});

test('the collector form refuses an id that is not hex and a time that is a number', () => {
  const good = toOtlp(stamped(WORLD));
  const text = JSON.stringify(good);
  expect(accepts(JSON.parse(text))).toBe(true);
  expect(accepts(JSON.parse(text.replace(/"traceId":"[0-9a-f]{4}/, '"traceId":"wxyz')))).toBe(false);
  expect(accepts(JSON.parse(text.replace(/"timeUnixNano":"(\d+)"/, '"timeUnixNano":$1')))).toBe(false);
});

test('each span has an id of its own and lies within the time of its parent', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const spans = spansOf(stamped(world));
      const byId = new Map(spans.map((span) => [span.spanId, span]));
      expect(byId.size).toBe(spans.length);
      for (const span of spans) {
        expect(BigInt(span.startTimeUnixNano)).toBeLessThanOrEqual(BigInt(span.endTimeUnixNano));
        if (span.parentSpanId === undefined) continue;
        const parent = byId.get(span.parentSpanId);
        expect(BigInt(parent?.startTimeUnixNano ?? -1n)).toBeLessThanOrEqual(BigInt(span.startTimeUnixNano));
        expect(BigInt(parent?.endTimeUnixNano ?? -1n)).toBeGreaterThanOrEqual(BigInt(span.endTimeUnixNano));
      }
    }),
    { numRuns: caseCount(200) },
  );
});

test('a run is exported as invoke_agent, its steps, chat for each request, and execute_tool for each call', () => {
  const spans = spansOf(stamped(WORLD));
  expect(spans.map(({ name }) => name)).toEqual([
    'invoke_agent sallyport',
    'sallyport.step',
    'chat test',
    'execute_tool test.pure',
    'sallyport.step',
    'chat test',
    'sallyport.step',
    'chat test',
  ]);
  const named = Object.fromEntries(
    (spans[3]?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]),
  );
  expect(named).toMatchObject({
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'test.pure',
    'gen_ai.conversation.id': RUN_ID,
    'gen_ai.tool.type': 'function',
    'sallyport.capability.fuel': '5',
  });
  expect(spans[0]?.attributes).toContainEqual({ key: 'gen_ai.request.model', value: { stringValue: 'test' } });
});

test('a refusal is exported as an error of its step, with the code as error.type', () => {
  const step = spansOf(stamped(WORLD))[4];
  expect(step?.status).toEqual({ code: 2, message: 'unknown_capability' });
  expect(step?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'unknown_capability' } });
  expect(spansOf(stamped(WORLD))[1]?.status).toEqual({});
});

test('every event is exported in a span or as a log', () => {
  const events = stamped(WORLD);
  const inSpans = events.filter(({ event }) =>
    /^(run_|capability_(started|completed|failed))/.test(event.event_type),
  ).length;
  expect(logsOf(events).length).toBe(events.length - inSpans);
  expect(inSpans).toBe(4);
});

test('a loss of telemetry is exported as a log', () => {
  const [log] = logsOf([{ seq: 0, timestamp: 0, event: tell('telemetry_lost', RUN_ID, { lost: 3, cause: 'slow' }) }]);
  expect(log).toMatchObject({ eventName: 'sallyport.telemetry.lost', severityText: 'ERROR', timeUnixNano: '0' });
});

test('the export holds no content', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      expect(JSON.stringify(toOtlp(stamped(world)))).not.toContain(CONTENT);
    }),
    { numRuns: 100 },
  );
});

/** Names of the GenAI semantic conventions, 1.45. All further attributes begin with `sallyport.`. */
const GEN_AI = [
  'gen_ai.agent.name',
  'gen_ai.conversation.id',
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.tool.call.id',
  'gen_ai.tool.name',
  'gen_ai.tool.type',
];

test('every exported attribute has a name of the conventions or begins with sallyport.', () => {
  const keys = new Set<string>();
  for (const world of fc.sample(worlds, { numRuns: 100, seed: 7 })) {
    const spans = spansOf(stamped(world));
    for (const { attributes } of [...spans, ...logsOf(stamped(world))]) for (const { key } of attributes) keys.add(key);
    for (const { name } of spans)
      expect(name).toMatch(/^(invoke_agent sallyport|chat test|execute_tool \S+|sallyport\.step)$/);
  }
  const others = [...keys].filter((key) => !key.startsWith('sallyport.'));
  expect(others.sort()).toEqual(['error.type', ...GEN_AI]);
});
