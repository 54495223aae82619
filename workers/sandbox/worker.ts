/** Entry of a sandbox worker in the browser. Its first message brings the engine and a port; it has nothing else. */
import type { Engine, EngineSource } from '../../sandbox/index.ts';
import type { SandboxStart } from './remote.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;

/** The page hears one thing: the engine, checked and compiled, for the workers that come after this one. */
function tell({ module, wasmHash }: Engine): void {
  self.postMessage({ module, wasmHash } satisfies EngineSource);
}

self.addEventListener(
  'message',
  ({ data }: MessageEvent<SandboxStart>) => {
    const starting = serve(data.port, data.engine);
    if ('wasm' in data.engine) starting.then(tell, () => undefined);
  },
  { once: true },
);
