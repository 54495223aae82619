import type { RuntimeInfo } from '../api.ts';
import type { TellShare } from '../ports.ts';
import type { SandboxHost } from '../sandbox/page.ts';

/** Facts and data that a new kernel receives from the page because it cannot obtain them itself. */
export interface Boot {
  readonly store: 'browser' | 'memory';
  /** Name of the ledger in this origin: of its databases, private files, locks and messages. */
  readonly database: string;
  /** The development server sends a looser lock; the kernel reports it. */
  readonly development: boolean;
}

/** Returns what the first sandbox worker found of its own lock, when it has started. */
type SandboxProbes = () => Promise<RuntimeInfo['probes']>;
/** Methods of the page for the kernel's worker. */
export interface KernelPage extends SandboxHost {
  readonly tell: TellShare;
  readonly sandboxProbes: SandboxProbes;
}

export interface KernelHost {
  /** Takes a port that serves a `KernelPage`, and answers with the port that serves the kernel. */
  boot(options: Boot, page: MessagePort): Promise<MessagePort>;
}
