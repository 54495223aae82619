import { extend, headAfter, type RunHead } from '../../core/ledger/chain.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import type { KeptRow, RunEffect } from '../../core/run/effect.ts';
import type { Held } from '../content/run-content.ts';
import type { Ports } from '../ports.ts';
import type { Durability } from '../store/store.ts';
import type { TableWrite } from '../store/tables.ts';

type Drafts = Omit<Extract<RunEffect, { type: 'append' }>, 'type' | 'content' | 'durability'>;

/** The end of one run's chain, as its one writer knows it. */
export interface RunWriter {
  /** Behind everything that was asked for, written or not: a run goes no further on what was refused. */
  readonly head: RunHead;
  /** Something may be stored, or not: nobody knows yet. */
  readonly isWriting: boolean;
  /** The drafts as the run's next records, in one commit with what came with them. As `LedgerStore.append`. */
  write(drafts: Drafts, durability: Durability, held?: Held): Promise<Outcome<readonly LedgerRecord[]>>;
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

/** What core keeps is plain data: JSON, and the pages of a parked heap. */
function row({ key, value }: KeptRow): TableWrite {
  return { table: 'kept', key, value: value as TableWrite['value'] };
}
