import { decode } from '../../../core/json/decode-within.ts';
import { decodeUtf8, encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import type { PayloadRef } from '../../../core/ledger/payload-ref.ts';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import { logsOf, openTrace, tracesOf } from '../../../core/telemetry/otlp.ts';
import {
  type Attributes,
  keyValues,
  type OtlpLog,
  type OtlpLogs,
  type OtlpSpan,
  type OtlpTraces,
} from '../../../core/telemetry/otlp-form.ts';
import type { EndedSpan } from '../../../core/telemetry/span.ts';
import { makeDelay, TIMER_MAX_MS } from '../../async.ts';
import { textWithin } from '../models/body.ts';
import { ALONE } from '../models/endpoint.ts';
import { delayIn } from '../models/retry-after.ts';
import { Secrets } from '../models/secrets.ts';
import type { ContentLedger, PushedRun, PushedTelemetry, PushProblem } from './api.ts';
import type { PushTerms } from './options.ts';

/** Spans and logs that wait for a collector. Beyond, new ones are lost: a run never waits. */
const WAITING_MAX = 4096;
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

/** Bounds of a request: its items, and the size of their JSON. A door takes 16 MiB. */
const BATCH = 512;
const BATCH_CHARS = 2 ** 20;

/** ms before each further attempt at a request. A part of it is random, so that devices do not come at once. */
const BACKOFF_MS: readonly number[] = [1000, 2000, 4000, 8000];

/** A collector that wants more time is asked no more for this request. */
const RETRY_AFTER_MAX_MS = 60_000;

/** Sends spans and logs in batches, each until the collector has taken it, refused it, or the attempts are used up. */
class Outbox {
  readonly #post: Post;
  readonly #backoff: readonly number[];
  readonly #delay = makeDelay();
  readonly #counts = { spans: 0, logs: 0, lost: 0 };
  #problem: PushProblem | undefined;
  #isEnding = false;
  #isHurried = false;
  /** The collector did not answer while the push was ending: no further batch is tried. */
  #isGivenUp = false;

  constructor(post: Post, backoff: readonly number[]) {
    this.#post = post;
    this.#backoff = backoff;
  }

  get pushed(): PushedTelemetry {
    return { ...this.#counts, ...(this.#problem !== undefined && { problem: this.#problem }) };
  }

  /** Does not reject. */
  async send<T extends OtlpSpan | OtlpLog>(
    items: readonly T[],
    kind: 'spans' | 'logs',
    request: (items: readonly T[]) => OtlpTraces | OtlpLogs,
  ): Promise<void> {
    for (const batch of batchesOf(items)) {
      if (this.#isGivenUp) this.lose(batch.length);
      else await this.#deliver(request(batch), kind, batch.length);
    }
  }

  lose(count: number, problem: PushProblem | undefined = this.#problem): void {
    this.#counts.lost += count;
    this.#problem = problem;
  }

  /** From here on, a batch that fails is the last that is tried. */
  end(): void {
    this.#isEnding = true;
  }

  /** As `end`, and each batch has one attempt left. */
  hurry(): void {
    this.#isEnding = true;
    this.#isHurried = true;
    this.#delay.giveUp();
  }

  async #deliver(body: OtlpTraces | OtlpLogs, kind: 'spans' | 'logs', count: number): Promise<void> {
    for (let failures = 0; ; failures++) {
      const posted = await this.#post(body);
      if (posted.ok) {
        const rejected = Math.min(posted.rejected, count);
        this.#counts[kind] += count - rejected;
        const said = posted.said === undefined ? {} : { said: posted.said };
        if (rejected > 0) this.lose(rejected, { kind: 'rejected', ...said });
        return;
      }
      const { isPassing, problem, afterMs = jittered(this.#backoff[failures] ?? 0) } = posted;
      const isLast = !isPassing || failures >= this.#backoff.length || afterMs > RETRY_AFTER_MAX_MS;
      if (isLast || this.#isHurried) {
        this.lose(count, problem);
        this.#isGivenUp = this.#isEnding && isPassing;
        return;
      }
      await this.#delay.wait(afterMs);
    }
  }
}

function jittered(ms: number): number {
  return ms * (0.5 + Math.random() / 2);
}

function* batchesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  let batch: T[] = [];
  let chars = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (batch.length === BATCH || (batch.length > 0 && chars + size > BATCH_CHARS)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(item);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

/** A text above this size is left out: collectors cut or refuse such attributes. */
const TEXT_BYTES_MAX = 65_536;

/**
 * The spans with the texts that the ledger holds: messages of a request, arguments and result of a call. Texts of secret
 * steps, erased texts and large texts are left out. Does not reject.
 */
async function withContent(
  ended: readonly EndedSpan[],
  run_id: string,
  ledger: ContentLedger,
): Promise<readonly OtlpSpan[]> {
  if (ended.length === 0) return [];
  try {
    const records = await ledger.records(run_id);
    const textOf = reader(run_id, ledger);
    return await Promise.all(
      ended.map(async ({ of, step_id, span }) => {
        if (step_id === undefined) return span;
        const texts = await TEXTS[of](records, step_id, textOf);
        return { ...span, attributes: [...span.attributes, ...keyValues(texts)] };
      }),
    );
  } catch {
    // The ledger is closed, or the run was deleted.
    return ended.map(({ span }) => span);
  }
}

type TextReader = (ref: PayloadRef | undefined) => Promise<string | undefined>;

function reader(run_id: string, ledger: ContentLedger): TextReader {
  return async (ref) => {
    if (ref === undefined || ref.salt !== undefined || ref.bytes > TEXT_BYTES_MAX) return undefined;
    const bytes = await ledger.payload(run_id, ref);
    return bytes && decodeUtf8(bytes);
  };
}

interface Message {
  readonly role: 'user' | 'tool' | 'assistant';
  readonly text: string | undefined;
}

/** The texts since the answer before, which the request adds to the history, and the answer. */
async function messagesOf(records: readonly LedgerRecord[], step_id: string, textOf: TextReader): Promise<Attributes> {
  const at = records.findIndex((record) => record.kind === 'proposal' && record.body.step_id === step_id);
  const answer = records[at];
  if (answer?.kind !== 'proposal') return {};
  const since = records.slice(0, at).findLastIndex(({ kind }) => kind === 'proposal');
  const asked = await Promise.all(records.slice(since + 1, at).flatMap((record) => messageIn(record, textOf)));
  const said = await textOf(answer.body.payload);
  const [input, output] = [partsOf(asked), partsOf([{ role: 'assistant', text: said }])];
  const finish_reason = answer.body.finish ?? 'stop';
  return {
    ...(input.length > 0 && { 'gen_ai.input.messages': JSON.stringify(input) }),
    ...(output.length > 0 && {
      'gen_ai.output.messages': JSON.stringify(output.map((message) => ({ ...message, finish_reason }))),
    }),
  };
}

function messageIn(record: LedgerRecord, textOf: TextReader): readonly Promise<Message>[] {
  if (record.kind === 'task') return [textOf(record.body.text).then((text) => ({ role: 'user', text }))];
  if (record.kind === 'observation') return [textOf(record.body.payload).then((text) => ({ role: 'tool', text }))];
  return [];
}

/** Messages in the form of the conventions. */
function partsOf(messages: readonly Message[]) {
  return messages.flatMap(({ role, text }) =>
    text === undefined ? [] : [{ role, parts: [{ type: 'text', content: text }] }],
  );
}

/** Arguments and result of a step's only call. A message with several operations has no such pair. */
async function callOf(records: readonly LedgerRecord[], step_id: string, textOf: TextReader): Promise<Attributes> {
  const verdict = records.find((record) => record.kind === 'verdict' && record.body.step_id === step_id);
  const receipt = records.find((record) => record.kind === 'receipt' && record.body.receipt.step_id === step_id);
  if (verdict?.kind !== 'verdict' || receipt?.kind !== 'receipt') return {};
  const { result } = receipt.body.receipt.actions[0] ?? {};
  const isRef = result !== undefined && result !== null && typeof result === 'object' && 'sha256' in result;
  const args = await textOf(verdict.body.args);
  const made = verdict.body.args === undefined || !isRef ? undefined : await textOf(result as PayloadRef);
  return {
    ...(args !== undefined && { 'gen_ai.tool.call.arguments': args }),
    ...(made !== undefined && { 'gen_ai.tool.call.result': made }),
  };
}

const TEXTS: {
  readonly [O in EndedSpan['of']]: (
    records: readonly LedgerRecord[],
    step_id: string,
    textOf: TextReader,
  ) => Promise<Attributes>;
} = {
  chat: messagesOf,
  call: callOf,
  step: async () => ({}),
  turn: async () => ({}),
  power: async () => ({}),
};

/** The answer of a collector to one request. */
type Posted =
  | { readonly ok: true; readonly rejected: number; readonly said?: string }
  | { readonly ok: false; readonly problem: PushProblem; readonly isPassing: boolean; readonly afterMs?: number };

/** Sends a request to a collector. It does not reject. */
type Post = (body: OtlpTraces | OtlpLogs) => Promise<Posted>;

/** A collector that has not answered by then is taken to be away. */
const ANSWER_MS = 10_000;
/** An answer says little: a part that was rejected, and why. */
const ANSWER_BYTES = 65_536;
const SAID_MAX = 300;

function makePost(base: string, headers: Readonly<Record<string, string>>, send: typeof fetch): Post {
  const hide = hiderOf(headers);
  return async (body) => {
    const path = 'resourceSpans' in body ? '/v1/traces' : '/v1/logs';
    try {
      const response = await send(`${base}${path}`, {
        ...ALONE,
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return await postedOf(response, hide);
    } catch {
      // The platform's error may quote the request.
      return { ok: false, problem: { kind: 'unreachable' }, isPassing: true };
    }
  };
}

async function postedOf(response: Response, hide: Hide): Promise<Posted> {
  const { ok, status } = response;
  // The collector has decided by its status. A body that breaks off takes nothing back.
  const text = await textWithin(response, ANSWER_BYTES).catch(() => '');
  const answer = decode(encodeText(text.toWellFormed()));
  const value = answer.ok ? answer.value : null;
  if (ok) return { ok, ...partIn(value, hide) };
  const afterMs = delayIn(response.headers.get('retry-after'));
  const message = isObject(value) ? value['message'] : undefined;
  const said = saidIn(typeof message === 'string' && message !== '' ? message : text, hide);
  return {
    ok: false,
    problem: { kind: 'status', status, ...said },
    isPassing: PASSING.has(status),
    ...(afterMs !== undefined && { afterMs }),
  };
}

/** The statuses after which OTLP permits another attempt. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

function partIn(value: JsonValue, hide: Hide): { readonly rejected: number; readonly said?: string } {
  const part = isObject(value) ? value['partialSuccess'] : undefined;
  if (!isObject(part)) return { rejected: 0 };
  const count = Number(part['rejectedSpans'] ?? part['rejectedLogRecords'] ?? 0);
  return { rejected: Number.isSafeInteger(count) && count > 0 ? count : 0, ...saidIn(part['errorMessage'], hide) };
}

/** The collector's text on a line, bounded. Bytes that are no text, such as protobuf, say nothing. */
function saidIn(text: JsonValue | undefined, hide: Hide): { readonly said?: string } {
  if (typeof text !== 'string' || text.includes('\ufffd')) return {};
  // A key may be cut in two where the reading ends.
  const line = hide(text)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim();
  return line === '' ? {} : { said: line.slice(0, SAID_MAX).toWellFormed() };
}

type Hide = (text: string) => string;

/** Hides the keys of the headers in a text. A key that is too short to be hidden leaves no text. */
function hiderOf(headers: Readonly<Record<string, string>>): Hide {
  const secrets = new Secrets();
  try {
    secrets.addHeaders(Object.entries(headers));
    return (text) => secrets.hideCut(text);
  } catch {
    return () => '';
  }
}
