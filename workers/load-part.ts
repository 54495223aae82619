/**
 * The only place that loads code later. A page that was open while its site was deployed anew asks for files that are
 * gone, and each browser has another sentence for that. A repeated import of the same address fails for ever in some
 * browsers, so the remedy is a reload.
 */
import { misuse, SallyportError } from '../core/sallyport-error.ts';

/**
 * Loads a file of the package or the site. Rejects with `build_gone` where the site answers, and no longer has the file;
 * with `part_unloaded` where the device is offline or the site does not answer; with `worker_blocked` where the page's
 * policy forbids a policy of Trusted Types. In a program of Node only the first.
 */
export async function loadPart<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw await lossOf(error);
  }
}

const parts = new Set<() => Promise<unknown>>();

/** Declares a file that a page may need later. Returns the function that loads it. */
export function part<T>(load: () => Promise<T>): () => Promise<T> {
  const ask = () => loadPart(load);
  parts.add(load);
  return ask;
}

/** Loads each declared file that is not there yet, before a deploy can take it away. In a page. Tells no failure: its first use does. */
export async function loadParts(): Promise<void> {
  if (!navigator.onLine) return;
  await Promise.allSettled([...parts].map((load) => load()));
}

/** Tells of each file that this page lacks, because the site has another build. */
export type GoneListener = (error: SallyportError) => void;

const listeners = new Set<GoneListener>();

export function onGone(listener: GoneListener): void {
  listeners.add(listener);
}

/** `build_gone` for a file that the site of this page no longer has. The listeners are told. */
export function fileGone(reason: string): SallyportError {
  return tellGone(misuse('build_gone', { reason, at: 'page' }));
}

/** Tells the listeners of this page of an error that a reload mends. */
export function tellGone(error: SallyportError): SallyportError {
  for (const listener of listeners) listener(error);
  return error;
}

/** True for an error that a reload of the page mends: its site has another build. */
export function isOlder(error: unknown): boolean {
  return error instanceof SallyportError && (error.code === 'build_gone' || error.code === 'build_mismatch');
}

async function lossOf(error: unknown): Promise<SallyportError> {
  // an import inside of the part has failed, and is told
  if (error instanceof SallyportError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const forbidden = policyFault(reason);
  if (forbidden !== undefined) return forbidden;
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  if (location === undefined) return misuse('build_gone', { reason, at: 'program' });
  if (await answers(location.href)) return fileGone(reason);
  return misuse('part_unloaded', { reason });
}

/** `worker_blocked` where the reason is that the page's policy forbids a policy of Trusted Types. */
export function policyFault(reason: string): SallyportError | undefined {
  if (!/trusted.?type|createPolicy/iu.test(reason)) return undefined;
  const message = `The policy of this page forbids what the package needs: ${reason.replace(/\.$/u, '')}. Allow trusted-types sallyport lit-html.`;
  return new SallyportError('worker_blocked', message, { reason });
}

/** The site has this long to answer, in ms. */
const ANSWER_MS = 5_000;

/** True where the server of the address answers, with whatever it is. A service worker lets a HEAD request pass. */
async function answers(address: string): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    await fetch(address, { method: 'HEAD', cache: 'no-store', redirect: 'manual', signal });
    return true;
  } catch {
    return false;
  }
}
