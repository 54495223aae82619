import { isObject } from '../json/value.ts';
import { demand, type OptionType, STRING } from '../option.ts';
import type { StampedEvent } from './event.ts';
import { keyValues } from './otlp-attributes.ts';
import type { OtlpLog, OtlpLogs, OtlpResource, OtlpScope, OtlpSpan, OtlpTraces } from './otlp-form.ts';
import { openTrace } from './trace.ts';

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
