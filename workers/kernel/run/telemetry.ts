import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import type { RunState } from '../../../core/run/state.ts';
import { derive, isOver } from '../../../core/telemetry/derive.ts';
import { type ModelNames, type StampedEvent, type TelemetryEvent, tell } from '../../../core/telemetry/event.ts';

/** Events of a run that are kept for slow readers. */
const KEPT = 4096;
/** Events in a single batch, so that no message is long. */
const BATCH = 256;

/** Events from the requested place on, and the place of the next request. */
export interface TelemetryBatch {
  readonly events: readonly StampedEvent[];
  readonly next: number;
  readonly ended: boolean;
}

/** Batch for a run that is not open here. */
export const NO_TELEMETRY: TelemetryBatch = { events: [], next: 0, ended: true };

/**
 * The newest telemetry events of a single run. The run writes and never waits; readers ask. A reader that fails, is
 * slow or leaves has no effect on the run. A late reader receives the number of lost events.
 */
export interface TelemetryLog {
  observe(before: RunState, event: RunEvent | undefined, after: RunState, effects: readonly RunEffect[]): void;
  /**
   * The events from `seq` on; waits until an event exists or the run is over. For a `person` they tell all of held calls, and
   * have numbers of their own.
   */
  read(seq: number, reader?: Reader): Promise<TelemetryBatch>;
  /** Ends the log: no event follows. */
  end(): void;
}

type Reader = NonNullable<Parameters<typeof derive>[4]>;

export function makeTelemetry(now: () => number, kept: number = KEPT, names: ModelNames = {}): TelemetryLog {
  const told = new EventRing(kept);
  /** What a person is told; absent where nothing is held. */
  let whole: EventRing | undefined;
  let over = false;
  let waiting: (() => void)[] = [];

  function observe(
    before: RunState,
    event: RunEvent | undefined,
    after: RunState,
    effects: readonly RunEffect[],
  ): void {
    const timestamp = now();
    const write = (ring: EventRing, reader: Reader) => {
      for (const each of deriveOrSaySo(before, event, after, effects, reader))
        ring.write(named(each, names, after), timestamp);
    };
    write(told, 'any');
    if (after.facts.holding) write((whole ??= new EventRing(kept)), 'person');
    over = isOver(after);
    wakeAll();
  }

  function wakeAll(): void {
    const readers = waiting;
    waiting = [];
    for (const wake of readers) wake();
  }

  async function read(seq: number, reader: Reader = 'any'): Promise<TelemetryBatch> {
    const ring = () => (reader === 'person' ? (whole ?? told) : told);
    const behind = () => seq >= ring().written && !over;
    while (behind()) await new Promise<void>((wake) => waiting.push(wake));
    return ring().batch(seq, over);
  }

  function end(): void {
    over = true;
    wakeAll();
  }

  return { observe, read, end };
}

/** The newest events, by their numbers. */
class EventRing {
  readonly #kept: number;
  readonly #events: StampedEvent[] = [];
  written = 0;

  constructor(kept: number) {
    this.#kept = kept;
  }

  write(event: StampedEvent['event'], timestamp: number): void {
    this.#events[this.written % this.#kept] = { seq: this.written, timestamp, event };
    this.written++;
  }

  batch(seq: number, over: boolean): TelemetryBatch {
    const oldest = Math.max(0, this.written - this.#kept);
    const from = Math.max(seq, oldest);
    const next = Math.max(from, Math.min(from + BATCH, this.written));
    const events = Array.from(
      { length: next - from },
      (_, index) => this.#events[(from + index) % this.#kept] as StampedEvent,
    );
    return {
      events: seq < oldest ? [gone(events, seq, oldest - seq), ...events] : events,
      next,
      ended: over && next >= this.written,
    };
  }
}

/** Adds the names of the model, or the mark of a session, to the events that begin a run or resume it. */
function named(event: TelemetryEvent, names: ModelNames, { facts: { caller } }: RunState): TelemetryEvent {
  const { event_type: type } = event;
  return type === 'run_started' || type === 'run_resumed' ? { ...event, ...names, ...(caller && { caller }) } : event;
}

/** Derives events. A defect here must not end the run, so the failure becomes an event itself. */
function deriveOrSaySo(...happened: Parameters<typeof derive>): ReturnType<typeof derive> {
  try {
    return derive(...happened);
  } catch {
    return [tell('telemetry_lost', happened[2].facts.run_id, { lost: 1, cause: 'defect' })];
  }
}

/** Event that replaces the first lost event. */
function gone(events: readonly StampedEvent[], seq: number, lost: number): StampedEvent {
  const [first] = events;
  const run_id = first?.event.execution_id.split('/')[0] ?? '';
  return { seq, timestamp: first?.timestamp ?? 0, event: tell('telemetry_lost', run_id, { lost, cause: 'slow' }) };
}
