/** Entry of a sandbox worker in the browser. Its first message brings the engine and a port, its only connection. */

import type { SandboxGreeting } from '../kernel/host.ts';
import { closeExits } from '../lock/exits.ts';
import { probeLock } from '../lock/probe.ts';
import type { SandboxStart } from './remote.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;

closeExits();
// without a port there is nothing to serve at
const start = ({ data: { port, engine } }: MessageEvent<Partial<SandboxStart>>) => {
  if (port !== undefined && engine !== undefined) serve(port, engine);
};
self.addEventListener('message', start, { once: true });
// no guest is loaded yet: this message tells the page that the script runs, and whether it is locked
void probeLock().then((probes) => self.postMessage({ probes } satisfies SandboxGreeting));
