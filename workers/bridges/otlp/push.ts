import { logsOf, openTrace, tracesOf } from '../../../core/telemetry/otlp.ts';
import type { OtlpLog } from '../../../core/telemetry/otlp-form.ts';
import type { EndedSpan } from '../../../core/telemetry/span.ts';
import type { PushedRun, PushedTelemetry } from './api.ts';
import { withContent } from './content.ts';
import type { PushTerms } from './options.ts';
import { BACKOFF_MS, Outbox } from './outbox.ts';
import { makePost } from './post.ts';

/** Spans and logs that wait for a collector. Beyond, new ones are lost: a run never waits. */
const WAITING_MAX = 4096;
/** The longest time of a platform's timer. */
const TIMER_MAX_MS = 2 ** 31 - 1;
/** A request is sent early when so many wait. */
const WAITING_MANY = 512;

/**
 * Sends the telemetry of a run until its turn ends, or the signal aborts, and then what has ended by then. Does not
 * reject.
 */
export async function push(
  run: PushedRun,
  terms: PushTerms,
  send: typeof fetch,
  backoff: readonly number[] = BACKOFF_MS,
): Promise<PushedTelemetry> {
  const outbox = new Outbox(makePost(terms.base, terms.headers, send), backoff);
  const pusher = new Pusher(run.id, terms, outbox);
  const timer = setInterval(() => void pusher.flush(), Math.min(terms.everyMs, TIMER_MAX_MS));
  // A push keeps no process of Node alive while its run rests.
  (timer as { unref?: () => void }).unref?.();
  const hurry = (): void => outbox.hurry();
  terms.signal?.addEventListener('abort', hurry);
  if (terms.signal?.aborted) hurry();
  try {
    await readInto(pusher, run, terms);
    outbox.end();
    await pusher.finish();
  } finally {
    clearInterval(timer);
    terms.signal?.removeEventListener('abort', hurry);
  }
  return outbox.pushed;
}

/** Place in the telemetry of a run from which a next push to an endpoint goes on, so that no span is sent again. */
const places = new WeakMap<PushedRun, Map<string, number>>();

async function readInto(pusher: Pusher, run: PushedRun, { base, parent, signal }: PushTerms): Promise<void> {
  const trace = openTrace(parent);
  const pushed = places.get(run) ?? new Map<string, number>();
  places.set(run, pushed);
  const from = pushed.get(base) ?? 0;
  try {
    for await (const event of run.telemetry(signal === undefined ? {} : { signal })) {
      const { spans, logs } = trace.take(event);
      if (event.seq < from) continue;
      pushed.set(base, event.seq + 1);
      pusher.add(spans, logs);
    }
  } catch {
    // A run that could not start has no telemetry; its result tells why.
  }
  if (!signal?.aborted) pusher.add(trace.end(), []);
}

class Pusher {
  readonly #run_id: string;
  readonly #terms: PushTerms;
  readonly #outbox: Outbox;
  #spans: EndedSpan[] = [];
  #logs: OtlpLog[] = [];
  #flushing: Promise<void> | undefined;

  constructor(run_id: string, terms: PushTerms, outbox: Outbox) {
    this.#run_id = run_id;
    this.#terms = terms;
    this.#outbox = outbox;
  }

  add(spans: readonly EndedSpan[], logs: readonly OtlpLog[]): void {
    this.#spans.push(...this.#within(spans, this.#spans.length));
    if (this.#terms.logs) this.#logs.push(...this.#within(logs, this.#logs.length));
    if (this.#spans.length + this.#logs.length >= WAITING_MANY) void this.flush();
  }

  #within<T>(items: readonly T[], waiting: number): readonly T[] {
    const kept = items.slice(0, Math.max(0, WAITING_MAX - waiting));
    if (kept.length < items.length) this.#outbox.lose(items.length - kept.length, { kind: 'behind' });
    return kept;
  }

  /** Sends what waits, a request at a time. */
  flush(): Promise<void> {
    this.#flushing ??= this.#sendWaiting(false).finally(() => (this.#flushing = undefined));
    return this.#flushing;
  }

  async finish(): Promise<void> {
    await this.#flushing;
    await this.#sendWaiting(true);
  }

  async #sendWaiting(isLast: boolean): Promise<void> {
    const { ledger, service } = this.#terms;
    const spans = this.#takeSpans(isLast || ledger === undefined);
    const logs = this.#logs.splice(0);
    const full = ledger === undefined ? spans.map(({ span }) => span) : await withContent(spans, this.#run_id, ledger);
    await this.#outbox.send(full, 'spans', (some) => tracesOf(some, service));
    await this.#outbox.send(logs, 'logs', (some) => logsOf(some, service));
  }

  /** With content the spans of an open step stay: the ledger has their texts when the step has ended. */
  #takeSpans(isAll: boolean): readonly EndedSpan[] {
    const over = new Set(this.#spans.flatMap(({ of, step_id }) => (of === 'step' ? [step_id] : [])));
    const goes = ({ step_id }: EndedSpan) => isAll || step_id === undefined || over.has(step_id);
    const taken = this.#spans.filter(goes);
    this.#spans = this.#spans.filter((each) => !goes(each));
    return taken;
  }
}
