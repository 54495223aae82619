import type { Refusal } from '../../core/outcome.ts';
import type { HostRejection } from '../../core/run/event.ts';
import type { Run, Session } from '../api.ts';
import { warn } from './warn.ts';

/** Records a rejection. Resolves with false where the run takes no record any more. */
type Rejecter = (rejection: HostRejection) => Promise<boolean>;

interface OfRun {
  readonly reject: Rejecter;
  readonly counted: Map<HostRejection['from'], Rejections>;
}

const runs = new WeakMap<Run, OfRun>();

export function keepRejecter(run: Run, reject: Rejecter): void {
  runs.set(run, { reject, counted: new Map() });
}

/** The function that records what the host of this session was refused. */
export function rejecterOf({ run }: Pick<Session, 'run'>): Rejecter {
  return runs.get(run)?.reject ?? (async () => false);
}

/** The calls of a session that were turned away, whatever asks for them: a session has one flood. */
export function rejectionsOf({ run }: Pick<Session, 'run'>, from: HostRejection['from']): Rejections {
  const { reject, counted } = runs.get(run) ?? { reject: async () => false, counted: new Map<string, Rejections>() };
  const rejections = counted.get(from) ?? new Rejections(from, reject);
  counted.set(from, rejections);
  return rejections;
}

/** Writes the counts of a session that is about to close. */
export async function settleRejections(run: Run): Promise<void> {
  await Promise.all([...(runs.get(run)?.counted.values() ?? [])].map((rejections) => rejections.settle()));
}

/** Messages that have a record each before a flood begins. One more is due with each second. */
const EACH = 16;

const SECOND_MS = 1000;

/**
 * The messages of a host that were turned away. Each has a record with its bytes; of a flood there is a single record a
 * second, with the number of messages by their code.
 */
export class Rejections {
  readonly #from: HostRejection['from'];
  readonly #record: Rejecter;
  readonly #counts = new Map<
    string,
    { readonly class: Refusal['class']; readonly code: Refusal['code']; count: number }
  >();
  #due = EACH;
  #since = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #written: Promise<unknown> = Promise.resolve();

  constructor(from: HostRejection['from'], record: Rejecter) {
    this.#from = from;
    this.#record = record;
  }

  add(refusal: Refusal, bytes?: Uint8Array): void {
    if (this.#counts.size === 0 && this.#take())
      return this.#write({ from: this.#from, refusal, ...(bytes && { bytes }) });
    const { class: kind, code } = refusal;
    const row = this.#counts.get(code) ?? { class: kind, code, count: 0 };
    row.count++;
    this.#counts.set(code, row);
    this.#timer ??= setTimeout(() => this.#flush(), SECOND_MS);
  }

  /** A message got the outcome of a step. */
  taken(of: { readonly run_id: string; readonly step_id: string }, bytes?: Uint8Array): void {
    this.#write({ from: this.#from, of, ...(bytes && { bytes }) });
  }

  /** Writes the counts of a flood, and resolves after the last record. */
  async settle(): Promise<void> {
    this.#flush();
    await this.#written;
  }

  #take(): boolean {
    const now = performance.now();
    this.#due = Math.min(EACH, this.#due + (now - this.#since) / SECOND_MS);
    this.#since = now;
    if (this.#due < 1) return false;
    this.#due -= 1;
    return true;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts.values()].sort((one, other) => (one.code < other.code ? -1 : 1));
    this.#counts.clear();
    if (counts.length === 0) return;
    this.#take();
    this.#write({ from: this.#from, counts });
  }

  #write(rejection: HostRejection): void {
    const written = this.#record(rejection).then(
      (isRecorded) => isRecorded || warn('sallyport: a message that was turned away has no record', rejection),
      (error: unknown) => warn('sallyport: a message that was turned away has no record', error),
    );
    this.#written = Promise.all([this.#written, written]);
  }
}
