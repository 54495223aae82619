import { SallyportError } from '../core/index.ts';
import type { ModelPort } from '../workers/api.ts';
import { disposable } from '../workers/async.ts';
import {
  type ModelGreeting,
  type ModelWorkerOptions,
  modelWorkerOptions,
} from '../workers/bridges/models/device/messages.ts';
import { connectModel } from './model-port.ts';
import { scriptPolicy, startWorker as startWatched } from './worker.ts';

/** A model of this device, and the worker that it runs in. */
export interface WorkerModel extends ModelPort, AsyncDisposable {
  /** Ends the worker and its memory. A proposal that is under way fails. */
  close(): void;
}

/**
 * Opens a model in a worker of the program's own, which calls `serveModel`. The worker's file is served with the
 * header of the role `model-worker`. The worker tests its lock before it gets the options; one that is not locked gets
 * none. Rejects with `build_mismatch`, `worker_blocked`, `worker_url`, `option_invalid`, and with the error of the worker's own function.
 *
 * ```ts
 * const model = await openModelWorker('/worker-model.js', { assets: '/wllama/', data: file });
 * ```
 *
 * @experimental
 */
export async function openModelWorker(url: string, given: ModelWorkerOptions = {}): Promise<WorkerModel> {
  const options = absolute(modelWorkerOptions(given));
  const { met, terminate } = startWatched<ModelGreeting>(url, 'sallyport-model', { isForeign: true });
  const broken = new AbortController();
  try {
    const { worker, greeting } = await met;
    const { port, probes } = greeting;
    assertLocked(probes, url);
    worker.addEventListener('error', ({ message }) => broken.abort(message));
    const model = await connectModel(port, options, broken.signal);
    const close = (): void => {
      terminate();
      broken.abort('it was closed');
    };
    return disposable<WorkerModel>({ ...model, close });
  } catch (error) {
    terminate();
    throw error;
  }
}

/**
 * Starts a worker from a script of this origin under the page's Trusted Types policy `sallyport`, which a page cannot
 * make a second time. The worker has the lock that its header says. Throws `worker_url` for another origin.
 *
 * @experimental
 */
export function startWorker(url: string, options: { readonly name?: string } = {}): Worker {
  return new Worker(scriptPolicy().createScriptURL(url), { ...options, type: 'module' });
}

function absolute({ assets, ...options }: ModelWorkerOptions): ModelWorkerOptions {
  if (assets === undefined) return options;
  return { ...options, assets: new URL(assets.replace(/\/?$/, '/'), document.baseURI).href };
}

function assertLocked(probes: ModelGreeting['probes'], url: string): void {
  const open = probes.filter(({ blocked }) => !blocked).map(({ name }) => name);
  if (open.length === 0) return;
  const what = `The model's worker is not locked: ${open.join(', ')}. Serve ${url} with the header of a model worker.`;
  throw new SallyportError('worker_blocked', what, { url });
}
