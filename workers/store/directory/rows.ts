import { type Outcome, pass } from '../../../core/outcome.ts';
import { openChain } from '../journal/chain.ts';
import type { ByteFile } from '../journal/file.ts';
import { inParts } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import { failure } from './failure.ts';

/** Result of writing rows: the rows as written or the refusal, and whether the file is unchanged after a refusal. */
export interface WrittenRows {
  readonly rows: Outcome<readonly TableWrite[]>;
  readonly isUndone?: boolean;
  /** Thrown to the caller: its rows cannot be cloned. */
  readonly defect?: DOMException;
}

/** Writes rows in parts and flushes them: all rows or none. The caller keeps other writers off the file meanwhile. */
export async function writeRows(file: ByteFile, given: Iterable<TableWrite>, flushed: number): Promise<WrittenRows> {
  const [chain, rows] = [openChain(file, { flushed }), [] as TableWrite[]];
  try {
    for (const part of inParts(given)) {
      const copies = part.map(({ table, key, value }) => ({ table, key, value: structuredClone(value) }));
      await chain.add(copies);
      rows.push(...copies);
    }
    await chain.end();
    return { rows: pass(rows) };
  } catch (reason) {
    const isUndone = isDone(() => chain.undo());
    return { rows: failure(reason), isUndone, ...(reason instanceof DOMException && { defect: reason }) };
  }
}

function isDone(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}
