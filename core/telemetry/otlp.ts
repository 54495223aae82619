import { isObject } from '../json/value.ts';
import { demand, type OptionType, STRING } from '../option.ts';
import type { ErrorSeverity } from './category.ts';
import { EVENTS, type EventStatus, type EventType, type StampedEvent } from './event.ts';
import {
  attributesOf,
  errorOf,
  keyValues,
  nanos,
  type OtlpLog,
  type OtlpLogs,
  type OtlpResource,
  type OtlpScope,
  type OtlpSpan,
  type OtlpTraces,
} from './otlp-form.ts';
import { RunTrace, type SpanParent } from './run-trace.ts';
import type { EndedSpan } from './span.ts';

/**
 * The telemetry of runs as OTLP, to be posted to a collector or stored as a file: a span for each turn of a run
 * (`invoke_agent`), each request to a model (`chat`), each step and each execution (`execute_tool`), under GenAI's
 * names. Every other event is a log. An open span ends at the last event.
 */
export function toOtlp(
  events: readonly StampedEvent[],
  service = 'sallyport',
): { readonly traces: OtlpTraces; readonly logs: OtlpLogs } {
  demand('events', events, EVENT_LIST);
  demand('service', service, STRING);
  const trace = openTrace();
  const told = events.map((event) => trace.take(event));
  const ended = [...told.flatMap(({ spans }) => spans), ...trace.end()];
  const spans = ended.toSorted((one, other) => one.opened - other.opened).map(({ span }) => span);
  return {
    traces: tracesOf(spans, service),
    logs: logsOf(
      told.flatMap(({ logs }) => logs),
      service,
    ),
  };
}

const EVENT_LIST: OptionType = [
  'a list of stamped events',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && isObject(each['event'])),
];

const SCOPE: OtlpScope = { name: 'sallyport' };

/** A request to a collector that carries these spans. */
export function tracesOf(spans: readonly OtlpSpan[], service: string): OtlpTraces {
  return { resourceSpans: [{ resource: resourceOf(service), scopeSpans: [{ scope: SCOPE, spans }] }] };
}

/** A request to a collector that carries these logs. */
export function logsOf(logRecords: readonly OtlpLog[], service: string): OtlpLogs {
  return { resourceLogs: [{ resource: resourceOf(service), scopeLogs: [{ scope: SCOPE, logRecords }] }] };
}

function resourceOf(service: string): OtlpResource {
  return { attributes: keyValues({ 'service.name': service }) };
}

/** Spans and logs of runs, made event by event. */
interface Trace {
  /** The spans that this event ends, each a single time, and its log. */
  take(event: StampedEvent): { readonly spans: readonly EndedSpan[]; readonly logs: readonly OtlpLog[] };
  /** Ends the open spans at their last event. */
  end(): readonly EndedSpan[];
}

/**
 * Opens the trace of one or more runs. Without a parent, the run's id is the trace id, and halves of existing ids or of
 * their hashes are the span ids: the same in every export.
 */
export function openTrace(parent?: SpanParent): Trace {
  const runs = new Map<string, RunTrace>();
  let opened = 0;
  const next = () => opened++;
  return {
    take(event) {
      const [run_id = ''] = event.event.execution_id.split('/');
      const run = runs.get(run_id) ?? new RunTrace(run_id, parent, next);
      runs.set(run_id, run);
      return {
        spans: run.take(event),
        logs: SPANNED.has(event.event.event_type) ? [] : [logOf(event, run.idsOf(event))],
      };
    },
    end: () => [...runs.values()].flatMap((run) => run.endTurn()),
  };
}

/** Events that a span's ends and attributes express. */
const SPANNED: ReadonlySet<EventType> = new Set([
  'run_started',
  'run_completed',
  'capability_started',
  'capability_completed',
  'capability_failed',
]);

/** The log of an event, in the span with these ids. */
function logOf({ event, timestamp, seq }: StampedEvent, ids: Pick<OtlpLog, 'traceId' | 'spanId'>): OtlpLog {
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
