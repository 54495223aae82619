import { EVENTS, type EventType, type StampedEvent, type TelemetryEvent } from '../../core/telemetry/event.ts';
import type { Abortable, Run } from '../api.ts';

type Track = 'Runs' | 'Gates' | 'Calls' | 'Ledger';

/** Spans by their last event, each with its first event and its track. */
const SPANS: { readonly [T in EventType]?: readonly [from: EventType, track: Track, name: string] } = {
  protocol_validated: ['protocol_received', 'Gates', 'validate'],
  protocol_rejected: ['protocol_received', 'Gates', 'validate'],
  capability_authorized: ['capability_requested', 'Gates', 'authorize'],
  capability_denied: ['capability_requested', 'Gates', 'authorize'],
  approval_answered: ['approval_asked', 'Gates', 'ask a person'],
  consent_answered: ['consent_asked', 'Gates', 'ask for consent'],
  capability_completed: ['capability_started', 'Calls', 'call'],
  capability_failed: ['capability_started', 'Calls', 'call'],
  memory_committed: ['memory_write', 'Ledger', 'append'],
  memory_failed: ['memory_write', 'Ledger', 'append'],
  run_completed: ['run_started', 'Runs', 'run'],
};

/**
 * Draws a run in the Performance panel of Chrome's developer tools: its gates, calls and appends as tracks, until the
 * run ends. The tracks show only telemetry: names, codes, hashes and sizes. A program calls this for a single run;
 * other runs cost no time. Times are whole milliseconds of the recorded clock.
 *
 * @example void showTracks(run);
 * @see https://developer.chrome.com/docs/devtools/performance/extension
 */
export async function showTracks(run: Pick<Run, 'telemetry'>, options: Abortable = {}): Promise<void> {
  const begun = new Map<string, number>();
  for await (const { event, timestamp } of run.telemetry(options)) {
    const ticket = 'ticket' in event ? event.ticket : undefined;
    begun.set(`${event.event_type} ${ticket}`, timestamp);
    const span = SPANS[event.event_type];
    const start = span && begun.get(`${span[0]} ${ticket}`);
    if (start !== undefined) draw(span as NonNullable<typeof span>, event, start, timestamp);
  }
}

function draw([, track, name]: readonly [EventType, Track, string], event: TelemetryEvent, start: number, end: number) {
  const { event_type, execution_id, status, ...told } = event;
  const properties = Object.entries(told).map(([key, value]) => [key, String(value)]);
  const devtools = {
    dataType: 'track-entry',
    trackGroup: 'Sallyport',
    track,
    color: EVENTS[event_type].status === 'ok' ? 'primary' : 'error',
    tooltipText: event_type.replaceAll('_', ' '),
    properties: [['execution', execution_id], ['status', status], ...properties],
  };
  const label = `sallyport: ${'capability' in event ? `${name} ${event.capability}` : name}`;
  performance.measure(label, { start: sinceOrigin(start), end: sinceOrigin(end), detail: { devtools } });
  // The panel has the measure now; the page's own timeline would only grow.
  performance.clearMeasures(label);
}

/**
 * Converts a timestamp of the run's clock. That clock may differ from this process's: times before the process's origin
 * become 0.
 */
function sinceOrigin(timestamp: StampedEvent['timestamp']): number {
  return Math.max(0, timestamp - performance.timeOrigin);
}
