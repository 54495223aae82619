import { optionsOf, TEXT } from '../../core/option.ts';
import type { Outcome } from '../../core/outcome.ts';
import { SallyportError, unwrap } from '../../core/sallyport-error.ts';
import type { Runtime, RuntimeOptions } from '../api.ts';
import { ownProperties } from '../async/own-properties.ts';
import { localAuditor } from '../auditor/auditor.ts';
import { openClient } from '../client/client.ts';
import { makeKernel } from '../kernel/kernel.ts';
import { failure } from '../store/directory/failure.ts';
import { openDirectoryStore } from '../store/directory/store.ts';
import { openMemoryStore } from '../store/memory/store.ts';
import { isLedgerStore, type RuntimeStore } from '../store/runtime-store.ts';
import type { SharedStore } from '../store/shared-store.ts';
import type { LedgerStore } from '../store/store.ts';
import { nodePorts, openSandboxes } from './platform.ts';

export interface NodeOptions extends RuntimeOptions {
  /**
   * Place of the ledger: this process's memory, a directory that a single process opens at a time, or an open store of
   * another entry.
   */
  readonly store?: 'memory' | { readonly directory: string } | RuntimeStore;
}

/** With `isWarm`, the compiler of schemas starts at once: the program knows that it will provide tools. */
export async function openInProcess(
  given: NodeOptions,
  { isWarm = false }: { readonly isWarm?: boolean } = {},
): Promise<Runtime> {
  const { store: kept = 'memory', ...options } = ownProperties(given);
  const store = openStore(kept);
  const { claim = nodePorts.claim, exclusive, held, peers } = store;
  const shared = { ...(exclusive && { exclusive }), ...(held && { held }), ...(peers && { peers }) };
  const ports = { ...nodePorts, ...(await openSandboxes()), store, claim, ...shared };
  if (isWarm) ports.schemas.warm?.();
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: store.kind } });
  return openClient(kernel, async () => localAuditor(openSandboxes), options);
}

function openStore(store: unknown): LedgerStore & Partial<SharedStore> {
  if (store === 'memory') return openMemoryStore();
  if (isLedgerStore(store)) return store;
  const directory = (store as { directory?: unknown } | null)?.directory;
  if (typeof directory !== 'string') {
    const use = `Use 'memory', {directory} or openSqlite({path}).`;
    throw new SallyportError('store_unknown', `There is no such store here. ${use}`, {});
  }
  optionsOf(store as object, { directory: TEXT });
  return unwrap(opening(directory));
}

/** Opens a directory. A failure of the file system becomes a refusal. */
function opening(directory: string): Outcome<SharedStore> {
  try {
    return openDirectoryStore(directory);
  } catch (reason) {
    return failure(reason);
  }
}
