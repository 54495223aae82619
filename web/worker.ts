import { type Isolation, SallyportError } from '../core/index.ts';
import { deferred } from '../workers/async.ts';
import { fileGone, policyFault, tellGone } from '../workers/load-part.ts';
import { buildFault, buildIn, type Greeting } from '../workers/lock/greeting.ts';
import { isLockedAs, isolationOf } from '../workers/lock/probe.ts';

/** The value that Trusted Types make of an address is opaque; `new Worker` takes it in a string's place. */
interface ScriptPolicy {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy;
}

let made: ScriptPolicy | undefined;

/** The single policy of a page, made at first use: only a script of this origin may become a worker. Throws `worker_blocked`. */
export function scriptPolicy(): ScriptPolicy {
  const rules: ScriptPolicy = { createScriptURL: sameOrigin };
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory };
  try {
    made ??= trustedTypes?.createPolicy('sallyport', rules) ?? rules;
  } catch (error) {
    throw policyFault(String(error)) ?? error;
  }
  return made;
}

function sameOrigin(url: string): string {
  const resolved = new URL(url, location.href);
  if (resolved.origin === location.origin) return resolved.href;
  throw new SallyportError('worker_url', `A worker must come from this page's origin, not from ${resolved.origin}.`, {
    url: resolved.href,
  });
}

const STARTED_MS = 30_000;

export interface StartedWorker<G extends Greeting = Greeting> {
  /**
   * The worker and its first message. No call is sent before. Rejects with `build_mismatch`; with `build_gone` where an
   * earlier worker of this page could start, and the file of this one is gone; and with `worker_blocked` where its script
   * cannot run, does not greet in time, or is less locked than an earlier worker of this page.
   */
  readonly met: Promise<{ readonly worker: Worker; readonly greeting: G }>;
  /** Rejects when `met` does, and when the worker's script fails later. */
  readonly failed: Promise<never>;
  readonly terminate: () => void;
}

interface StartOptions {
  /** Its time to start begins when this is loaded, because both share the line. */
  readonly beside?: Promise<unknown>;
  /** The worker runs a program's own code, which may send other messages before the greeting. */
  readonly isForeign?: boolean;
}

/** Starts a worker of this build. */
export function startWorker<G extends Greeting = Greeting>(
  url: string,
  name: string,
  { beside = Promise.resolve(), isForeign = false }: StartOptions = {},
): StartedWorker<G> {
  const worker = new Worker(scriptPolicy().createScriptURL(url), { type: 'module', name });
  const { promise: failed, reject: fail } = deferred<never>();
  const greeted = deferred<G>();
  let isGreeted = false;
  const block = (what: string, todo: string) => {
    const why = navigator.onLine ? '' : ' This device is offline.';
    fail(new SallyportError('worker_blocked', `${what}${why} ${todo}`, { url }));
  };
  const hear = ({ data }: MessageEvent<G>): void => {
    const build = buildIn(data);
    if (build === undefined && isForeign) return;
    worker.removeEventListener('message', hear);
    const fault = buildFault(build, url) ?? lockFault(data.probes, url);
    if (fault !== undefined) return fail(fault.code === 'build_mismatch' ? tellGone(fault) : fault);
    isGreeted = true;
    greeted.resolve(data);
  };
  // the error event gives no reason, so the message names the settings to check
  const ask = async (): Promise<void> => {
    const gone = best === undefined ? undefined : await goneFile(url);
    if (gone !== undefined) return fail(fileGone(gone));
    block('The page could not start its worker.', `Allow worker-src 'self' and serve ${url}.`);
  };
  worker.addEventListener('error', () => void ask());
  worker.addEventListener('message', hear);
  // a slow device is as silent as a file that is no worker of this package, so no build is named
  const silent = () =>
    isGreeted || block('The worker of the page did not greet it.', `Reload the page, and serve ${url} of this build.`);
  const watch = () => setTimeout(silent, STARTED_MS);
  beside.then(watch, watch);
  const met = Promise.race([greeted.promise, failed]).then((greeting) => ({ worker, greeting }));
  for (const each of [failed, met]) each.catch(() => undefined);
  return { met, failed, terminate: () => worker.terminate() };
}

/** The reason where the site answers, and has no script at this address: it may answer with a page. */
async function goneFile(url: string): Promise<string | undefined> {
  const answer = await fetch(url, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer === undefined || (answer.ok && /javascript/i.test(answer.headers.get('Content-Type') ?? '')))
    return undefined;
  return `${url} answered ${answer.ok ? 'with a page' : answer.status}`;
}

/** The best lock that a worker of this page had. */
let best: Isolation | undefined;

/**
 * `worker_blocked` where a worker is less locked than an earlier worker of this page. Example: a spare sandbox, days
 * after a deploy that lost the header of its file.
 */
function lockFault(probes: Greeting['probes'], url: string): SallyportError | undefined {
  if (probes === undefined) return undefined;
  const found = isolationOf(probes, import.meta.env.DEV);
  const wanted = best ?? found;
  if (!isLockedAs(wanted, found)) {
    const open = probes.filter(({ blocked }) => !blocked).map(({ name }) => name);
    const what = `A worker is less locked than an earlier worker of this page: ${open.join(', ')}. Serve ${url} with its header.`;
    return new SallyportError('worker_blocked', what, { url });
  }
  best = found;
  return undefined;
}
