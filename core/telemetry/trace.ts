import type { EventType, StampedEvent } from './event.ts';
import { logOf } from './log.ts';
import type { OtlpLog } from './otlp-form.ts';
import { RunTrace, type SpanParent } from './run-trace.ts';
import type { EndedSpan } from './span.ts';

/** Spans and logs of runs, made event by event. */
export interface Trace {
  /** The spans that this event ends, each a single time, and its log. */
  take(event: StampedEvent): { readonly spans: readonly EndedSpan[]; readonly logs: readonly OtlpLog[] };
  /** Ends the open spans at their last event. */
  end(): readonly EndedSpan[];
}

/**
 * Opens the trace of one or more runs. Without a parent, the run's id is the trace id, and halves of existing ids or of
 * their hashes are the span ids: the same in every export.
 */
export function openTrace(parent?: SpanParent): Trace {
  const runs = new Map<string, RunTrace>();
  let opened = 0;
  const next = () => opened++;
  return {
    take(event) {
      const [run_id = ''] = event.event.execution_id.split('/');
      const run = runs.get(run_id) ?? new RunTrace(run_id, parent, next);
      runs.set(run_id, run);
      return {
        spans: run.take(event),
        logs: SPANNED.has(event.event.event_type) ? [] : [logOf(event, run.idsOf(event))],
      };
    },
    end: () => [...runs.values()].flatMap((run) => run.endTurn()),
  };
}

/** Events that a span's ends and attributes express. */
const SPANNED: ReadonlySet<EventType> = new Set([
  'run_started',
  'run_completed',
  'capability_started',
  'capability_completed',
  'capability_failed',
]);
