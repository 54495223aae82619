/** Entry of a sandbox worker in the browser. Its first message brings the engine and a port; it has nothing else. */
import { closeExits } from '../lock/exits.ts';
import type { SandboxStart } from './remote.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;

closeExits();
self.addEventListener('message', ({ data }: MessageEvent<SandboxStart>) => serve(data.port, data.engine), {
  once: true,
});
// no guest is here yet: the page hears that the script runs, and nothing more
self.postMessage('started');
