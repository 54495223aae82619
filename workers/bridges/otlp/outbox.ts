import type { OtlpLog, OtlpLogs, OtlpSpan, OtlpTraces } from '../../../core/telemetry/otlp-form.ts';
import { makeDelay } from '../../async.ts';
import type { PushedTelemetry, PushProblem } from './api.ts';
import type { Post } from './post.ts';

/** Bounds of a request: its items, and the size of their JSON. A door takes 16 MiB. */
const BATCH = 512;
const BATCH_CHARS = 2 ** 20;

/** ms before each further attempt at a request. A part of it is random, so that devices do not come at once. */
export const BACKOFF_MS: readonly number[] = [1000, 2000, 4000, 8000];

/** A collector that wants more time is asked no more for this request. */
const RETRY_AFTER_MAX_MS = 60_000;

/** Sends spans and logs in batches, each until the collector has taken it, refused it, or the attempts are used up. */
export class Outbox {
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
