/** The page's end of the connection to the kernel's worker (`kernel/run-ports.ts` is the other end). */

import { pass } from '../../core/outcome.ts';
import type { Kernel } from '../kernel/api.ts';
import type { ServedKernel, ServedProgress, ServedProposer, ServedSink } from '../kernel/run-ports.ts';
import { type MethodNames, methodsAt, portOf, transfer } from '../lock/realm-port.ts';
import type { Proposer, RunListener, RunUpdate } from '../ports.ts';
import { changedRequests } from '../request-change.ts';
import { isOver } from '../run-view.ts';

const KERNEL: MethodNames<Kernel> = {
  info: true,
  register: true,
  enable: true,
  forget: true,
  grant: true,
  grants: true,
  watch: true,
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
  offered: true,
  offering: true,
  answer: true,
  edit: true,
  asking: true,
  telemetry: true,
  runs: true,
  records: true,
  payload: true,
  payloads: true,
  export: true,
  checkpoint: true,
  fsck: true,
  archive: true,
  keep: true,
  remove: true,
  erase: true,
  stored: true,
  forgetStored: true,
  handed: true,
  clear: true,
  notified: true,
  backUp: true,
  takeBack: true,
  replaceBy: true,
  destroy: true,
  storage: true,
  settle: true,
  drain: true,
  suspend: true,
  close: true,
};

/** The kernel at the port that its worker answers at. Each function of the page is served at a port of its own. */
export function kernelAt(port: MessagePort): Kernel {
  const remote = methodsAt<ServedKernel>(port, KERNEL);
  const fresh = new FreshTexts();
  const heard = (listener: RunListener) =>
    listenerPort((update) => {
      fresh.hold(update);
      listener(update);
    });
  /** Texts that the answer says are erased, or closed with the kernel, are gone from here when it comes. */
  const dropping =
    <Given extends readonly unknown[], T>(act: (...given: Given) => Promise<T>) =>
    (...given: Given): Promise<T> =>
      act(...given).finally(() => fresh.drop());
  return {
    ...remote,
    start: (request, proposer, listener) => remote.start(request, proposerPort(proposer), heard(listener)),
    resume: (run_id, model, proposer, listener, takeOver) =>
      remote.resume(run_id, model, proposerPort(proposer), heard(listener), takeOver),
    payload: async (run_id, sha256, upTo) => {
      const bytes = fresh.read(run_id, sha256);
      return bytes ? pass(bytes) : remote.payload(run_id, sha256, upTo);
    },
    remove: dropping(remote.remove),
    erase: dropping(remote.erase),
    destroy: dropping(remote.destroy),
    close: dropping(remote.close),
    provide: (terms, runner) => remote.provide(terms, portOf(runner)),
    provideTool: (definition, runner) => remote.provideTool(definition, portOf(runner)),
    backUp: (take) => remote.backUp(portOf<ServedSink>({ take })),
    takeBack: (backup, tell, only) => remote.takeBack(backup, portOf<ServedProgress>({ tell }), only),
    replaceBy: dropping((backup, tell) => remote.replaceBy(backup, portOf<ServedProgress>({ tell }))),
  };
}

/** ms for which a text of an update answers a reader: views are drawn within some frames of it. */
const FRESH_MS = 1000;
const FRESH_COUNT = 16;

/**
 * Texts that the newest updates brought. A reader that asks for one at once is answered here, as if it had asked when
 * the update came; a later reader asks the ledger. A run that ends or goes on elsewhere has no text here: from then
 * on another tab may erase it.
 */
class FreshTexts {
  readonly #texts = new Map<string, { readonly run_id: string; readonly bytes: Uint8Array; readonly until: number }>();

  hold({ view, texts = [] }: RunUpdate): void {
    const { run_id } = view;
    if (isOver(view)) return this.drop(run_id);
    const until = performance.now() + FRESH_MS;
    for (const { ref, bytes } of texts) this.#texts.set(nameIn(run_id, ref.sha256), { run_id, bytes, until });
    for (const name of this.#texts.keys()) if (this.#texts.size > FRESH_COUNT) this.#texts.delete(name);
  }

  read(run_id: string, sha256: string): Uint8Array | undefined {
    const found = this.#texts.get(nameIn(run_id, sha256));
    return found !== undefined && performance.now() < found.until ? found.bytes.slice() : undefined;
  }

  /** Drops the texts of a run, or all of them. */
  drop(run_id?: string): void {
    for (const [name, text] of this.#texts)
      if (run_id === undefined || text.run_id === run_id) this.#texts.delete(name);
  }
}

function nameIn(run_id: string, sha256: string): string {
  return `${run_id} ${sha256}`;
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
