/**
 * The kernel's end of its connection to the page (`client/kernel-port.ts` is the other end). Each function of the page
 * arrives as the port that serves it. A request to the model crosses as a change of the request before it, and an update
 * of a run as a message without an answer.
 */

import type { RunView } from '../api.ts';
import { methodsAt } from '../lock/realm-port.ts';
import type { PowerRunner, Proposer, RunListener, RunUpdate } from '../ports.ts';
import { type RequestChange, requestChanges } from '../request-change.ts';
import { isOver } from '../run-view.ts';
import type { Kernel } from './api.ts';
import type { BackupProgress, BackupSink } from './backup/backup.ts';

/** Methods at the port of a proposer. */
export interface ServedProposer extends Pick<Proposer, 'cancel'> {
  propose(change: RequestChange, step: number): ReturnType<Proposer['propose']>;
}

/** Method at the port of a backup that is written. */
export interface ServedSink {
  readonly take: BackupSink;
}

/** Method at the port of a backup that is read. */
export interface ServedProgress {
  readonly tell: BackupProgress;
}

type Call<M extends keyof Kernel> = Parameters<Kernel[M]>;
type Answer<M extends keyof Kernel> = ReturnType<Kernel[M]>;

/** The kernel as its worker serves it: functions are ports, each a whole argument. */
export interface ServedKernel
  extends Omit<Kernel, 'start' | 'resume' | 'provide' | 'provideTool' | 'backUp' | 'takeBack' | 'replaceBy'> {
  start(request: Call<'start'>[0], proposer: MessagePort, listener: MessagePort): Answer<'start'>;
  resume(
    run_id: string,
    model: Call<'resume'>[1],
    proposer: MessagePort,
    listener: MessagePort,
    takeOver?: string,
  ): Answer<'resume'>;
  provide(terms: Call<'provide'>[0], runner: MessagePort): Answer<'provide'>;
  provideTool(definition: Call<'provideTool'>[0], runner: MessagePort): Answer<'provideTool'>;
  backUp(sink: MessagePort): Answer<'backUp'>;
  takeBack(backup: Blob, progress: MessagePort, only?: 'tried'): Answer<'takeBack'>;
  replaceBy(backup: Blob, progress: MessagePort): Answer<'replaceBy'>;
}

/** The kernel for its worker's port. */
export function servedKernel(kernel: Kernel): ServedKernel {
  return {
    ...kernel,
    start: (request, proposer, listener) => kernel.start(request, proposerAt(proposer), listenerAt(listener)),
    resume: (run_id, model, proposer, listener, takeOver) =>
      kernel.resume(run_id, model, proposerAt(proposer), listenerAt(listener), takeOver),
    provide: (terms, runner) => kernel.provide(terms, runnerAt(runner)),
    provideTool: (definition, runner) => kernel.provideTool(definition, runnerAt(runner)),
    backUp: (sink) => kernel.backUp(methodsAt<ServedSink>(sink, { take: true }).take),
    takeBack: (backup, progress, only) => kernel.takeBack(backup, progressAt(progress), only),
    replaceBy: (backup, progress) => kernel.replaceBy(backup, progressAt(progress)),
  };
}

function proposerAt(port: MessagePort): Proposer {
  const remote = methodsAt<ServedProposer>(port, { propose: true, cancel: true });
  const change = requestChanges();
  return { propose: (request, step) => remote.propose(change(request), step), cancel: () => void remote.cancel() };
}

function runnerAt(port: MessagePort): PowerRunner {
  return methodsAt<PowerRunner>(port, { carryOut: true, cancel: true });
}

function progressAt(port: MessagePort): BackupProgress {
  return methodsAt<ServedProgress>(port, { tell: true }).tell;
}

/** Closes the channel of a run that was forgotten: its other end would stay in the memory of the page. */
const forgotten = /* @__PURE__ */ new FinalizationRegistry<MessagePort>((port) => port.close());

/** ms for which an update of a run that only moves on waits for the update after it: a frame of the screen. */
const PHASE_MS = 16;

function listenerAt(port: MessagePort): RunListener {
  let told: RunUpdate | undefined;
  let waiting: RunUpdate | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = (update: RunUpdate): void => {
    clearTimeout(timer);
    [told, waiting, timer] = [update, undefined, undefined];
    port.postMessage(update);
  };
  const listener: RunListener = (update) => {
    if (told === undefined || !isPassing(told, update)) return send(update);
    waiting = update;
    timer ??= setTimeout(() => waiting && send(waiting), PHASE_MS);
  };
  forgotten.register(listener, port);
  return listener;
}

/** True where a run at work has only moved on: no record, question, wait or end has come or gone, and no pause. */
function isPassing(told: RunUpdate, { view, records }: RunUpdate): boolean {
  const isAtWork = (one: RunView): boolean => (one.pending ?? one.consent ?? one.waiting) === undefined && !isOver(one);
  const isDriven = view.mode === told.view.mode || view.mode !== 'paused';
  const isSame = isDriven && view.notices?.length === told.view.notices?.length;
  return records.length === 0 && view.phase !== 'IDLE' && isSame && isAtWork(told.view) && isAtWork(view);
}
