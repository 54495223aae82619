/** The worker of a program with a model, as the documentation writes it. */
import { Wllama } from '@wllama/wllama/esm/index.js';
import { fromWllama, serveModel } from '../../web/models.ts';

serveModel(async ({ assets, data }) => {
  const wllama = new Wllama({ default: `${assets}wllama.wasm` }, { suppressNativeLog: true });
  wllama.setCompat(null);
  await wllama.loadModel([data as Blob], { n_ctx: 1024, n_threads: 1, n_gpu_layers: 0, flash_attn: false });
  return fromWllama(wllama, { id: 'tiny', body: { temperature: 0, top_k: 1 } });
});
