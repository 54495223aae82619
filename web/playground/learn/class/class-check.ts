import { type ReadonlySignal, signal } from '@preact/signals-core';
import type { ClassTable } from '../../../../core/lesson/class.ts';
import type { Runtime } from '../../../../workers/api.ts';
import { isEvidenceName } from '../../../../workers/auditor/handed-in.ts';
import { learn } from '../../../texts/en/learn.ts';
import { scriptPolicy } from '../../../worker.ts';
import { PageError } from '../../parts/page-error.ts';
import type { ChosenFile, FromClassWorker, ToClassWorker } from './worker.ts';
import workerUrl from './worker.ts?worker&url';

/** `share`: of all pupils, from 0 to 1; undefined while the files are listed. */
export type ClassState =
  | { readonly kind: 'empty' }
  | { readonly kind: 'working'; readonly share?: number; readonly name?: string }
  | { readonly kind: 'table'; readonly table: ClassTable }
  | { readonly kind: 'failed'; readonly error: unknown };

/** The evidence of a class under examination. It is kept until other files are chosen, and the page leaves nothing of it. */
export interface ClassCheck {
  readonly state: ReadonlySignal<ClassState>;
  /** Checks the files that `list` finds; earlier files are forgotten. Resolves when it has ended, in whatever way. */
  begin(list: (signal: AbortSignal) => Promise<readonly ChosenFile[]>): Promise<void>;
  /** Ends the check; no table is kept. */
  cancel(): void;
}

/** A mistaken home directory fails before all of it is read. */
const FILES_MAX = 5_000;
/** No zip of evidence comes near it. */
const FILE_BYTES_MAX: number = 256 << 20;

export function openClassCheck(runtime: Runtime): ClassCheck {
  const state = signal<ClassState>({ kind: 'empty' });
  let ending: AbortController | undefined;

  return {
    state,
    begin: async (list) => {
      ending?.abort();
      const own = new AbortController();
      ending = own;
      state.value = { kind: 'working' };
      try {
        const files = wanted(await list(own.signal));
        const table = await tableOf(files, runtime, own.signal, (share, name) => {
          if (!own.signal.aborted) state.value = { kind: 'working', share, name };
        });
        if (ending === own) state.value = { kind: 'table', table };
      } catch (error) {
        if (ending === own) state.value = { kind: 'failed', error };
      }
    },
    cancel: () => {
      ending?.abort();
      ending = undefined;
      state.value = { kind: 'empty' };
    },
  };
}

/** Zips and exports among the files, in the order of their paths. */
function wanted(files: readonly ChosenFile[]): readonly ChosenFile[] {
  const found = files.filter(({ path }) => isEvidenceName(path));
  if (found.length === 0) throw new PageError(() => learn().myClass.noneFound(files.length));
  if (found.length > FILES_MAX) throw new PageError(() => learn().myClass.tooMany(found.length, FILES_MAX));
  const large = found.find(({ file }) => file.size > FILE_BYTES_MAX);
  if (large !== undefined) throw new PageError(() => learn().myClass.tooLarge(large.path, FILE_BYTES_MAX >> 20));
  return found.toSorted((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }));
}

/** Asks a worker for the table. The worker asks for the checks, and ends with this call. */
async function tableOf(
  files: readonly ChosenFile[],
  { ledger }: Runtime,
  signal: AbortSignal,
  progress: (share: number, name: string) => void,
): Promise<ClassTable> {
  const worker = new Worker(scriptPolicy().createScriptURL(workerUrl), { type: 'module', name: 'sallyport-class' });
  const tell = (message: ToClassWorker): void => worker.postMessage(message);
  try {
    return await new Promise<ClassTable>((resolve, reject) => {
      const answer = async (id: number, text: string, replay: boolean): Promise<void> =>
        tell({ kind: 'checked', id, report: await ledger.check(text, { replay, signal }) });
      worker.addEventListener('message', ({ data }: MessageEvent<FromClassWorker>) => {
        if (data.kind === 'check') answer(data.id, data.text, data.replay).catch(reject);
        if (data.kind === 'progress') progress(data.share, data.name);
        if (data.kind === 'table') resolve(data.table);
        if (data.kind === 'failed') reject(new Error(data.message));
      });
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      signal.throwIfAborted();
      tell({ kind: 'begin', files });
    });
  } finally {
    worker.terminate();
  }
}
