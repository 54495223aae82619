import type { Sandbox, SandboxOptions } from '../workers/sandbox/create.ts';

export interface PageSandboxOptions extends SandboxOptions {
  /** Folder of this origin with `worker-sandbox.js` and `quickjs.wasm`, where no bundler placed them. */
  readonly assets?: string;
}

/**
 * The sandbox on its own, in workers of this page: guest code with limits, on a fresh heap for every call, and nothing
 * recorded. What drives it is loaded with the first call of this function. Rejects with `SallyportError`.
 */
export async function createSandbox(options: PageSandboxOptions = {}): Promise<Sandbox> {
  const { openSandbox } = await import('./sandbox.ts');
  return openSandbox(options);
}
