/**
 * Entry of the auditor, which the page starts with the first check. It reads exports of any author, behind the same
 * lock as the kernel and apart from it: it holds no grants and no ledger, and has no run to disturb.
 */
import { expose } from 'comlink';
import { useWasmHash } from '../hash/use.ts';
import { closeExits } from '../lock/exits.ts';
import { isolationOf } from '../lock/isolation.ts';
import { probeLock } from '../lock/probe.ts';
import { pageSandboxes } from '../sandbox/page.ts';
import { type Auditor, localAuditor } from './auditor.ts';
import type { AuditorHost } from './host.ts';

closeExits();
useWasmHash();

let auditor: Auditor | undefined;

function booted(): Auditor {
  if (auditor === undefined) throw new Error('boot comes first');
  return auditor;
}

const host: AuditorHost = {
  async boot(development, spawn, kill, scripts) {
    auditor = localAuditor(pageSandboxes(spawn, kill, scripts));
    return isolationOf(await probeLock(), development);
  },
  check: (jsonl, options, ticket) => booted().check(jsonl, options, ticket),
  verify: (jsonl) => booted().verify(jsonl),
  unsigned: (checkpoint, key) => booted().unsigned(checkpoint, key),
  giveUp: (ticket) => booted().giveUp(ticket),
};

expose(host);
