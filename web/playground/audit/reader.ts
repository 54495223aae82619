import { computed, effect, signal } from '@preact/signals-core';
import type { LedgerRecord } from '../../../core/index.ts';
import type { ColumnName, Playground } from '../playground.ts';
import { type RunSession, readFile } from '../run/session.ts';
import { openSelection } from '../timeline/selection.ts';

/** The open file as the panels of Run read a run: its ledger, and each record from five sides. */
export interface AuditReader {
  /** The store with the open file in the place of the page's run. */
  readonly store: Playground;
  close(): void;
}

export function openReader(page: Playground): AuditReader {
  const { audit } = page;
  const session = signal<RunSession | undefined>(undefined);
  const records = computed<readonly LedgerRecord[]>(() => session.value?.records.value ?? []);
  const selection = openSelection(records, session);
  selection.select(0);

  const open = (): void => {
    const [file, facts] = [audit.file.value, audit.facts.value];
    session.peek()?.close();
    if (file === undefined || facts === undefined) return void (session.value = undefined);
    const run = { file, facts, fileName: audit.name.peek() ?? '' };
    // Audit checks the file by itself
    session.value = readFile(audit.files, run, () => Promise.reject(new DOMException('', 'NotSupportedError'))).session;
  };

  const stops = [
    effect(open),
    // one record for the reader, the chain and the falsification
    effect(() => {
      const seq = audit.seq.value;
      if (selection.seq.peek() !== seq) selection.select(seq);
    }),
    effect(() => {
      const seq = selection.seq.value;
      if (seq !== undefined) audit.seq.value = seq;
    }),
  ];

  const own = {
    session,
    selection,
    column: signal<ColumnName>('timeline'),
    fork: (step: number) => void audit.text().then((text) => page.forkText(text, step)),
  };
  return {
    // its other members are those of the page, read at the moment
    store: Object.assign(Object.create(page) as Playground, own),
    close: () => {
      for (const stop of stops) stop();
      session.peek()?.close();
    },
  };
}
