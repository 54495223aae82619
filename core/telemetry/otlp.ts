import { isObject } from '../json/value.ts';
import { demand, type OptionType, STRING } from '../option.ts';
import { categoryOf, type ErrorCategory, type ErrorSeverity, severityOf } from './category.ts';
import {
  ATTRIBUTES,
  EVENTS,
  type EventStatus,
  type EventType,
  type StampedEvent,
  type TelemetryEvent,
} from './event.ts';

/** OTLP in its JSON form (opentelemetry-proto 1.x): ids are hex, 64-bit numbers are strings. */
export interface OtlpTraces {
  readonly resourceSpans: readonly [
    {
      readonly resource: Resource;
      readonly scopeSpans: readonly [{ readonly scope: Scope; readonly spans: readonly OtlpSpan[] }];
    },
  ];
}
export interface OtlpLogs {
  readonly resourceLogs: readonly [
    {
      readonly resource: Resource;
      readonly scopeLogs: readonly [{ readonly scope: Scope; readonly logRecords: readonly OtlpLog[] }];
    },
  ];
}
interface Resource {
  readonly attributes: readonly KeyValue[];
}
interface Scope {
  readonly name: string;
}
interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}
type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 1;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: 1 | 2; readonly message?: string };
}
export interface OtlpLog {
  readonly traceId: string;
  readonly spanId: string;
  readonly timeUnixNano: string;
  readonly observedTimeUnixNano: string;
  readonly severityNumber: number;
  readonly severityText: string;
  readonly eventName: string;
  readonly attributes: readonly KeyValue[];
}

/**
 * The telemetry of runs as OTLP, to be posted to a collector or stored as a file: a span for each run (`invoke_agent`),
 * each step and each execution (`execute_tool`), under GenAI's names. Every other event is a log. An open span ends at
 * the last event.
 */
export function toOtlp(
  events: readonly StampedEvent[],
  service = 'sallyport',
): { readonly traces: OtlpTraces; readonly logs: OtlpLogs } {
  demand('events', events, EVENT_LIST);
  demand('service', service, STRING);
  const resource = { attributes: keyValues({ 'service.name': service }) };
  const scope = { name: 'sallyport' };
  const logs = events.filter(({ event }) => !SPANNED.has(event.event_type));
  return {
    traces: { resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spansOf(events) }] }] },
    logs: { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: logs.map(logOf) }] }] },
  };
}

const EVENT_LIST: OptionType = [
  'a list of stamped events',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && isObject(each['event'])),
];

/** Events that a span's ends and attributes express. */
const SPANNED: ReadonlySet<EventType> = new Set([
  'run_started',
  'run_completed',
  'capability_started',
  'capability_completed',
  'capability_failed',
]);

interface OpenSpan {
  readonly id: SpanId;
  readonly name: string;
  readonly start: number;
  end: number;
  attributes: Attributes;
  status: OtlpSpan['status'];
}
type SpanId = Pick<OtlpSpan, 'traceId' | 'spanId' | 'parentSpanId'>;
type Attribute = string | number | boolean | readonly string[];
type Attributes = { readonly [name: string]: Attribute };

function spansOf(events: readonly StampedEvent[]): readonly OtlpSpan[] {
  const open = new Map<string, OpenSpan>();
  const asked = new Map<string, number>();
  for (const { event, timestamp } of events) {
    const [run_id = '', step_id] = event.execution_id.split('/');
    const span = (key: string, make: () => Omit<OpenSpan, 'end' | 'status'>): OpenSpan => {
      const found = open.get(key) ?? { ...make(), end: timestamp, status: {} };
      found.end = timestamp;
      open.set(key, found);
      return found;
    };
    add(
      span(run_id, () => runSpan(run_id, timestamp)),
      RUN_ENDS,
      event,
    );
    if (event.event_type === 'state_transition' && event.to === 'INPUT_RECEIVED') asked.set(run_id, timestamp);
    if (step_id === undefined) continue;
    const start = asked.get(run_id) ?? timestamp;
    add(
      span(event.execution_id, () => stepSpan(run_id, step_id, start)),
      STEP_ENDS,
      event,
    );
    if (!CALL_ENDS.has(event.event_type)) continue;
    add(
      span(`${event.execution_id}/call`, () => callSpan(run_id, step_id, timestamp)),
      CALL_ENDS,
      event,
    );
  }
  return [...open.values()].map(closed);
}

/** Events that describe a span, rather than only occur within it. */
const RUN_ENDS: ReadonlySet<EventType> = new Set(['run_started', 'run_completed']);
const STEP_ENDS: ReadonlySet<EventType> = new Set([
  'protocol_received',
  'protocol_rejected',
  'capability_denied',
  'capability_failed',
  'content_failed',
  'budget_spent',
  'step_failed',
]);
const CALL_ENDS: ReadonlySet<EventType> = new Set(['capability_started', 'capability_completed', 'capability_failed']);

function add(span: OpenSpan, about: ReadonlySet<EventType>, event: TelemetryEvent): void {
  if (!about.has(event.event_type)) return;
  span.attributes = { ...span.attributes, ...attributesOf(event) };
  if (event.status !== 'ok')
    span.status = { code: 2, message: 'code' in event && event.code !== undefined ? event.code : event.status };
}

/**
 * The span of a run. The run's id is the trace id, and halves of existing ids are the span ids: the same in every
 * export.
 */
function runSpan(run_id: string, start: number): Omit<OpenSpan, 'end' | 'status'> {
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'sallyport',
    'gen_ai.conversation.id': run_id,
  };
  return { id: { traceId: hex(run_id), spanId: runSpanId(run_id) }, name: 'invoke_agent sallyport', start, attributes };
}

function stepSpan(run_id: string, step_id: string, start: number): Omit<OpenSpan, 'end' | 'status'> {
  const id = { traceId: hex(run_id), spanId: stepSpanId(step_id), parentSpanId: runSpanId(run_id) };
  return { id, name: 'sallyport.step', start, attributes: { 'gen_ai.conversation.id': run_id } };
}

function callSpan(run_id: string, step_id: string, start: number): Omit<OpenSpan, 'end' | 'status'> {
  const attributes = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.conversation.id': run_id,
    'gen_ai.tool.call.id': step_id,
    'gen_ai.tool.type': 'function',
  };
  const id = { traceId: hex(run_id), spanId: hex(step_id).slice(0, 16), parentSpanId: stepSpanId(step_id) };
  return { id, name: 'execute_tool', start, attributes };
}

function hex(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/**
 * Span id of a run. OTLP forbids an id of zeros only: the half with a UUID's variant is never all zero, nor is the half
 * with its version.
 */
function runSpanId(run_id: string): string {
  return hex(run_id).slice(16);
}
function stepSpanId(step_id: string): string {
  return hex(step_id).slice(16);
}

function closed({ id, name, start, end, attributes, status }: OpenSpan): OtlpSpan {
  const tool = attributes['gen_ai.tool.name'];
  const times = { startTimeUnixNano: nanos(start), endTimeUnixNano: nanos(end) };
  const full = name === 'execute_tool' && tool !== undefined ? `${name} ${String(tool)}` : name;
  return { ...id, name: full, kind: 1, ...times, attributes: keyValues(attributes), status };
}

const SEVERITIES: { readonly [S in EventStatus]: ErrorSeverity } = { ok: 'INFO', refused: 'WARNING', failed: 'ERROR' };
/** OpenTelemetry's severity numbers and names. */
const OTEL_SEVERITIES: { readonly [S in ErrorSeverity]: readonly [number, string] } = {
  INFO: [9, 'INFO'],
  WARNING: [13, 'WARN'],
  ERROR: [17, 'ERROR'],
  CRITICAL: [21, 'FATAL'],
};

function logOf({ event, timestamp, seq }: StampedEvent): OtlpLog {
  const [run_id = '', step_id] = event.execution_id.split('/');
  const [severityNumber, severityText] = OTEL_SEVERITIES[wrong(event)?.severity ?? SEVERITIES[event.status]];
  const attributes = { 'gen_ai.conversation.id': run_id, 'sallyport.seq': seq, ...attributesOf(event) };
  return {
    traceId: hex(run_id),
    spanId: step_id === undefined ? runSpanId(run_id) : stepSpanId(step_id),
    timeUnixNano: nanos(timestamp),
    observedTimeUnixNano: nanos(timestamp),
    severityNumber,
    severityText,
    eventName: EVENTS[event.event_type].name,
    attributes: keyValues(attributes),
  };
}

/** The attributes of an event. A member without a name in the table is a compile error. */
function attributesOf(event: TelemetryEvent): Attributes {
  const entries = Object.entries(event) as [keyof typeof ATTRIBUTES, Attribute][];
  const named = entries.filter(([name]) => Object.hasOwn(ATTRIBUTES, name));
  const found = wrong(event);
  const error = found && { 'sallyport.error.category': found.category, 'sallyport.error.severity': found.severity };
  return {
    ...Object.fromEntries(named.map(([name, value]) => [ATTRIBUTES[name], name === 'finish' ? [value] : value])),
    ...error,
  };
}

/** Error attributes after FemtoClaw 17 19 and 26. */
function wrong(
  event: TelemetryEvent,
): { readonly category: ErrorCategory; readonly severity: ErrorSeverity } | undefined {
  if (event.event_type === 'telemetry_lost') return { category: 'OBSERVABILITY_ERROR', severity: 'ERROR' };
  if (!('code' in event) || event.code === undefined) return undefined;
  return { category: categoryOf(event.code), severity: severityOf(event.code) };
}

function keyValues(attributes: Attributes): readonly KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Attribute): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  // a model has a single finish reason, but GenAI's attribute takes a list
  if (typeof value === 'object') return { arrayValue: { values: value.map(anyValue) } };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
}

function nanos(ms: number): string {
  return String(BigInt(ms) * 1_000_000n);
}
