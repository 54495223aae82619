import type { ServerContext } from '@modelcontextprotocol/server';
import type { McpProgress } from '../client/api.ts';
import type { GatedCall } from './gated-call.ts';
import type { ServedSource } from './options.ts';

/** Steps whose progress is kept until it is known which call they are of. */
const EARLY_MAX = 64;

/** The progress that servers behind the gate tell, for the calls that it belongs to. */
export class ProgressRelay {
  readonly #sources: () => readonly ServedSource[];
  readonly #heard = new WeakSet<ServedSource>();
  readonly #listeners = new Map<string, (progress: McpProgress) => void>();
  readonly #early = new Map<string, McpProgress[]>();

  constructor(sources: () => readonly ServedSource[]) {
    this.#sources = sources;
  }

  /** Hears every source from now on. */
  hear(): void {
    for (const source of this.#sources()) {
      if (this.#heard.has(source)) continue;
      this.#heard.add(source);
      source.onProgress?.((progress) => this.#tell(progress));
    }
  }

  /** Has the listener told the progress of a step, also what came before. Returns a function that ends this. */
  listen(step_id: string, listener: (progress: McpProgress) => void): () => void {
    this.#listeners.set(step_id, listener);
    for (const progress of this.#early.get(step_id) ?? []) listener(progress);
    this.#early.delete(step_id);
    return () => void this.#listeners.delete(step_id);
  }

  #tell(progress: McpProgress): void {
    const listener = this.#listeners.get(progress.step_id);
    if (listener !== undefined) return listener(progress);
    const early = this.#early.get(progress.step_id) ?? [];
    this.#early.delete(progress.step_id);
    this.#early.set(progress.step_id, [...early, progress].slice(-EARLY_MAX));
    for (const old of [...this.#early.keys()].slice(0, -EARLY_MAX)) this.#early.delete(old);
  }
}

/** ms between two notifications. Clients end a request that is silent for a minute. */
const EVERY_MS = 5000;

/** Progress of a notification of ours. It grows, and stays below what a server tells. */
const OURS = 1e-6;

/**
 * Tells a client that gave a progress token the progress of the server, and while that is silent, that the call is alive.
 * Returns a function that ends this.
 */
export function tellProgress(
  call: GatedCall,
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  served: ProgressRelay,
): () => void {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  served.hear();
  let last = 0;
  let ending: (() => void) | undefined;
  let isOver = false;
  const send = (progress: number, more: object): void => {
    last = Math.max(progress, last + OURS);
    const params = { progressToken, progress: last, ...more };
    // A client that has gone reads no progress.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
  const tell = (): void =>
    send(0, { message: call.isAsking && !call.isQuiet ? 'The call waits for a person.' : 'The call is under way.' });
  const timer = setInterval(tell, EVERY_MS);
  tell();
  const listen = (step_id: string): void => {
    if (isOver || ending !== undefined) return;
    ending = served.listen(step_id, ({ progress, total, text }) => {
      // what a server tells of a held call is held, too
      if (call.isQuiet) return;
      send(progress, { ...(total !== undefined && { total }), ...(text !== undefined && { message: text }) });
    });
  };
  void call.step.then(listen);
  // a call may end before its records were read: what came before is told in front of its result
  call.called.then(({ receipt }) => listen(receipt.step_id)).catch(() => undefined);
  return () => {
    isOver = true;
    ending?.();
    clearInterval(timer);
  };
}
