import { extend, headAfter, type RunHead } from '../../core/ledger/chain.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { RunEffect, StoredRow } from '../../core/run/effect.ts';
import type { ContentHold } from '../content/run-content.ts';
import type { Ports } from '../ports.ts';
import type { Durability } from '../store/store.ts';
import type { TableWrite } from '../store/tables.ts';

type Drafts = Omit<Extract<RunEffect, { type: 'append' }>, 'type' | 'content' | 'durability'>;

/** Writer of a single run's chain. */
export interface RunWriter {
  /** Head after every requested record, written or not: a run never continues after a refused write. */
  readonly head: RunHead;
  /** A write is in flight, and its result is unknown. */
  readonly isWriting: boolean;
  /**
   * Writes the drafts as the run's next records, in a single commit with their payloads and rows. As
   * `LedgerStore.append`.
   */
  write(drafts: Drafts, durability: Durability, held?: ContentHold): Promise<Outcome<readonly LedgerRecord[]>>;
}

export function makeWriter(
  run_id: string,
  end: RunHead,
  { store, now, epoch }: Pick<Ports, 'store' | 'now' | 'epoch'>,
): RunWriter {
  let head = end;
  let underWay = 0;
  return {
    get head() {
      return head;
    },
    get isWriting() {
      return underWay > 0;
    },
    async write({ drafts, payloads, kept = [] }, durability, held) {
      const stamp = { run_id, epoch: epoch?.() ?? 1, at: now() };
      const expected = head;
      const records = drafts.map((draft) => {
        const link = extend(head, draft, stamp);
        head = headAfter(link.record);
        return link;
      });
      const stored = payloads.map(({ ref, bytes }) => ({ sha256: ref.sha256, bytes }));
      const tables = [...kept.map(row), ...(held?.writes ?? [])];
      const append = { run_id, expected, records, payloads: stored, ...(tables.length > 0 && { tables }) };
      underWay++;
      const done = await store.append(append, durability).finally(() => underWay--);
      if (!done.ok) return done;
      held?.committed();
      return pass(records.map(({ record }) => record));
    },
  };
}

/** Row of a capability's storage. Core stores plain data only: JSON, and the pages of a parked heap. */
function row({ key, value }: StoredRow): TableWrite {
  return { table: 'kept', key, value: value as TableWrite['value'] };
}
