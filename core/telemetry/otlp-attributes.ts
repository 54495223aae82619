import { categoryOf, type ErrorCategory, type ErrorSeverity, severityOf } from './category.ts';
import { ATTRIBUTES, type TelemetryEvent } from './event.ts';
import type { OtlpAttribute, OtlpValue } from './otlp-form.ts';

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
