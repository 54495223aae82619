import {
  CALLBACK,
  demand,
  FLAG,
  OBJECT,
  type OptionType,
  type OptionTypes,
  optionsOf,
  POSITIVE,
  SIGNAL,
  TEXT,
} from '../../../core/option.ts';
import type { SpanParent } from '../../../core/telemetry/run-trace.ts';
import { assertHeader, assertPrivate, serverUrl } from '../models/endpoint.ts';
import { endpointInvalid } from '../models/failure.ts';
import type { ContentLedger, PushedRun, PushOptions } from './api.ts';

/** Options that have been checked, with their defaults. */
export interface PushTerms {
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly parent: SpanParent | undefined;
  readonly ledger: ContentLedger | undefined;
  readonly logs: boolean;
  readonly everyMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws `option_invalid`, and `endpoint_invalid` for an address or a header that could never work. */
export function pushTerms(run: PushedRun, given: PushOptions): PushTerms {
  demand('run', run, RUN);
  const options = optionsOf(given, OPTIONS, ['endpoint']);
  const {
    endpoint,
    headers = {},
    service = 'sallyport',
    parent,
    content,
    logs = true,
    everyMs = 5000,
    signal,
  } = options;
  const url = serverUrl(endpoint, 'endpoint');
  if (url.search !== '' || url.hash !== '') throw endpointInvalid('the endpoint has a query or a fragment');
  const named = Object.entries(headers);
  if (named.length > 0) assertPrivate(url);
  for (const [name, value] of named) assertHeader(name, value);
  return {
    // An address of OTEL_EXPORTER_OTLP_TRACES_ENDPOINT has the path of the signal already.
    base: url.href.replace(/(?:\/v1\/(?:traces|logs))?\/*$/, ''),
    headers,
    service,
    parent: parent === undefined ? undefined : parentIn(parent),
    ledger: typeof content === 'object' ? content.ledger : undefined,
    logs,
    everyMs,
    signal,
  };
}

const RUN: OptionType = ['a run', (value) => CALLBACK[1]((value as Partial<PushedRun> | null)?.telemetry)];
const PARENT: OptionType = [
  'a header traceparent, or {traceId, spanId} in hex',
  (value) => parentIn(value as string | SpanParent) !== undefined,
];
const CONTENT: OptionType = [
  "'hashes', or {ledger}",
  (value) => value === 'hashes' || CALLBACK[1]((value as { ledger?: Partial<ContentLedger> } | null)?.ledger?.payload),
];
const OPTIONS: OptionTypes = {
  endpoint: TEXT,
  headers: OBJECT,
  service: TEXT,
  parent: PARENT,
  content: CONTENT,
  logs: FLAG,
  everyMs: POSITIVE,
  signal: SIGNAL,
};

/** The ids of a parent. W3C Trace Context forbids the version `ff` and ids of zeros; later versions may add fields. */
function parentIn(given: string | SpanParent): SpanParent | undefined {
  const [, version, traceId, spanId, more] =
    typeof given === 'string' ? (TRACEPARENT.exec(given) ?? []) : ['', '00', given?.traceId, given?.spanId, ''];
  if (version === undefined || version === 'ff' || (version === '00' && more !== '')) return undefined;
  if (!isId(traceId, 32) || !isId(spanId, 16)) return undefined;
  return { traceId, spanId };
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(|-.*)$/;

function isId(id: unknown, digits: number): id is string {
  return typeof id === 'string' && id.length === digits && /^[0-9a-f]+$/.test(id) && !/^0+$/.test(id);
}
