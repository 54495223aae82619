import { computed, effect, type ReadonlySignal, signal } from '@preact/signals-core';
import type { StampedEvent } from '../../../core/index.ts';
import type { Run } from '../../../workers/api.ts';
import { recordedTimes, StepClock, type TimeSpans } from '../../records/durations.ts';
import type { RunSession } from '../run/session.ts';

/** The spans of a step, measured while it ran or told by its records. */
export interface TimedStep {
  readonly spans: TimeSpans;
  readonly isMeasured: boolean;
}

/** The times of a run's steps, until `stop` is called. */
export interface RunTimes {
  readonly byStep: ReadonlySignal<ReadonlyMap<number, TimedStep>>;
  stop(): void;
}

type Measured = ReadonlyMap<number, TimeSpans>;

/** Drawn at most this often while events arrive, in ms. */
const DRAWN_MS = 100;

/**
 * Steps that ran since the page was opened are measured by telemetry, as far back as the kernel keeps it. The records
 * tell the times of the rest.
 */
export function openTimes(session: ReadonlySignal<RunSession | undefined>): RunTimes {
  const measured = signal<Measured>(new Map());
  let reader: AbortController | undefined;
  let of: Run | undefined;
  let endedAt = 0;

  const read = (own: RunSession, run: Run): void => {
    const stopped = new AbortController();
    reader = stopped;
    const show = (times: Measured): void => {
      if (!stopped.signal.aborted) measured.value = times;
    };
    const end = (): void => {
      if (stopped.signal.aborted) return;
      reader = undefined;
      endedAt = own.records.peek().length;
    };
    void follow(run.telemetry({ signal: stopped.signal }), show).then(end);
  };

  const stop = effect(() => {
    const own = session.value;
    const count = own?.records.value.length ?? 0;
    // A conversation may go on after its end; its telemetry is then read anew.
    if (own?.run === of && (reader !== undefined || count === endedAt)) return;
    reader?.abort();
    if (own?.run !== of) measured.value = new Map();
    of = own?.run;
    if (own !== undefined && of !== undefined) read(own, of);
  });
  const byStep = computed(() => {
    const recorded = recordedTimes(session.value?.steps.value ?? []);
    const own = measured.value;
    return new Map(
      [...recorded].map(([step, spans]) => [step, { spans: own.get(step) ?? spans, isMeasured: own.has(step) }]),
    );
  });
  return {
    byStep,
    stop: () => {
      stop();
      reader?.abort();
    },
  };
}

async function follow(events: AsyncIterable<StampedEvent>, show: (times: Measured) => void): Promise<void> {
  const clock = new StepClock();
  let due: ReturnType<typeof setTimeout> | undefined;
  const showSoon = (): void => {
    due ??= setTimeout(() => {
      due = undefined;
      show(clock.times);
    }, DRAWN_MS);
  };
  try {
    for await (const event of events) {
      clock.take(event);
      showSoon();
    }
  } catch {
    // The records tell the times then.
  }
  clearTimeout(due);
  show(clock.times);
}
