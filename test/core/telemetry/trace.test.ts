import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { derive } from '../../../core/telemetry/derive.ts';
import { type StampedEvent, tell } from '../../../core/telemetry/event.ts';
import { openTrace, toOtlp } from '../../../core/telemetry/otlp.ts';
import type { OtlpSpan } from '../../../core/telemetry/otlp-form.ts';
import type { EndedSpan } from '../../../core/telemetry/span.ts';
import { caseCount } from '../../cases.ts';
import { play, RUN_ID, type World } from './run.ts';
import { worlds } from './worlds.ts';

const STEP_ID = '04ca7f33-a779-409f-9f1d-78574c4cf9d0';
const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

const stamp = (events: readonly StampedEvent['event'][]): readonly StampedEvent[] =>
  events.map((event, seq) => ({ seq, timestamp: 1_700_000_000_000 + seq, event }));
const eventsOf = (world: World) =>
  stamp(play(world).moments.flatMap(({ before, event, after, effects }) => derive(before, event, after, effects)));
const spansOf = (events: readonly StampedEvent[]) => toOtlp(events).traces.resourceSpans[0].scopeSpans[0].spans;
const attribute = ({ attributes }: OtlpSpan, key: string) =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];

const STARTED = {
  dialect: 'xct/0.1',
  model: 'openai-compatible:https://api.example/gpt-x',
  isolation: 'node',
  registry_hash: 'a',
  policy_hash: 'b',
} as const;
const asked = tell('state_transition', RUN_ID, { from: 'IDLE', to: 'INPUT_RECEIVED' });
const answered = tell('protocol_received', `${RUN_ID}/${STEP_ID}`, {
  step: 1,
  proposal_bytes: 2,
  input_tokens: 70,
  output_tokens: 9,
  finish: 'stop',
});
const committed = tell('state_transition', RUN_ID, { from: 'MEMORY_COMMITTING', to: 'IDLE' });
const completed = tell('run_completed', RUN_ID, { state: 'completed', steps: 1 });
const again = tell('state_transition', RUN_ID, { from: 'COMPLETED', to: 'MEMORY_COMMITTING' });

test('event by event, each span of an export is told a single time, when it has ended', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const events = eventsOf(world);
      const trace = openTrace();
      const ended: EndedSpan[] = [];
      for (const event of events) {
        const { spans } = trace.take(event);
        for (const { span } of spans) expect(BigInt(span.endTimeUnixNano)).toBeLessThanOrEqual(nanos(event.timestamp));
        ended.push(...spans);
      }
      ended.push(...trace.end());
      expect(new Set(ended.map(({ span }) => span.spanId)).size).toBe(ended.length);
      const inOrder = ended.sort((one, other) => one.opened - other.opened).map(({ span }) => span);
      expect(inOrder).toEqual(spansOf(events));
      expect(trace.end()).toEqual([]);
    }),
    { numRuns: caseCount(200) },
  );
});

const nanos = (ms: number) => BigInt(ms) * 1_000_000n;

test('a chat span lasts from the request to the answer, with provider, model, server, tokens and finish reason', () => {
  const events = stamp([
    tell('run_started', RUN_ID, { ...STARTED, provider: 'openai', model_name: 'gpt-x' }),
    asked,
    answered,
  ]);
  const trace = openTrace();
  const [chat] = events.flatMap((event) => trace.take(event).spans).map(({ span }) => span);
  expect(chat).toMatchObject({ name: 'chat gpt-x', kind: 3, startTimeUnixNano: `${nanos(1_700_000_000_001)}` });
  expect(chat?.endTimeUnixNano).toBe(`${nanos(1_700_000_000_002)}`);
  const told = Object.fromEntries((chat?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(told).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-x',
    'gen_ai.usage.input_tokens': '70',
    'gen_ai.usage.output_tokens': '9',
    'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
    'server.address': 'api.example',
    'server.port': '443',
  });
});

test('a request that the model has not answered is a chat span with its error', () => {
  const failed = tell('model_failed', RUN_ID, { class: 'run', code: 'model_failed' });
  const spans = spansOf(stamp([tell('run_started', RUN_ID, STARTED), asked, failed, asked, failed]));
  const chats = spans.filter(({ kind }) => kind === 3);
  expect(chats.map(({ status }) => status)).toMatchObject([
    { code: 2, message: 'model_failed' },
    { message: 'model_failed' },
  ]);
  expect(chats.map((span) => attribute(span, 'error.type'))).toEqual(['model_failed', 'model_failed']);
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(3);
});

test('a session has no chat spans, because no model is asked', () => {
  const spans = spansOf(stamp([tell('run_started', RUN_ID, { ...STARTED, caller: true }), asked, answered]));
  expect(spans.map(({ name }) => name)).toEqual(['invoke_agent sallyport', 'sallyport.step']);
});

test('a provider that no adapter names is the kind of the model, or _OTHER', () => {
  const providers = [tell('run_started', RUN_ID, { ...STARTED, model: 'script' }), tell('run_resumed', RUN_ID, {})].map(
    (first) => spansOf(stamp([first, asked, answered])).filter(({ kind }) => kind === 3),
  );
  expect(providers.map(([chat]) => chat && attribute(chat, 'gen_ai.provider.name'))).toEqual(['script', '_OTHER']);
});

test('each turn of a run is an invoke_agent span of its own', () => {
  const events = stamp([tell('run_started', RUN_ID, STARTED), asked, completed, again, asked, completed]);
  const spans = spansOf(events);
  expect(spans.map(({ name }) => name)).toEqual(['invoke_agent sallyport', 'invoke_agent sallyport']);
  expect(spans[0]?.spanId).not.toBe(spans[1]?.spanId);
  expect(spans[0]?.endTimeUnixNano).toBe(`${nanos(1_700_000_000_002)}`);
});

test('an acknowledgement behind the end of a turn opens no turn', () => {
  const late = tell('memory_committed', RUN_ID, {});
  expect(spansOf(stamp([tell('run_started', RUN_ID, STARTED), completed, late])).length).toBe(1);
});

test('a resumed run has a turn of its own in the same trace', () => {
  const [first] = spansOf(stamp([tell('run_started', RUN_ID, STARTED)]));
  const [second] = spansOf(stamp([tell('run_resumed', RUN_ID, {})]));
  expect(second?.traceId).toBe(first?.traceId);
  expect(second?.spanId).not.toBe(first?.spanId);
});

test('under a parent of another program every span and log is in its trace, and the turn below its span', () => {
  const trace = openTrace(PARENT);
  const told = stamp([tell('run_started', RUN_ID, STARTED), asked, answered, committed, completed]).map((event) =>
    trace.take(event),
  );
  const spans = told.flatMap((each) => each.spans).map(({ span }) => span);
  const logs = told.flatMap((each) => each.logs);
  expect(new Set([...spans, ...logs].map(({ traceId }) => traceId))).toEqual(new Set([PARENT.traceId]));
  expect(spans.map(({ name }) => name)).toEqual([`chat ${STARTED.model}`, 'sallyport.step', 'invoke_agent sallyport']);
  expect(spans.at(-1)?.parentSpanId).toBe(PARENT.spanId);
});
