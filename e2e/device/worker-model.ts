/** The worker of a program with a model, as the documentation writes it. */
import { type CacheManager, Wllama } from '@wllama/wllama/esm/index.js';
import { checkGguf, fromWllama, serveModel } from '../../web/models.ts';

/** Engine and model are handed in, so wllama keeps no files. `serveModel` has removed the storage of the origin. */
const NONE = {} as CacheManager;

export interface GivenModel {
  readonly file: Blob;
  /** The engine's WebAssembly. */
  readonly engine: Blob;
  readonly contextTokens: number;
}

serveModel(async ({ data }) => {
  const { file, engine, contextTokens } = data as GivenModel;
  await checkGguf(file, { contextTokens });
  const address = URL.createObjectURL(engine);
  const wllama = new Wllama({ default: address }, { cacheManager: NONE, suppressNativeLog: true });
  wllama.setCompat(null);
  const threads = crossOriginIsolated ? 2 : 1;
  await wllama.loadModel([file], { n_ctx: contextTokens, n_threads: threads, n_gpu_layers: 0, flash_attn: false });
  URL.revokeObjectURL(address);
  return fromWllama(wllama, { id: `tiny, ${wllama.getNumThreads()} threads`, body: { temperature: 0, top_k: 1 } });
});
