import type { EndpointHost, EndpointReply } from '../workers/bridges/endpoint/host.ts';
import endpointUrl from '../workers/bridges/endpoint/worker.ts?worker&url';
import { type MethodNames, methodsAt, type Remote } from '../workers/lock/realm-port.ts';
import { fileIn } from './engine.ts';
import { startWorker } from './worker.ts';
import { valueOf } from './worker-error.ts';

const ENDPOINT: MethodNames<EndpointHost> = {
  open: true,
  propose: true,
  cancel: true,
  test: true,
  probe: true,
  openDoor: true,
  ask: true,
};

/** A started endpoint worker, which is opened once. */
export interface EndpointWorker<T> {
  readonly host: Remote<EndpointHost>;
  /** Value with which the worker was opened. */
  readonly opened: T;
  /** Ends the worker; its keys go with it. */
  terminate(): void;
}

/** Starts an endpoint worker and opens it by `open`. `assets` is a folder, or absent for the bundler's place. */
export async function openEndpointWorker<T>(
  assets: string | undefined,
  open: (host: Remote<EndpointHost>) => Promise<EndpointReply<T>>,
): Promise<EndpointWorker<T>> {
  const url = assets === undefined ? endpointUrl : fileIn(assets, 'worker-endpoint.js');
  const { met, failed, terminate } = startWorker(url, 'sallyport-endpoint');
  try {
    const host = methodsAt((await met).worker, ENDPOINT);
    return { host, opened: valueOf(await Promise.race([open(host), failed])), terminate };
  } catch (error) {
    terminate();
    throw error;
  }
}
