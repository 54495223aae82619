/** The playground's worker for a GGUF file that a person has picked: wllama, with its engine and the file handed in. */
import { type CacheManager, Wllama } from '@wllama/wllama/esm/index.js';
import { assertEngineMemory } from '../models/device/engine.ts';
import { serveModel } from '../models/device/serve-model.ts';
import { fromWllama } from '../models/device/wllama.ts';
import type { GgufWorkerData } from './data.ts';

/** The file is handed in, so wllama keeps none. `serveModel` has removed the storage of the origin. */
const NONE = {} as CacheManager;

serveModel(async ({ data }) => {
  const { name, file, engine, contextTokens, threads, memoryBytes } = data as GgufWorkerData;
  assertEngineMemory(memoryBytes);
  const address = URL.createObjectURL(engine);
  const wllama = new Wllama({ default: address }, { cacheManager: NONE, suppressNativeLog: true });
  wllama.setCompat(null);
  // The engine computes on the processor: it needs no graphics processor, and gives the same answers without.
  await wllama.loadModel([file], { n_ctx: contextTokens, n_threads: threads, n_gpu_layers: 0, n_parallel: 1 });
  URL.revokeObjectURL(address);
  return fromWllama(wllama, { id: name, body: { temperature: 0 } });
});
