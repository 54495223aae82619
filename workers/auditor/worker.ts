/**
 * Entry of the auditor, which the page starts with the first check. It reads exports of any author, behind the same
 * lock as the kernel and apart from it: it holds no grants and no ledger, and has no run to disturb.
 */

import { closeExits } from '../lock/exits.ts';
import { greetingWith } from '../lock/greeting.ts';
import { probeLock } from '../lock/probe.ts';
import { methodsAt, serveMethods } from '../lock/realm-port.ts';
import type { SandboxHost } from '../sandbox/page.ts';
import { pageSandboxes } from '../sandbox/page.ts';
import type { AuditorHost } from './auditor.ts';
import { type Auditor, localAuditor } from './auditor.ts';
import { useWasmHash } from './hash/use.ts';

closeExits();
useWasmHash();

let auditor: Auditor | undefined;

function booted(): Auditor {
  if (auditor === undefined) throw new Error('boot comes first');
  return auditor;
}

const host: AuditorHost = {
  boot(port) {
    const page = methodsAt<SandboxHost>(port, { spawn: true, kill: true, ended: true, scripts: true });
    auditor = localAuditor(pageSandboxes(page));
  },
  check: (jsonl, options, ticket) => booted().check(jsonl, options, ticket),
  progress: (ticket) => booted().progress(ticket),
  verify: (jsonl, stored) => booted().verify(jsonl, stored),
  unsigned: (checkpoint, key) => booted().unsigned(checkpoint, key),
  giveUp: (ticket) => booted().giveUp(ticket),
};

serveMethods(self, host);
void probeLock().then((probes) => self.postMessage(greetingWith({ probes })));
