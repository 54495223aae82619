import { type Isolation, SallyportError } from '../core/index.ts';
import type { AuditorHost } from '../workers/auditor/host.ts';
import type { SandboxHost } from '../workers/kernel/host.ts';
import { isLockedAs } from '../workers/lock/isolation.ts';
import { type MethodNames, methodsAt, portOf } from '../workers/lock/realm-port.ts';
import { schemaScripts } from './engine.ts';
import type { PageSandboxes } from './sandboxes.ts';
import { startWorker } from './worker.ts';

const AUDITOR: MethodNames<AuditorHost> = { boot: true, check: true, verify: true, unsigned: true, giveUp: true };

export interface StartedAuditor {
  readonly auditor: AuditorHost;
  readonly close: () => void;
}

/**
 * Starts the worker that reads exports. The server sends it with the headers of the kernel's worker. Where the kernel
 * is locked and this worker is not, it gets no export to read: `worker_blocked`.
 */
export async function startAuditor(
  url: string,
  isolation: Isolation,
  { spawn, kill }: PageSandboxes,
): Promise<StartedAuditor> {
  const { worker, failed } = startWorker(url, 'sallyport-auditor');
  const close = (): void => worker.terminate();
  const auditor = methodsAt(worker, AUDITOR);
  const booting = auditor.boot(import.meta.env.DEV, portOf<SandboxHost>({ spawn, kill, scripts: schemaScripts }));
  const found = await Promise.race([booting, failed]).catch((error: unknown) => {
    close();
    throw error;
  });
  if (isLockedAs(isolation, found)) return { auditor, close };
  close();
  throw new SallyportError('worker_blocked', `The auditor is not ${isolation} as the kernel is: ${found}.`, { url });
}
