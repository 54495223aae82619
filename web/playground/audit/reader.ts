import { effect, signal } from '@preact/signals-core';
import { type LedgerRecord, unsalted } from '../../../core/index.ts';
import type { ExportBlob } from '../files/export-blob.ts';
import type { ColumnName, Playground } from '../playground.ts';
import { type RunSession, readFrom } from '../run/session.ts';
import { openSelection } from '../timeline/selection.ts';

/** Records of a message of the worker: a larger message would hold up a frame. */
const PIECE = 1_000;

/** The open file as the panels of Run read a run: its ledger, and each record from five sides. */
export interface AuditReader {
  /** The store with the open file in the place of the page's run. */
  readonly store: Playground;
  close(): void;
}

export function openReader(page: Playground): AuditReader {
  const { audit } = page;
  const session = signal<RunSession | undefined>(undefined);
  const records = signal<readonly LedgerRecord[]>([]);
  const selection = openSelection(records, session);
  selection.select(0);

  const read = async (file: ExportBlob): Promise<void> => {
    const { run_id = 'unnamed', records: length = 0 } = audit.facts.peek() ?? {};
    const own = readFrom(
      {
        payload: async (_, name) => {
          const sha256 = typeof name === 'string' ? name : name.sha256;
          const bytes = await audit.files.call('payload', [file, sha256]);
          return bytes && typeof name !== 'string' ? unsalted(name, bytes) : bytes;
        },
      },
      { id: run_id, fileName: audit.name.peek() ?? '', records },
    );
    records.value = [];
    session.value = own;
    let found: LedgerRecord[] = [];
    for (let from = 0, shown = 0; from < length; from += PIECE) {
      const next = await audit.files.call('records', [file, from, PIECE]);
      if (audit.file.peek() !== file) return;
      found = [...found, ...next];
      // the first are there at once, and the list is not drawn again for each message
      if (from > 0 && from + PIECE < length && found.length < shown * 8) continue;
      shown = found.length;
      records.value = found;
    }
  };

  const stops = [
    effect(() => {
      const file = audit.file.value;
      if (file === undefined) session.value = undefined;
      else void read(file).catch(() => undefined);
    }),
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
    },
  };
}
