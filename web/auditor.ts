import type { AuditorHost } from '../workers/auditor/host.ts';
import type { SandboxHost } from '../workers/kernel/host.ts';
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
 * Starts the worker that reads exports. The server sends it with the headers of the kernel's worker. Where it is less
 * locked than the kernel and its sandbox, it gets no export to read: `worker_blocked`.
 */
export async function startAuditor(url: string, { spawn, kill, ended }: PageSandboxes): Promise<StartedAuditor> {
  const { met, failed, terminate: close } = startWorker(url, 'sallyport-auditor');
  try {
    const auditor = methodsAt((await met).worker, AUDITOR);
    const page = portOf<SandboxHost>({ spawn, kill, ended, scripts: schemaScripts });
    await Promise.race([auditor.boot(page), failed]);
    return { auditor, close };
  } catch (error) {
    close();
    throw error;
  }
}
