import { type Report, verifyExport } from '../../core/ledger/verify.ts';
import { makeCancellation } from '../async/cancellation.ts';
import { signatureLack } from '../audit/checkpoint.ts';
import { type CheckOptions, checkExport } from '../audit/verify-export.ts';
import type { OpenSandboxes } from '../ports.ts';

/** Reads what anybody says was recorded, where nothing is granted and no ledger can be written. */
export interface Auditor {
  /** All checks of any export, this device's or a stranger's. */
  check(jsonl: string, options: CheckOptions, ticket?: string): Promise<Report>;
  /** Form, hashes, links and anchor: what needs nothing but the text. */
  verify(jsonl: string): Promise<Report>;
  /** Why a checkpoint is not signed with this key; undefined where it is. */
  unsigned(checkpoint: string | undefined, key: string): Promise<string | undefined>;
  /** Ends the check that was asked for under this ticket: it rejects. */
  giveUp(ticket: string): void;
}

/** An auditor in this realm. Its sandboxes are its own: what a stranger's file does to them it does to no run. */
export function localAuditor(open: OpenSandboxes): Auditor {
  const cancellation = makeCancellation();
  return {
    check: (jsonl, options, ticket) =>
      cancellation.work(ticket, (signal) => checkExport(jsonl, { ...options, signal }, open)),
    verify: async (jsonl) => verifyExport(jsonl),
    unsigned: signatureLack,
    giveUp: cancellation.giveUp,
  };
}
