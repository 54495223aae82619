/**
 * Connections between a run in the kernel's worker and the code of its page. A request to the model crosses as a change
 * of the request before it, and an update of the run as a message that nobody answers.
 */
import { proxy, transfer } from 'comlink';
import type { Proposer, RunListener, RunUpdate } from '../ports.ts';
import type { Kernel } from './api.ts';
import { changedRequests, type RequestChange, requestChanges } from './request-change.ts';

/** A proposer of the page, as the kernel's worker calls it. */
interface RemoteProposer extends Pick<Proposer, 'cancel'> {
  propose(change: RequestChange, step: number): ReturnType<Proposer['propose']>;
}

/** The kernel's worker as the page calls it: the listener of a run is the end of a channel. */
export interface RemoteKernel extends Omit<Kernel, 'start' | 'resume'> {
  start(
    request: Parameters<Kernel['start']>[0],
    proposer: RemoteProposer,
    listener: MessagePort,
  ): ReturnType<Kernel['start']>;
  resume(
    run_id: string,
    model: Parameters<Kernel['resume']>[1],
    proposer: RemoteProposer,
    listener: MessagePort,
    takeOver?: string,
  ): ReturnType<Kernel['resume']>;
}

/** The kernel for the client in the page. */
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

/** The kernel for its worker's port. */
export function kernelOnPort(kernel: Kernel): RemoteKernel {
  return {
    ...kernel,
    start: (request, proposer, port) => kernel.start(request, receivedProposer(proposer), receivedListener(port)),
    resume: (run_id, model, proposer, port, takeOver) =>
      kernel.resume(run_id, model, receivedProposer(proposer), receivedListener(port), takeOver),
  };
}

function receivedProposer(remote: RemoteProposer): Proposer {
  const change = requestChanges();
  return { propose: (request, step) => remote.propose(change(request), step), cancel: () => remote.cancel() };
}

/** Closes the channel of a run that was forgotten: its other end would stay in the memory of the page. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<MessagePort>((port) => port.close());

function receivedListener(port: MessagePort): RunListener {
  const listener: RunListener = (update) => port.postMessage(update);
  forgotten.register(listener, port);
  return listener;
}
