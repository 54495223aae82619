/**
 * Entry of the kernel worker: validator, run loops and ledger. It has no network and cannot start workers. The page
 * starts the sandbox workers, and passes their ports and the bytes of the engine.
 */
import type { RuntimeInfo } from '../api.ts';
import { browserSigner } from '../auditor/browser-key.ts';
import { SIGNER } from '../auditor/checkpoint.ts';
import { useWasmHash } from '../auditor/hash/use.ts';
import { closeExits } from '../lock/exits.ts';
import { greetingWith } from '../lock/greeting.ts';
import { bothProbes, isolationOf, probeLock } from '../lock/probe.ts';
import { type MethodNames, methodsAt, portOf, serveMethods } from '../lock/realm-port.ts';
import { makeNonces } from '../nonces.ts';
import type { Ports } from '../ports.ts';
import { pageSandboxes } from '../sandbox/page.ts';
import { sandboxMemory } from '../sandbox/sandbox-memory.ts';
import { openImages, openSources } from '../store/page/caches.ts';
import { openPeerChannel } from '../store/peer-channel.ts';
import { makeClaims } from '../store/shared-store.ts';
import type { LedgerStore } from '../store/store.ts';
import type { KernelHost, KernelPage } from './host.ts';
import { makeKernel } from './kernel.ts';
import { databasesBeside, openStore } from './open-store.ts';
import { finishErasures } from './retention.ts';
import { servedKernel } from './run-ports.ts';
import { gatheringLocks, locksOf } from './web-locks.ts';

// The modules above hold the parts of the origin that the kernel needs (`origin.ts`); this closes the rest for the
// worker.
closeExits();
useWasmHash();

/** Inserted by the build: keys of the playground's sources, which the build has checked. */
declare const SALLYPORT_CHECKED_SOURCES: readonly string[] | undefined;
const BUILT: readonly string[] = typeof SALLYPORT_CHECKED_SOURCES === 'undefined' ? [] : SALLYPORT_CHECKED_SOURCES;

const PAGE: MethodNames<KernelPage> = {
  spawn: true,
  kill: true,
  ended: true,
  scripts: true,
  tell: true,
  sandboxProbes: true,
};

const host: KernelHost = {
  async boot(options, port) {
    const page = methodsAt(port, PAGE);
    // The store takes longest, so it opens first: a probe takes milliseconds before it returns.
    const opening = openStore(options, page.tell);
    const beside = databasesBeside(options.database);
    const [images, sources] = [openImages(Date.now, beside.images), openSources(Date.now, beside.sources)];
    const remembering = options.store === 'memory' ? undefined : sandboxMemory({ images, sources, built: BUILT });
    const [own, sandboxes, opened] = await Promise.all([probeLock(), page.sandboxProbes(), opening]);
    const probes = bothProbes(own, sandboxes);
    let signer: ReturnType<typeof browserSigner> | undefined;
    const info: RuntimeInfo = { isolation: isolationOf(probes, options.development), probes, store: opened.info };
    const { sandbox, schemas } = await pageSandboxes(page)();
    const ports = {
      store: opened.store,
      sandbox: remembering === undefined ? sandbox : remembering(sandbox),
      schemas,
      signer: () => (signer ??= browserSigner(SIGNER, beside.key)),
      ...(opened.store.kind === 'memory' ? makeClaims() : shared(opened.store, options.database)),
      ...('epoch' in opened.store && {
        epoch: opened.store.epoch,
        storage: opened.store.status,
        settle: opened.store.settle,
      }),
      random: Math.random,
      now: Date.now,
      nonce: makeNonces((bytes) => crypto.getRandomValues(bytes)),
    };
    await finishErasures(ports);
    return portOf(servedKernel(makeKernel(ports, info)));
  },
};

/**
 * Ports through which kernels on the same log coordinate. A browser that denies a page its storage denies these too.
 */
function shared(store: LedgerStore, database: string): Pick<Ports, 'claim' | 'held' | 'exclusive' | 'peers'> {
  const peers = openPeerChannel(`${database}:runs`);
  const { claim, held, exclusive } = locksOf(database);
  return { ...gatheringLocks(store, { claim, exclusive }), held, ...(peers && { peers }) };
}

serveMethods(self, host);
self.postMessage(greetingWith({}));
