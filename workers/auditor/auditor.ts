import { decodeForCheck } from '../../core/json/utf8.ts';
import type { RunHead } from '../../core/ledger/chain.ts';
import type { Report } from '../../core/ledger/checks.ts';
import { verifyExport } from '../../core/ledger/verify.ts';
import { makeCancellation } from '../async.ts';
import type { OpenSandboxes } from '../ports.ts';
import { signatureFault } from './checkpoint.ts';
import { type CheckOptions, checkExport } from './verify-export.ts';

/** Checks exports of any origin, in a realm without grants and without a ledger. */
export interface Auditor {
  /** All checks of an export, from this device or from another. */
  check(jsonl: string | Blob, options: CheckOptions, ticket?: string): Promise<Report>;
  /** Share of the check with this ticket that is made, from 0 to 1. */
  progress(ticket: string): Promise<number>;
  /** Form, hashes, links and anchor: the checks that need only the text, and the head in its store. */
  verify(jsonl: string, stored: RunHead | undefined): Promise<Report>;
  /** Reason why a checkpoint is not signed with this key; undefined where it is. */
  unsigned(checkpoint: string | undefined, key: string): Promise<string | undefined>;
  /** Ends the check with this ticket: it rejects. */
  giveUp(ticket: string): void;
}

/** An auditor in this realm. It has sandboxes of its own, so that a hostile file cannot disturb a run. */
export function localAuditor(open: OpenSandboxes): Auditor {
  const cancellation = makeCancellation();
  const shares = new Map<string, number>();
  return {
    check: (jsonl, options, ticket) =>
      cancellation.work(ticket, async (signal) => {
        const onProgress = (share: number): void => void (ticket !== undefined && shares.set(ticket, share));
        try {
          return await checkExport(await textOf(jsonl), { ...options, signal, onProgress }, open);
        } finally {
          shares.delete(ticket ?? '');
        }
      }),
    progress: async (ticket) => shares.get(ticket) ?? 0,
    verify: async (jsonl, stored) => verifyExport(jsonl, stored && { stored }),
    unsigned: signatureFault,
    giveUp: cancellation.giveUp,
  };
}

export interface AuditorHost extends Auditor {
  /** Called once, before the first check, with a port that serves a `SandboxHost`. */
  boot(page: MessagePort): void;
}

/** A byte order mark stays, and wrong bytes are not mended: a check of the text finds them. */
async function textOf(jsonl: string | Blob): Promise<string> {
  return typeof jsonl === 'string' ? jsonl : decodeForCheck(new Uint8Array(await jsonl.arrayBuffer()));
}
