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
