/** Entry of a sandbox worker in the browser. Its first message brings the engine and a port, its only connection. */

import { closeExits } from '../lock/exits.ts';
import { greetingWith } from '../lock/greeting.ts';
import { holdLife } from '../lock/life.ts';
import { probeLock } from '../lock/probe.ts';
import type { SandboxStart } from './remote.ts';
import { serve } from './serve.ts';

declare const self: DedicatedWorkerGlobalScope;

// first, because the exits that are closed have the locks among them
const life = holdLife(self.name);
closeExits();
// without a port there is nothing to serve at
const start = ({ data: { port, engine } }: MessageEvent<Partial<SandboxStart>>) => {
  if (port !== undefined && engine !== undefined) serve(port, engine);
};
self.addEventListener('message', start, { once: true });
// no guest is loaded yet
void Promise.all([probeLock(), life]).then(([probes, isHeld]) => self.postMessage(greetingWith({ probes, isHeld })));
