import { expect } from 'vitest';
import { refusalError } from '../../core/sallyport-error.ts';
import type { Runtime, RuntimeOptions } from '../../workers/api.ts';
import { localAuditor } from '../../workers/auditor/auditor.ts';
import { openClient } from '../../workers/client/client.ts';
import { makeKernel } from '../../workers/kernel/kernel.ts';
import { nodePorts, openSandboxes } from '../../workers/node/platform.ts';
import type { NodeOptions } from '../../workers/node.ts';
import { ownProperties } from '../../workers/own-properties.ts';
import type { Ports } from '../../workers/ports.ts';
import { openDirectoryStore } from '../../workers/store/directory/store.ts';
import { emptyLog, openMemoryStore } from '../../workers/store/memory/store.ts';
import type { SharedStore } from '../../workers/store/shared-store.ts';

type Sandboxes = Awaited<ReturnType<typeof openSandboxes>>;

/**
 * Sandboxes that all tests of a file share: threads, images and validators are made once and not for each runtime. They
 * end when another file of the same process asks. They do not fit guests that hang, nor tests of the threads
 * themselves.
 */
function shared(): () => Promise<Sandboxes> {
  let file: string | undefined;
  let opened: Promise<Sandboxes> | undefined;
  return async () => {
    const { testPath } = expect.getState();
    if (file !== testPath) {
      void opened?.then(({ sandbox }) => sandbox.close());
      opened = undefined;
    }
    file = testPath;
    return lent(await (opened ??= openSandboxes()));
  };
}

/** Sandboxes for the runtimes of a test file. */
export const forRuns: () => Promise<Sandboxes> = shared();
/** Sandboxes for its checks: images that a run has loaded would hide a replay that cannot load them. */
export const forChecks: () => Promise<Sandboxes> = shared();

/** The sandboxes for one of many users, whose `close` does not end them. */
function lent({ sandbox, schemas }: Sandboxes): Sandboxes {
  return {
    schemas,
    sandbox: {
      check: (capability) => sandbox.check(capability),
      load: (capability) => sandbox.load(capability),
      call: (request, powers) => sandbox.call(request, powers),
      resume: (request, powers) => sandbox.resume(request, powers),
      close: async () => undefined,
    },
  };
}

/** Opens a runtime as `sallyport/node` does, over the sandboxes of the test file. */
export async function openRuntime(given: NodeOptions = {}): Promise<Runtime> {
  const { store: kept = 'memory', ...options } = ownProperties(given);
  const store =
    kept === 'memory'
      ? { store: openMemoryStore() }
      : locksOf('directory' in kept ? inDirectory(kept.directory) : (kept as SharedStore));
  const ports: Ports = { ...nodePorts, ...(await forRuns()), ...store };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: ports.store.kind } });
  return openClient(kernel, async () => localAuditor(forChecks), options);
}

function inDirectory(directory: string): SharedStore {
  const store = openDirectoryStore(directory);
  if (!store.ok) throw refusalError(store.refusal);
  return store.value;
}

function locksOf(store: SharedStore): Pick<Ports, 'store' | 'claim' | 'held' | 'peers' | 'exclusive'> {
  const { claim, held, peers, exclusive } = store;
  return { store, claim, held, peers, exclusive };
}

/** A process over a log that outlives it, at a clock of its own. */
export async function openAt(
  clock: { readonly now: number },
  options: RuntimeOptions,
  log = emptyLog(),
): Promise<Runtime> {
  const ports: Ports = { store: openMemoryStore(log), ...(await forRuns()), ...nodePorts, now: () => clock.now };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), options);
}
