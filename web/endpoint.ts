import type { ModelPort } from '../workers/api.ts';
import { disposable } from '../workers/async.ts';
import type { EndpointSettings, TextListener } from '../workers/bridges/endpoint/host.ts';
import type { EndpointTest } from '../workers/bridges/models/connection.ts';
import { settingsOf } from '../workers/bridges/models/openai.ts';
import type { ResponseFormat } from '../workers/bridges/models/presets.ts';
import { portOf } from '../workers/lock/realm-port.ts';
import { openEndpointWorker } from './endpoint-worker.ts';
import { valueOf } from './worker-error.ts';

export interface PageEndpointSettings extends EndpointSettings {
  /** Folder of this origin with `worker-endpoint.js`, where no bundler placed it. */
  readonly assets?: string;
}

/** A remote model, and the worker that is its only way out. */
export interface EndpointModel extends ModelPort, AsyncDisposable {
  readonly locality: NonNullable<ModelPort['locality']>;
  /** Asks for the list of models, which costs nothing, and returns the result. */
  test(timeoutMs?: number): Promise<EndpointTest>;
  /** Asks for a tiny answer to find which form of proposal the server can be held to. Later requests use that form. */
  probe(): Promise<ResponseFormat>;
  /** Ends the worker; the key goes with it. */
  close(): void;
}

/**
 * `fromOpenAI` in a worker of its own, whose policy allows requests to servers, so that the page's policy need not. The
 * page keeps no key. Rejects with `endpoint_invalid` and `option_invalid` for settings that could never work.
 */
export async function fromEndpoint(given: PageEndpointSettings): Promise<EndpointModel> {
  const { assets, ...settings } = settingsOf(given);
  const { host, opened, terminate } = await openEndpointWorker(assets, (worker) => worker.open(settings));
  return disposable<EndpointModel>({
    ...opened,
    ...(settings.window !== undefined && { window: settings.window }),
    propose: async (request, { signal, onText = () => undefined }) => {
      const cancel = (): void => void host.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      const said = host.propose(request, portOf<TextListener>({ onText }));
      return valueOf(await said.finally(() => signal.removeEventListener('abort', cancel)));
    },
    test: async (timeoutMs) => valueOf(await host.test(timeoutMs)),
    probe: async () => valueOf(await host.probe()),
    close: terminate,
  });
}
