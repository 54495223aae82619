/**
 * The kernel's end of a run's connections to the code of its page (`client/kernel-port.ts` is the other end). A request
 * to the model crosses as a change of the request before it, and an update of the run as a message without an answer.
 */
import { type RequestChange, requestChanges } from '../async/request-change.ts';
import type { Proposer, RunListener } from '../ports.ts';
import type { Kernel } from './api.ts';

/** A proposer of the page, as the kernel's worker calls it. */
export interface RemoteProposer extends Pick<Proposer, 'cancel'> {
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
