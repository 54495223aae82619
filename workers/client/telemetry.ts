import type { StampedEvent } from '../../core/telemetry/event.ts';
import { orAborted } from '../async.ts';
import type { TelemetryBatch } from '../kernel/run/telemetry.ts';

/** Yields the events of a run in order, from the oldest that the log still holds to the last. */
export async function* readTelemetry(
  read: (seq: number) => Promise<TelemetryBatch>,
  signal?: AbortSignal,
): AsyncGenerator<StampedEvent> {
  for (let seq = 0; ; ) {
    const batch = await orAborted(read(seq), signal);
    if (batch === undefined) return;
    const { events, next, ended } = batch;
    yield* events;
    if (ended) return;
    seq = next;
  }
}
