// The worker for a GGUF file: wllama with the adapter of Sallyport. A bundler makes worker-model.js of it, a single file:
//   npm install @wllama/wllama@3.8.1 rolldown@1.2.19
//   npx rolldown site/gguf.js --file site/worker-model.js
//   mkdir site/wllama && cp node_modules/@wllama/wllama/esm/wasm/wllama.wasm site/wllama
import { Wllama } from '@wllama/wllama/esm/index.js';
import { checkGguf, fromWllama, serveModel } from 'sallyport/models';

const CONTEXT_TOKENS = 8192;

/** A small context has no room for instructions. The decoder holds the model to the form without them. */
function withoutOpening(model) {
  const propose = (request, io) =>
    model.propose({ ...request, messages: request.messages.filter(({ kind }) => kind !== 'opening') }, io);
  return { ...model, propose };
}

serveModel(async ({ assets, data }) => {
  const facts = await checkGguf(data, { contextTokens: CONTEXT_TOKENS });
  // the engine gives no request more than the model was trained with
  const contextTokens = Math.min(CONTEXT_TOKENS, facts.contextTokens ?? CONTEXT_TOKENS);
  const wllama = new Wllama({ default: `${assets}wllama.wasm` }, { cacheManager: {}, suppressNativeLog: true });
  wllama.setCompat(null);
  await wllama.loadModel([data], { n_ctx: contextTokens, n_gpu_layers: 0 });
  const model = fromWllama(wllama, { id: facts.name ?? 'a GGUF file' });
  return contextTokens < 2048 ? withoutOpening(model) : model;
});
