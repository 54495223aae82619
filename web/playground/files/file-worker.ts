import type { WorkSlices } from '../../../core/index.ts';
import { scriptPolicy } from '../../worker.ts';
import type { FileAnswer, FileArguments, FileMethod, FileRequest, FileResult } from './file-port.ts';
import workerUrl from './worker.ts?worker&url';

/** How a person follows a call, and ends it. */
export interface FileWatch {
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

/** The work on texts of runs, on a thread of its own. */
export interface FileWorker {
  /** Rejects with the worker's reason, and after an abort with the signal's reason. */
  call<M extends FileMethod>(method: M, args: FileArguments<M>, watch?: FileWatch): Promise<FileResult<M>>;
}

/** A realm that answers calls; `end` ends it in the middle of its work. */
export interface FileRealm {
  send(request: FileRequest): void;
  end(): void;
}

/** Starts a realm; `hear` gets each answer, `fail` the reason why none will come. */
export type StartFileRealm = (hear: (answer: FileAnswer) => void, fail: (why: string) => void) => FileRealm;

const startWorker: StartFileRealm = (hear, fail) => {
  const worker = new Worker(scriptPolicy().createScriptURL(workerUrl), { type: 'module', name: 'sallyport-files' });
  worker.addEventListener('message', ({ data }: MessageEvent<FileAnswer>) => hear(data));
  worker.addEventListener('error', ({ message }) => fail(message));
  return { send: (request) => worker.postMessage(request), end: () => worker.terminate() };
};

interface Waiting {
  readonly request: FileRequest;
  readonly watch: FileWatch;
  resolve(value: unknown): void;
  reject(why: unknown): void;
}

/**
 * Starts with the first call. An abort of the call under way ends the worker with it; calls behind it are sent to the
 * next worker, which reads their files anew.
 */
export function openFileWorker(start: StartFileRealm = startWorker): FileWorker {
  const waiting = new Map<number, Waiting>();
  let realm: FileRealm | undefined;
  let asked = 0;

  const settled = (id: number): Waiting | undefined => {
    const own = waiting.get(id);
    waiting.delete(id);
    return own;
  };
  const hear = (answer: FileAnswer): void => {
    if ('share' in answer) return waiting.get(answer.id)?.watch.onProgress?.(answer.share);
    const own = settled(answer.id);
    if ('failed' in answer) own?.reject(new Error(answer.failed));
    else own?.resolve(answer.value);
  };
  const fail = (why: string): void => {
    realm?.end();
    realm = undefined;
    for (const id of waiting.keys()) settled(id)?.reject(new Error(why));
  };
  const send = (request: FileRequest): void => {
    realm ??= start(hear, fail);
    realm.send(request);
  };
  const abort = (id: number, why: unknown): void => {
    const isUnderWay = waiting.keys().next().value === id;
    settled(id)?.reject(why);
    // a call that has not begun is answered unheard
    if (!isUnderWay) return;
    realm?.end();
    realm = undefined;
    for (const { request } of waiting.values()) send(request);
  };

  return {
    call: (method, args, watch = {}) =>
      new Promise((resolve, reject) => {
        const { signal } = watch;
        if (signal?.aborted === true) return reject(signal.reason);
        const id = ++asked;
        const request: FileRequest = { id, method, args };
        const leave = new AbortController();
        const own =
          <T>(settle: (value: T) => void) =>
          (value: T): void => {
            leave.abort();
            settle(value);
          };
        waiting.set(id, { request, watch, resolve: own(resolve as (value: unknown) => void), reject: own(reject) });
        signal?.addEventListener('abort', () => abort(id, signal.reason), { once: true, signal: leave.signal });
        send(request);
      }),
  };
}

/** ms of work between two drawings. */
const SLICE_MS = 30;

/** Does work that only the page's thread can do, and lets the page draw between its slices. */
export async function withRests<T>(slices: WorkSlices<T>, { signal, onProgress }: FileWatch): Promise<T> {
  let began = performance.now();
  for (;;) {
    const next = slices.next();
    if (next.done === true) return next.value;
    if (performance.now() - began < SLICE_MS) continue;
    onProgress?.(next.value);
    await new Promise((over) => setTimeout(over));
    signal?.throwIfAborted();
    began = performance.now();
  }
}
