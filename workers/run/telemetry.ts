import type { RunEffect } from '../../core/run/effect.ts';
import type { RunEvent } from '../../core/run/event.ts';
import type { RunState } from '../../core/run/state.ts';
import { derive, isOver } from '../../core/telemetry/derive.ts';
import { type StampedEvent, tell } from '../../core/telemetry/event.ts';

/** Events of a run that are kept for readers that are behind. */
const KEPT = 4096;
/** Events that are handed over at once, so that no message is long. */
const BATCH = 256;

/** What a reader gets: events from where it asked, and where to ask next. */
export interface TelemetryBatch {
  readonly events: readonly StampedEvent[];
  readonly next: number;
  readonly ended: boolean;
}

/** Of a run that is not open here. */
export const NO_TELEMETRY: TelemetryBatch = { events: [], next: 0, ended: true };

/**
 * What one run has told, the newest of it. A run writes here and never waits: readers come and ask, so that one that
 * fails, is slow or goes away is nothing to the run. Who is too late for an event is told how many are gone.
 */
export interface TelemetryLog {
  observe(before: RunState, event: RunEvent | undefined, after: RunState, effects: readonly RunEffect[]): void;
  /** The events from `seq` on; waits until there are any, or the run is over. */
  read(seq: number): Promise<TelemetryBatch>;
  /** There will be no more of it here. */
  end(): void;
}

export function makeTelemetry(now: () => number, kept: number = KEPT): TelemetryLog {
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
    for (const told of deriveOrSaySo(before, event, after, effects)) write(told, timestamp);
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

/** The one defect that may not end a run: telling of it fails, and says that it did. */
function deriveOrSaySo(...happened: Parameters<typeof derive>): ReturnType<typeof derive> {
  try {
    return derive(...happened);
  } catch {
    return [tell('telemetry_lost', happened[2].facts.run_id, { lost: 1, cause: 'defect' })];
  }
}

/** Stands in the place of the first event that is gone. */
function gone(events: readonly StampedEvent[], seq: number, lost: number): StampedEvent {
  const [first] = events;
  const run_id = first?.event.execution_id.split('/')[0] ?? '';
  return { seq, timestamp: first?.timestamp ?? 0, event: tell('telemetry_lost', run_id, { lost, cause: 'slow' }) };
}
