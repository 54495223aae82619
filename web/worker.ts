import { SallyportError } from '../core/index.ts';

/** The value that Trusted Types make of an address is opaque; `new Worker` takes it in a string's place. */
interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

let made: ScriptPolicy | undefined;

/** The single policy of a page, made at first use: only a script of this origin may become a worker. */
export function scriptPolicy(): ScriptPolicy {
  const rules: ScriptPolicy = { createScriptURL: sameOrigin };
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory };
  made ??= trustedTypes?.createPolicy('sallyport', rules) ?? rules;
  return made;
}

function sameOrigin(url: string): string {
  const resolved = new URL(url, location.href);
  if (resolved.origin === location.origin) return resolved.href;
  throw new SallyportError('worker_url', `A worker must come from this page's origin, not from ${resolved.origin}.`, {
    url: resolved.href,
  });
}

const STARTED_MS = 15_000;

export interface StartedWorker {
  readonly worker: Worker;
  /**
   * Rejects when the worker's script cannot run, or does not in time. Its error event gives no reason, so the message
   * names the settings to check.
   */
  readonly failed: Promise<never>;
}

/** Starts a worker. Its time to start begins when `beside` is loaded, because both share the line. */
export function startWorker(url: string, name: string, beside: Promise<unknown> = Promise.resolve()): StartedWorker {
  const worker = new Worker(scriptPolicy().createScriptURL(url), { type: 'module', name });
  const failed = new Promise<never>((_, reject) => {
    const fail = () => {
      const why = navigator.onLine ? '' : ' This device is offline.';
      const what = `The page could not start its worker.${why} Allow worker-src 'self' and serve ${url}.`;
      reject(new SallyportError('worker_blocked', what, { url }));
    };
    worker.addEventListener('error', fail);
    const watch = () => setTimeout(fail, STARTED_MS);
    beside.then(watch, watch);
  });
  failed.catch(() => undefined);
  return { worker, failed };
}
