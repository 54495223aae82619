/**
 * `sallyport/otlp`: the telemetry of a run, sent to a collector of OpenTelemetry.
 *
 * @experimental
 */
import type { PushedRun, PushedTelemetry, PushOptions } from './bridges/otlp/api.ts';
import { pushTerms } from './bridges/otlp/options.ts';
import { push } from './bridges/otlp/push.ts';

export type * from '../core/index.ts';
export type * from './api.ts';
export type * from './bridges/otlp/api.ts';

/**
 * Sends the telemetry of a run to a collector (OTLP over HTTP, as JSON): each span once, when it has ended, and every
 * other event as a log. Resolves when the turn has ended and its telemetry is sent; an abort of the signal sends what
 * has ended, with a single attempt. A later push of the same run goes on where this one ended. A collector that is away
 * delays no run: the result counts the losses. Rejects with `option_invalid` and `endpoint_invalid` alone.
 *
 * @example const pushed = await pushTelemetry(run, { endpoint: 'http://localhost:4318', service: 'my-app' });
 *
 * @experimental
 */
export async function pushTelemetry(run: PushedRun, options: PushOptions): Promise<PushedTelemetry> {
  return push(run, pushTerms(run, options), (input, init) => fetch(input, init));
}
