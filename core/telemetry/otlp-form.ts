import { categoryOf, type ErrorCategory, type ErrorSeverity, severityOf } from './category.ts';
import { ATTRIBUTES, type TelemetryEvent } from './event.ts';

/** OTLP in its JSON form (opentelemetry-proto 1.x): ids are hex, 64-bit numbers are strings. */
export interface OtlpTraces {
  readonly resourceSpans: readonly [
    {
      readonly resource: OtlpResource;
      readonly scopeSpans: readonly [{ readonly scope: OtlpScope; readonly spans: readonly OtlpSpan[] }];
    },
  ];
}
export interface OtlpLogs {
  readonly resourceLogs: readonly [
    {
      readonly resource: OtlpResource;
      readonly scopeLogs: readonly [{ readonly scope: OtlpScope; readonly logRecords: readonly OtlpLog[] }];
    },
  ];
}
export interface OtlpResource {
  readonly attributes: readonly OtlpAttribute[];
}
export interface OtlpScope {
  readonly name: string;
}
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1: within this program. 3: the call of a client. */
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
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
  readonly attributes: readonly OtlpAttribute[];
}

/** An attribute: a 64-bit number is a string. */
export interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}
export type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly OtlpValue[] } };

type Attribute = string | number | boolean | readonly string[];
export type Attributes = { readonly [name: string]: Attribute };

/** The attributes of an event. A member without a name in the table is a compile error. */
export function attributesOf(event: TelemetryEvent): Attributes {
  const entries = Object.entries(event) as [keyof typeof ATTRIBUTES, Attribute][];
  const named = entries.filter(([name]) => Object.hasOwn(ATTRIBUTES, name));
  const found = errorOf(event);
  const error = found && { 'sallyport.error.category': found.category, 'sallyport.error.severity': found.severity };
  return {
    ...Object.fromEntries(named.map(([name, value]) => [ATTRIBUTES[name], name === 'finish' ? [value] : value])),
    ...error,
  };
}

/** Category and severity of an event's error, after FemtoClaw 17 19 and 26. */
export function errorOf(
  event: TelemetryEvent,
): { readonly category: ErrorCategory; readonly severity: ErrorSeverity } | undefined {
  if (event.event_type === 'telemetry_lost') return { category: 'OBSERVABILITY_ERROR', severity: 'ERROR' };
  if (!('code' in event) || event.code === undefined) return undefined;
  return { category: categoryOf(event.code), severity: severityOf(event.code) };
}

export function keyValues(attributes: Attributes): readonly OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: Attribute): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  // a model has a single finish reason, but GenAI's attribute takes a list
  if (typeof value === 'object') return { arrayValue: { values: value.map(anyValue) } };
  return typeof value === 'boolean' ? { boolValue: value } : { intValue: String(value) };
}

/** Nanoseconds of a time in ms. */
export function nanos(ms: number): string {
  return String(BigInt(ms) * 1_000_000n);
}
