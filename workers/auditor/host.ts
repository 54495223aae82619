import type { Auditor } from './auditor.ts';

export interface AuditorHost extends Auditor {
  /** Called once, before the first check, with a port that serves a `SandboxHost`. */
  boot(page: MessagePort): void;
}
