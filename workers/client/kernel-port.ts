import { proxy, transfer } from 'comlink';
import { changedRequests, type RequestChange } from '../async/request-change.ts';
import type { Kernel } from '../kernel/api.ts';
import type { RemoteKernel, RemoteProposer } from '../kernel/run-ports.ts';
import type { Proposer, RunListener, RunUpdate } from '../ports.ts';

/** The kernel for the client in the page: its proposers and listeners cross to the kernel's worker. */
export function kernelBehindPort(remote: RemoteKernel): Kernel {
  const own: Pick<Kernel, 'start' | 'resume'> = {
    start: (request, proposer, listener) => remote.start(request, sentProposer(proposer), sentListener(listener)),
    resume: (run_id, model, proposer, listener, takeOver) =>
      remote.resume(run_id, model, sentProposer(proposer), sentListener(listener), takeOver),
  };
  const get = (target: RemoteKernel, name: keyof Kernel) =>
    name in own ? own[name as keyof typeof own] : target[name];
  return new Proxy(remote, { get } as ProxyHandler<RemoteKernel>) as unknown as Kernel;
}

function sentProposer(proposer: Proposer): RemoteProposer {
  const request = changedRequests();
  return proxy({
    propose: (change: RequestChange, step: number) => proposer.propose(request(change), step),
    cancel: () => proposer.cancel(),
  });
}

function sentListener(listener: RunListener): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<RunUpdate>) => listener(data);
  return transfer(port2, [port2]);
}
