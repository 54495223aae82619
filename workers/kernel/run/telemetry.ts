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
  /** The events from `seq` on; waits until an event exists or the run is over. */
  read(seq: number): Promise<TelemetryBatch>;
  /** Ends the log: no event follows. */
  end(): void;
}

export function makeTelemetry(now: () => number, kept: number = KEPT, names: ModelNames = {}): TelemetryLog {
  const ring: StampedEvent[] = [];
  let written = 0;
  let over = false;
  let waiting: (() => void)[] = [];

  const write = (event: StampedEvent['event'], timestamp: number) => {
    ring[written % kept] = { seq: written, timestamp, event };
    written++;
  };

  function observe(
    before: RunState,
    event: RunEvent | undefined,
    after: RunState,
    effects: readonly RunEffect[],
  ): void {
    const timestamp = now();
    for (const told of deriveOrSaySo(before, event, after, effects)) write(named(told, names, after), timestamp);
    over = isOver(after);
    wakeAll();
  }

  function wakeAll(): void {
    const readers = waiting;
    waiting = [];
    for (const wake of readers) wake();
  }

  async function read(seq: number): Promise<TelemetryBatch> {
    const behind = () => seq >= written && !over;
    while (behind()) await new Promise<void>((wake) => waiting.push(wake));
    const oldest = Math.max(0, written - kept);
    const from = Math.max(seq, oldest);
    const next = Math.max(from, Math.min(from + BATCH, written));
    const events = Array.from({ length: next - from }, (_, index) => ring[(from + index) % kept] as StampedEvent);
    return {
      events: seq < oldest ? [gone(events, seq, oldest - seq), ...events] : events,
      next,
      ended: over && next >= written,
    };
  }

  function end(): void {
    over = true;
    wakeAll();
  }

  return { observe, read, end };
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
