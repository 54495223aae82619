import { type Outcome, pass } from '../../../core/outcome.ts';
import { openChain } from '../journal/chain.ts';
import type { ByteFile } from '../journal/file.ts';
import { inParts } from '../rows.ts';
import type { TableWrite } from '../tables.ts';
import { failure } from './failure.ts';

/** What became of rows: as they were written, or why they were not, and whether the file is as it was before. */
export interface WrittenRows {
  readonly rows: Outcome<readonly TableWrite[]>;
  readonly isUndone?: boolean;
  /** Thrown to whoever gave rows that cannot be copied. */
  readonly defect?: DOMException;
}

/** Rows alone, part by part and flushed: all of them or none. Nobody else may write to the file meanwhile. */
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
