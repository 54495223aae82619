import { type Signal, signal } from '@preact/signals-core';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import type { GgufWorkerData } from '../../../workers/bridges/model-gguf/data.ts';
import workerUrl from '../../../workers/bridges/model-gguf/worker.ts?worker&url';
import { checkGguf, type GgufOptions, openModelWorker, type WorkerModel } from '../../models.ts';
import { byteSize } from '../../texts/amounts.ts';
import { models } from '../../texts/en/models.ts';
import { readSetting, writeSetting } from '../parts/local-storage.ts';
import { keepFile, keptFiles, removeFile, roomBytes } from './gguf-files.ts';
import { troubleText } from './gguf-text.ts';
import { measured } from './measured.ts';
import type { ModelChoice } from './model-choice.ts';

/** Work under way on a model's file. */
export interface GgufTask {
  readonly word: string;
  /** From 0 to 1, where it is known. */
  readonly share?: number;
  readonly stop?: () => void;
}

/** The GGUF models of this device, and the one that is loaded. */
export interface GgufModels {
  readonly files: Signal<readonly File[]>;
  /** Name of the file whose removal is asked about. */
  readonly asked: Signal<string | undefined>;
  readonly task: Signal<GgufTask | undefined>;
  readonly trouble: Signal<string | undefined>;
  /** The server of this page has no engine for these models. */
  readonly lacksEngine: Signal<boolean>;
  /** Asks the server whether it has the engine. */
  look(): Promise<void>;
  refresh(): Promise<void>;
  /** Loads the file that was loaded last on this device, if it is kept and no other is open. */
  restore(): Promise<void>;
  /** Keeps the file on this device and loads it. */
  add(file: File): Promise<void>;
  load(file: File): Promise<void>;
  remove(name: string): Promise<void>;
}

const SETTING = 'sallyport.gguf';

export function openGgufModels(choice: ModelChoice, loaded: () => void): GgufModels {
  const files = signal<readonly File[]>([]);
  const task = signal<GgufTask | undefined>(undefined);
  const trouble = signal<string | undefined>(undefined);
  const asked = signal<string | undefined>(undefined);
  const lacksEngine = signal(false);
  let open: WorkerModel | undefined;

  const refresh = async (): Promise<void> => {
    files.value = await keptFiles().catch(() => []);
  };

  /** One work at a time; its fault is shown, an abort is none. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    if (task.peek() !== undefined) return;
    trouble.value = undefined;
    asked.value = undefined;
    try {
      await work();
    } catch (error) {
      if ((error as Error).name !== 'AbortError') trouble.value = troubleText(error);
    } finally {
      task.value = undefined;
    }
  };

  const close = (): void => {
    open?.close();
    open = undefined;
    const { gguf: _, ...others } = choice.opened.peek();
    choice.opened.value = others;
  };

  const openFile = async (file: File): Promise<void> => {
    task.value = { word: models().gguf.loading(file.name) };
    const { data, model } = await openWorker(file, close);
    open = model;
    writeSetting(SETTING, file.name);
    choice.opened.value = {
      ...choice.opened.peek(),
      gguf: measured(
        model,
        () => file.name,
        () => models().places.threads(data.threads),
      ),
    };
    loaded();
  };

  const keep = async (file: File): Promise<File> => {
    const stop = new AbortController();
    const word = models().gguf.copying(file.name);
    const onShare = (share: number): void => {
      task.value = { word, share, stop: () => stop.abort() };
    };
    onShare(0);
    await assertRoom(file);
    const kept = await keepFile(file, { signal: stop.signal, onShare });
    await refresh();
    return kept;
  };

  return {
    files,
    asked,
    task,
    trouble,
    lacksEngine,
    look: async () => {
      lacksEngine.value = await isEngineAbsent();
    },
    refresh,
    restore: async () => {
      await refresh();
      const last = files.peek().find(({ name }) => name === readSetting(SETTING));
      if (last !== undefined && open === undefined) await attempt(() => openFile(last));
    },
    add: (file) =>
      attempt(async () => {
        task.value = { word: models().gguf.reading(file.name) };
        await checkGguf(file, limitsHere());
        await openFile(await keep(file));
      }),
    load: (file) => attempt(() => openFile(file)),
    remove: (name) =>
      attempt(async () => {
        if (choice.opened.peek().gguf?.name === name) close();
        await removeFile(name);
        await refresh();
      }),
  };
}

/** The worker with this file. `ready` is called when the file has been found loadable. */
async function openWorker(
  file: File,
  ready: () => void,
): Promise<{ readonly data: GgufWorkerData; readonly model: WorkerModel }> {
  const limits = limitsHere();
  const { contextTokens = CONTEXT_TOKENS_MAX, memoryBytes } = await checkGguf(file, limits);
  ready();
  const data: GgufWorkerData = {
    name: file.name,
    file,
    engine: await engineFile(),
    contextTokens: Math.min(contextTokens, CONTEXT_TOKENS_MAX),
    threads: threadsHere(),
    memoryBytes,
  };
  return { data, model: await openModelWorker(workerUrl, { data }) };
}

/** Where the server cannot be asked, the engine may be kept here. */
async function isEngineAbsent(): Promise<boolean> {
  const response = await fetch(wasmUrl, { method: 'HEAD' }).catch(() => undefined);
  return response?.status === 404;
}

/** The engine comes with the first model, and is kept for later without the server. */
async function engineFile(): Promise<Blob> {
  const response = await fetch(wasmUrl).catch(() => undefined);
  if (response?.ok !== true)
    throw new Error(response?.status === 404 ? models().gguf.noEngineHere : models().gguf.noEngine);
  return new Blob([await response.arrayBuffer()], { type: 'application/wasm' });
}

async function assertRoom(file: File): Promise<void> {
  const room = await roomBytes();
  if (room === undefined || file.size <= room) return;
  throw new Error(models().gguf.noRoom(file.name, byteSize(file.size), byteSize(room)));
}

/** Tokens of the context at most: a longer one needs more memory, and the answers wait longer. */
const CONTEXT_TOKENS_MAX = 4096;
const THREADS_MAX = 8;
const GB: number = 2 ** 30;

/** Limits of a model here. Chromium tells the device's memory, rounded; the browser and the system need a quarter of it. */
export function limitsHere(): GgufOptions {
  const { deviceMemory } = navigator as { readonly deviceMemory?: number };
  const known = deviceMemory !== undefined && deviceMemory < 8;
  return { contextTokens: CONTEXT_TOKENS_MAX, ...(known && { memoryBytes: deviceMemory * GB * 0.75 }) };
}

/** Threads share memory, which browsers give only to a page that is isolated from other origins. */
export function threadsHere(): number {
  if (!crossOriginIsolated) return 1;
  return Math.max(1, Math.min(THREADS_MAX, Math.floor(navigator.hardwareConcurrency / 2)));
}

/** Whether the browser gives pages a graphics processor: it may have WebGPU and no adapter for this device. */
export async function hasGpu(): Promise<boolean> {
  const { gpu } = navigator as { readonly gpu?: { requestAdapter(): Promise<unknown> } };
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return adapter !== undefined && adapter !== null;
}
