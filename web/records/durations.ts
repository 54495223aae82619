import type { LedgerRecord, StampedEvent } from '../../core/index.ts';
import type { StepGroup } from './steps.ts';

/** The parts of a step's time, in the order a step meets them. */
export const TIME_PARTS = ['model', 'gates', 'sandbox', 'person', 'disk'] as const;
type TimePart = (typeof TIME_PARTS)[number];

/** A stretch of a step's time, in ms of the wall clock. */
interface TimeSpan {
  readonly part: TimePart;
  readonly from: number;
  readonly to: number;
}

export type TimeSpans = readonly TimeSpan[];

/** Milliseconds of each part, and of all parts. */
export function totalsOf(spans: TimeSpans): { readonly [P in TimePart | 'all']: number } {
  const sums = { model: 0, gates: 0, sandbox: 0, person: 0, disk: 0, all: 0 };
  for (const { part, from, to } of spans) {
    sums[part] += to - from;
    sums.all += to - from;
  }
  return sums;
}

const PARTS: { readonly [phase: string]: TimePart } = {
  INPUT_RECEIVED: 'model',
  PROTOCOL_VALIDATING: 'gates',
  AUTHORIZATION_EVALUATING: 'gates',
  AWAITING_APPROVAL: 'person',
  CAPABILITY_EXECUTING: 'sandbox',
  MEMORY_COMMITTING: 'disk',
};

/** The spans of each step, measured from the telemetry of a running run: its phases and its writes. */
export class StepClock {
  readonly #times = new Map<number, TimeSpan[]>();
  #step: number | undefined;
  /** Spans before the proposal that they belong to. */
  #before: TimeSpan[] = [];
  #phase = '';
  #isWriting = false;
  #since = 0;

  /** The spans by step; the current step is not over. */
  get times(): ReadonlyMap<number, TimeSpans> {
    return new Map([...this.#times].map(([step, spans]) => [step, [...spans]]));
  }

  take({ event, timestamp }: StampedEvent): void {
    this.#close(timestamp);
    switch (event.event_type) {
      case 'protocol_received':
        this.#step = event.step;
        this.#times.set(event.step, this.#before);
        this.#before = [];
        break;
      case 'memory_write':
        this.#isWriting = true;
        break;
      case 'memory_committed':
      case 'memory_failed':
        this.#isWriting = false;
        break;
      case 'state_transition':
        this.#turn(event.from, event.to);
        break;
      case 'telemetry_lost':
        [this.#step, this.#before, this.#phase] = [undefined, [], ''];
        break;
      default:
    }
  }

  #turn(from: string, to: string): void {
    this.#phase = to;
    if (from !== 'MEMORY_COMMITTING') return;
    this.#step = undefined;
    this.#before = [];
  }

  #close(now: number): void {
    const part = this.#isWriting ? 'disk' : PARTS[this.#phase];
    const from = this.#since;
    this.#since = now;
    if (part === undefined || now <= from) return;
    const spans = this.#step === undefined ? this.#before : (this.#times.get(this.#step) ?? []);
    const last = spans.at(-1);
    if (last?.part === part && last.to === from) spans[spans.length - 1] = { ...last, to: now };
    else spans.push({ part, from, to: now });
  }
}

/**
 * The spans of each step, from its records alone. Records do not tell idle time from the model's, nor the disk's time
 * from the part before it. A clock that was set back counts as no time.
 */
export function recordedTimes(groups: readonly StepGroup[]): ReadonlyMap<number, TimeSpans> {
  const times = new Map<number, TimeSpans>();
  let last = groups[0]?.records[0]?.at ?? 0;
  let before: TimeSpan[] = [];
  for (const { step, records } of groups) {
    const moments = momentsOf(records);
    for (const [index, record] of records.entries()) {
      const to = Math.max(moments[index] ?? record.at, last);
      const part = partOf(record, records.slice(0, index));
      if (part !== undefined && to > last) before.push({ part, from: last, to });
      last = to;
    }
    if (step === undefined) continue;
    times.set(step, before);
    before = [];
  }
  return times;
}

/** Latest time at which each record can have come about: a decision has the time of its clock. */
function momentsOf(records: readonly LedgerRecord[]): readonly number[] {
  let bound = Infinity;
  const moments = records.toReversed().map(({ at, kind, body }) => {
    if (kind === 'decision') bound = Math.min(bound, body.now);
    return Math.min(at, bound);
  });
  return moments.toReversed();
}

/** True if a question to a person is open behind these records. */
export function isAsked(records: readonly LedgerRecord[]): boolean {
  const last = records.findLast(({ kind }) => kind === 'approval');
  return last?.kind === 'approval' && last.body.event === 'asked';
}

/** The part whose work ends with a record; undefined for a record that ends idle time. */
function partOf({ kind, body }: LedgerRecord, before: readonly LedgerRecord[]): TimePart | undefined {
  if (kind === 'proposal') return 'model';
  if (kind === 'approval' || kind === 'consent') return body.event === 'answered' ? 'person' : 'gates';
  if (kind === 'verdict' || kind === 'decision') return 'gates';
  if (kind === 'state' && isAsked(before)) return 'person';
  if (before.some((each) => each.kind === 'decision' && each.body.decision === 'AUTHORIZED')) return 'sandbox';
  return before.some((each) => each.kind === 'proposal') ? 'gates' : undefined;
}
