/** The page's end of the connection to the kernel's worker (`kernel/run-ports.ts` is the other end). */

import type { Kernel } from '../kernel/api.ts';
import type { ServedKernel, ServedProgress, ServedProposer, ServedSink } from '../kernel/run-ports.ts';
import { type MethodNames, methodsAt, portOf, transfer } from '../lock/realm-port.ts';
import type { Proposer, RunListener, RunUpdate } from '../ports.ts';
import { changedRequests } from '../request-change.ts';

const KERNEL: MethodNames<Kernel> = {
  info: true,
  register: true,
  enable: true,
  forget: true,
  grant: true,
  grants: true,
  revoke: true,
  provide: true,
  withdraw: true,
  provideTool: true,
  capabilities: true,
  beginAddition: true,
  stageFiles: true,
  commitAddition: true,
  dropAddition: true,
  removeFiles: true,
  contentOverview: true,
  listFiles: true,
  sectionTables: true,
  sectionTable: true,
  fileText: true,
  defineSymbol: true,
  undefineSymbol: true,
  listSymbols: true,
  exportSymbols: true,
  importSymbols: true,
  expandRef: true,
  searchContent: true,
  rebuildIndex: true,
  undoStep: true,
  start: true,
  resume: true,
  giveUp: true,
  look: true,
  command: true,
  say: true,
  abort: true,
  finish: true,
  cut: true,
  reject: true,
  preview: true,
  answer: true,
  telemetry: true,
  runs: true,
  records: true,
  payload: true,
  export: true,
  checkpoint: true,
  fsck: true,
  archive: true,
  remove: true,
  erase: true,
  stored: true,
  forgetStored: true,
  backUp: true,
  takeBack: true,
  replaceBy: true,
  destroy: true,
  storage: true,
  settle: true,
  drain: true,
  close: true,
};

/** The kernel at the port that its worker answers at. Each function of the page is served at a port of its own. */
export function kernelAt(port: MessagePort): Kernel {
  const remote = methodsAt<ServedKernel>(port, KERNEL);
  return {
    ...remote,
    start: (request, proposer, listener) => remote.start(request, proposerPort(proposer), listenerPort(listener)),
    resume: (run_id, model, proposer, listener, takeOver) =>
      remote.resume(run_id, model, proposerPort(proposer), listenerPort(listener), takeOver),
    provide: (terms, runner) => remote.provide(terms, portOf(runner)),
    provideTool: (definition, runner) => remote.provideTool(definition, portOf(runner)),
    backUp: (take) => remote.backUp(portOf<ServedSink>({ take })),
    takeBack: (backup, tell, only) => remote.takeBack(backup, portOf<ServedProgress>({ tell }), only),
    replaceBy: (backup, tell) => remote.replaceBy(backup, portOf<ServedProgress>({ tell })),
  };
}

function proposerPort(proposer: Proposer): MessagePort {
  const request = changedRequests();
  return portOf<ServedProposer>({
    propose: (change, step) => proposer.propose(request(change), step),
    cancel: () => proposer.cancel(),
  });
}

function listenerPort(listener: RunListener): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }: MessageEvent<RunUpdate>) => listener(data);
  return transfer(port2, [port2]);
}
