import type { ErrorSeverity } from './category.ts';
import { EVENTS, type EventStatus, type StampedEvent } from './event.ts';
import { attributesOf, errorOf, keyValues, nanos } from './otlp-attributes.ts';
import type { OtlpLog } from './otlp-form.ts';

/** The log of an event, in the span with these ids. */
export function logOf({ event, timestamp, seq }: StampedEvent, ids: Pick<OtlpLog, 'traceId' | 'spanId'>): OtlpLog {
  const [run_id = ''] = event.execution_id.split('/');
  const [severityNumber, severityText] = OTEL_SEVERITIES[errorOf(event)?.severity ?? SEVERITIES[event.status]];
  const attributes = { 'gen_ai.conversation.id': run_id, 'sallyport.seq': seq, ...attributesOf(event) };
  return {
    ...ids,
    timeUnixNano: nanos(timestamp),
    observedTimeUnixNano: nanos(timestamp),
    severityNumber,
    severityText,
    eventName: EVENTS[event.event_type].name,
    attributes: keyValues(attributes),
  };
}

const SEVERITIES: { readonly [S in EventStatus]: ErrorSeverity } = { ok: 'INFO', refused: 'WARNING', failed: 'ERROR' };
/** OpenTelemetry's severity numbers and names. */
const OTEL_SEVERITIES: { readonly [S in ErrorSeverity]: readonly [number, string] } = {
  INFO: [9, 'INFO'],
  WARNING: [13, 'WARN'],
  ERROR: [17, 'ERROR'],
  CRITICAL: [21, 'FATAL'],
};
