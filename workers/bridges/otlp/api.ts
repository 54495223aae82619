/** Public types of the telemetry that is pushed to a collector. */
import type { SpanParent } from '../../../core/telemetry/run-trace.ts';
import type { Abortable, Run, Runtime } from '../../api.ts';

/** The ledger from which content is read. */
export type ContentLedger = Pick<Runtime['ledger'], 'records' | 'payload'>;

/** A run whose telemetry is pushed. */
export type PushedRun = Pick<Run, 'id' | 'telemetry'>;

export interface PushOptions extends Abortable {
  /** Base address of the collector: `/v1/traces` and `/v1/logs` come behind it, also where it ends with one of them. */
  readonly endpoint: string;
  /** Sent with each request, for example with a key. They stand in no message and in no span. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `service.name` of the resource. Default `sallyport`. */
  readonly service?: string;
  /** Span of another program that the run belongs to: a header `traceparent` of W3C Trace Context, or its two ids. */
  readonly parent?: string | SpanParent;
  /**
   * `hashes`, the default: spans hold hashes and sizes of messages, arguments and results. With a ledger they hold the
   * texts too, except those of secret steps and texts above 64 KiB.
   */
  readonly content?: 'hashes' | { readonly ledger: ContentLedger };
  /** False: spans alone are sent, for a server that takes no logs. Default true. */
  readonly logs?: boolean;
  /** ms between two requests while the run goes on. Default 5000. */
  readonly everyMs?: number;
}

/** The reason why telemetry did not reach the collector. */
export interface PushProblem {
  /**
   * `unreachable`: no answer came in time. `status`: the collector answered with an error. `rejected`: the collector
   * took a part of a request alone. `behind`: more was waiting than is kept.
   */
  readonly kind: 'unreachable' | 'status' | 'rejected' | 'behind';
  /** HTTP status of the collector's answer. */
  readonly status?: number;
  /** Text of the collector, at most 300 characters, without the keys of `headers`. It is a stranger's text. */
  readonly said?: string;
}

/** Result of a push. */
export interface PushedTelemetry {
  /** Number of spans and of logs that the collector has accepted. */
  readonly spans: number;
  readonly logs: number;
  /** Number of spans and logs that did not reach the collector. */
  readonly lost: number;
  /** The newest reason of a loss. */
  readonly problem?: PushProblem;
}
