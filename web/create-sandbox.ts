import { loadPart } from '../workers/load-part.ts';
import type { Sandbox } from '../workers/sandbox/create.ts';
import type { PageSandboxOptions } from './sandbox.ts';

/**
 * The sandbox on its own, in workers of this page: guest code with limits, a fresh heap for every call, and no ledger.
 * The first call of this function loads the driver. Rejects with `SallyportError`.
 */
export async function createSandbox(options: PageSandboxOptions = {}): Promise<Sandbox> {
  const { openSandbox } = await loadPart(() => import('./sandbox.ts'));
  return openSandbox(options);
}
