import { SallyportError } from '../core/index.ts';
import { disposable } from '../workers/async.ts';
import type { DoorSettings } from '../workers/bridges/endpoint/host.ts';
import { transfer } from '../workers/lock/realm-port.ts';
import { answerAt } from './door-request.ts';
import { openEndpointWorker } from './endpoint-worker.ts';

export interface DoorOptions extends DoorSettings {
  /** Folder of this origin with `worker-endpoint.js`, where no bundler placed it. */
  readonly assets?: string;
}

/** A server outside of this page's origin, and the worker that is its only way out. */
export interface Door extends AsyncDisposable {
  /** Origin of the server. */
  readonly origin: string;
  /**
   * The platform's `fetch` for this server alone. It sends no cookies and no referrer, uses no cache and follows no
   * redirect; of `init` it reads `method`, `headers`, `body` and `signal`. The body of the answer streams: the server
   * waits until it is read. A reader of the body gets the reason of a failure.
   *
   * Rejects with the reason of the signal, with `door_refused` for a request or an answer beyond the rules of the kind,
   * with `door_closed`, and, as the platform does, with a `TypeError` where no answer comes: its `code` is
   * `door_unreachable`.
   */
  readonly fetch: typeof globalThis.fetch;
  /** Ends the worker and its requests with `door_closed`; the keys go with it. */
  close(): void;
}

/**
 * Opens a worker through which this page asks a single server, while the page's policy keeps `connect-src 'self'`. The
 * server must allow this page's origin (CORS). The worker keeps `headers` and adds them to each request. Rejects with
 * `endpoint_invalid` and `option_invalid` for options that could never work, and with `worker_blocked`.
 *
 * ```ts
 * const door = await openDoor({ kind: 'mcp', url: 'https://api.example/mcp', headers: { authorization: `Bearer ${key}` } });
 * const answer = await door.fetch('https://api.example/mcp', { method: 'POST', body });
 * ```
 */
export async function openDoor(given: DoorOptions): Promise<Door> {
  const { assets, ...settings } = given;
  const { host, opened, terminate } = await openEndpointWorker(assets, (worker) => worker.openDoor(settings));
  const closing = new AbortController();
  return disposable<Door>({
    origin: opened,
    async fetch(input, init) {
      const request = new Request(input, init);
      const signal = AbortSignal.any([request.signal, closing.signal]);
      const { url, method, headers } = request;
      const bytes = await request.arrayBuffer();
      const body = bytes.byteLength > 0 && { body: bytes };
      signal.throwIfAborted();
      const { port1, port2 } = new MessageChannel();
      const answer = answerAt(port1, signal);
      const asked = transfer({ url, method, headers: [...headers], ...body }, body ? [bytes] : []);
      void host.ask(asked, transfer(port2, [port2]));
      return answer;
    },
    close() {
      terminate();
      closing.abort(new SallyportError('door_closed', 'The door was closed. Open another door.', {}));
    },
  });
}
