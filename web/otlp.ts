/**
 * `sallyport/otlp` in a page: the telemetry of a run, sent to a collector through a door.
 *
 * @experimental
 */
import type { PushedRun, PushedTelemetry, PushOptions } from '../workers/bridges/otlp/api.ts';
import { pushTerms } from '../workers/bridges/otlp/options.ts';
import { push } from '../workers/bridges/otlp/push.ts';
import { openDoor } from './door.ts';

export type * from '../core/index.ts';
export type * from '../workers/api.ts';
export type * from '../workers/bridges/otlp/api.ts';

export interface PagePushOptions extends PushOptions {
  /** Folder of this origin with `worker-endpoint.js`, where no bundler placed it. */
  readonly assets?: string;
}

/**
 * As in Node. A door of its own asks the collector, so the page keeps `connect-src 'self'`, and `headers` stay in the
 * worker of the door. The collector must allow this page's origin (CORS). Also rejects with `worker_blocked`.
 *
 * @experimental
 */
export async function pushTelemetry(run: PushedRun, given: PagePushOptions): Promise<PushedTelemetry> {
  const { assets, ...options } = Object(given) as PagePushOptions;
  const terms = pushTerms(run, options);
  const { base, headers } = terms;
  const door = await openDoor({ kind: 'otlp', url: base, headers, ...(assets !== undefined && { assets }) });
  try {
    return await push(run, { ...terms, headers: {} }, door.fetch);
  } finally {
    door.close();
  }
}
