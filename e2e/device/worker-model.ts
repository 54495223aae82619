/** The worker of a program with a model, as the documentation writes it. */
import { type CacheManager, Wllama } from '@wllama/wllama/esm/index.js';
import { checkGguf, fromWllama, serveModel } from '../../web/models.ts';

/** The model is handed in, so wllama keeps no files. `serveModel` has removed the storage of the origin. */
const NONE = {} as CacheManager;

export interface GivenModel {
  readonly file: Blob;
  readonly contextTokens: number;
}

serveModel(async ({ assets, data }) => {
  const { file, contextTokens } = data as GivenModel;
  await checkGguf(file, { contextTokens });
  const wllama = new Wllama({ default: `${assets}wllama.wasm` }, { cacheManager: NONE, suppressNativeLog: true });
  wllama.setCompat(null);
  const threads = crossOriginIsolated ? 2 : 1;
  await wllama.loadModel([file], { n_ctx: contextTokens, n_threads: threads, n_gpu_layers: 0, flash_attn: false });
  return fromWllama(wllama, { id: `tiny, ${wllama.getNumThreads()} threads`, body: { temperature: 0, top_k: 1 } });
});
