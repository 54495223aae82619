import { sha256Text } from '../hash.ts';
import type { EventType, StampedEvent } from './event.ts';
import { type Attributes, attributesOf, keyValues, nanos, type OtlpSpan } from './otlp-form.ts';

/** A span that has ended. */
export interface EndedSpan {
  readonly of: 'turn' | 'step' | 'chat' | 'call' | 'power';
  /** Place among the spans in the order in which they began. */
  readonly opened: number;
  /** Step that the span belongs to; absent for a turn, and for a request that the model has not answered. */
  readonly step_id?: string;
  readonly span: OtlpSpan;
}

/** A span that may still get a later end and further attributes. */
export interface OpenSpan {
  readonly of: EndedSpan['of'];
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: OtlpSpan['kind'];
  readonly opened: number;
  readonly start: number;
  readonly step_id?: string;
  end: number;
  attributes: Attributes;
  status: OtlpSpan['status'];
}

/** The beginning of a span. */
export type SpanStart = Omit<OpenSpan, 'end' | 'status'>;

export function openSpan(start: SpanStart): OpenSpan {
  return { ...start, end: start.start, status: {} };
}

/** Takes an event into a span: as its end, and with its attributes where it is one of these events. */
export function extendSpan(span: OpenSpan, about: ReadonlySet<EventType>, { event, timestamp }: StampedEvent): void {
  span.end = timestamp;
  if (!about.has(event.event_type)) return;
  span.attributes = { ...span.attributes, ...attributesOf(event) };
  if (event.status !== 'ok')
    span.status = { code: 2, message: 'code' in event && event.code !== undefined ? event.code : event.status };
}

export function endedSpan(traceId: string, ended: OpenSpan): EndedSpan {
  const { of, id: spanId, parent, name, kind, opened, start, end, step_id, attributes, status } = ended;
  const tool = attributes['gen_ai.tool.name'];
  const full = (of === 'call' || of === 'power') && tool !== undefined ? `${name} ${String(tool)}` : name;
  const ids = { traceId, spanId, ...(parent !== undefined && { parentSpanId: parent }) };
  const times = { startTimeUnixNano: nanos(start), endTimeUnixNano: nanos(end) };
  const span = { ...ids, name: full, kind, ...times, attributes: keyValues(attributes), status };
  return { of, opened, ...(step_id !== undefined && { step_id }), span };
}

/** Trace id of a run that no other program has called. */
export function traceIdOf(run_id: string): string {
  return hex(run_id);
}

/**
 * Span ids of a run, a step and its call: halves of their UUIDs. OTLP forbids an id of zeros only: the half with a
 * UUID's variant is never all zero, nor is the half with its version.
 */
export function runSpanId(run_id: string): string {
  return hex(run_id).slice(16);
}
export function stepSpanId(step_id: string): string {
  return hex(step_id).slice(16);
}
export function callSpanId(step_id: string): string {
  return hex(step_id).slice(0, 16);
}

/** Span id of a span without a UUID of its own. */
export function hashSpanId(text: string): string {
  return sha256Text(text).slice(0, 16);
}

function hex(uuid: string): string {
  return uuid.replaceAll('-', '');
}
