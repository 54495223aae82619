import type { SymbolRow } from '../../../core/index.ts';
import type { Content } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import type { CopyReader } from './content-copy.ts';
import { keepFiles } from './kept-files.ts';
import type { NoticeLine } from './notice.ts';

/** A step of a run, and the files that it has changed. */
export interface WrittenStep {
  readonly run_id: string;
  readonly step: number;
  readonly paths: readonly string[];
}

/** Restores the content that a step has changed, and offers to bring the changes of the step back. */
export type TakeBack = (written: WrittenStep) => Promise<void>;

export function openTakeBack(content: Content, { read }: Pick<CopyReader, 'read'>, notice: NoticeLine): TakeBack {
  const takeBack = (written: WrittenStep, isAgreed: boolean): Promise<void> =>
    notice.attempt(async () => {
      const { run_id, step, paths } = written;
      const kept = await keepFiles(content, paths);
      if (kept === undefined && !isAgreed) {
        const agree = (): Promise<void> => takeBack(written, true);
        return notice.ask(() => corpus().largeStep(step), agree, 'takeBack');
      }
      const was = await content.symbols();
      await content.undo(run_id, step);
      const now = await content.symbols();
      await read();
      const undo = (): Promise<void> =>
        notice.attempt(async () => {
          await kept?.putBack();
          await moveSymbols(content, now, was);
          await read();
          notice.tell(() => corpus().stepBack(step));
        });
      notice.tell(() => corpus().takenBack(step), kept && undo);
    });
  return (written) => takeBack(written, false);
}

/** Moves symbols back to their former sections. A symbol that was changed since, or had no section, stays as it is. */
async function moveSymbols(content: Content, from: readonly SymbolRow[], to: readonly SymbolRow[]): Promise<void> {
  const targets = new Map(from.map(({ symbol_id, target_ref }) => [symbol_id, target_ref]));
  const current = new Map((await content.symbols()).map(({ symbol_id, target_ref }) => [symbol_id, target_ref]));
  const sections = new Set((await content.sections()).map(({ section_id }) => section_id));
  for (const row of to) {
    const { symbol_id, target_ref } = row;
    const left = targets.get(symbol_id);
    if (left === target_ref || current.get(symbol_id) !== left || !sections.has(target_ref)) continue;
    await content.undefine(symbol_id);
    await content.define(row);
  }
}
