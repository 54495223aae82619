import { structureHash } from '../../../core/hash.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { hashOf, partsOf, textOf } from '../../../core/ledger/chain.ts';
import { formatExport } from '../../../core/ledger/export.ts';
import { NO_PREV } from '../../../core/ledger/record.ts';

/** A record as the owner of the database can write it: arbitrary content, every hash right. */
export interface Forged {
  readonly kind: string;
  readonly body: unknown;
  readonly [member: string]: unknown;
}

/** Chains and hashes the records as given. A member that a record states itself overrides the member of the chain. */
export function forgeTexts(run_id: string, records: readonly Forged[]): string[] {
  let prev = NO_PREV;
  return records.map(({ kind, body, ...said }, run_seq) => {
    const text = canonicalText(body);
    const place = { at: 1, epoch: 0, prev, run_id, run_seq, ...said };
    const parts = partsOf({ kind, body_hash: structureHash('body', text), ...place } as never);
    prev = hashOf(parts);
    return textOf(parts, text, prev);
  });
}

export function forge(run_id: string, records: readonly Forged[]): string {
  return formatExport(run_id, forgeTexts(run_id, records), []);
}
