import type { Sandbox } from '../workers/sandbox/create.ts';
import type { PageSandboxOptions } from './sandbox.ts';

/**
 * The sandbox on its own, in workers of this page: guest code with limits, on a fresh heap for every call, and nothing
 * recorded. What drives it is loaded with the first call of this function. Rejects with `SallyportError`.
 */
export async function createSandbox(options: PageSandboxOptions = {}): Promise<Sandbox> {
  const { openSandbox } = await import('./sandbox.ts');
  return openSandbox(options);
}
