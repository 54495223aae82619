import type { Runtime } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import { type ContentCopy, openContentCopy } from './content-copy.ts';
import { type ContentImport, openContentImport } from './content-import.ts';
import { type ContentLookup, openContentLookup } from './content-lookup.ts';
import { type NoticeLine, openNoticeLine } from './notice.ts';
import { addPapers, type Papers } from './scenario-files.ts';
import { openSymbolEdits, type SymbolEdits } from './symbol-edits.ts';

/** The content as the panel shows it. */
export interface CorpusState extends ContentCopy, ContentImport, ContentLookup, SymbolEdits, Pick<NoticeLine, 'said'> {
  /** Lays out a scenario's papers where they are missing, and names their places. */
  addPapers(scenario: Papers): Promise<void>;
  /** Restores the content that a step of a run has changed. */
  undo(run_id: string, step: number): Promise<void>;
}

export function openCorpus({ content }: Pick<Runtime, 'content'>): CorpusState {
  const notice = openNoticeLine();
  const lookup = openContentLookup(content, notice);
  const copy = openContentCopy(content, notice, lookup.ref);
  return {
    ...copy,
    ...lookup,
    ...openContentImport(content, copy, notice),
    ...openSymbolEdits(content, copy, notice),
    said: notice.said,
    addPapers: async (scenario) => {
      await addPapers(content, scenario);
      // a panel that was not opened yet reads the content when it is opened
      if (copy.overview.peek() !== undefined) await copy.read().catch(notice.refused);
    },
    undo: (run_id, step) =>
      notice.attempt(async () => {
        await content.undo(run_id, step);
        await copy.read();
        notice.tell(() => corpus().takenBack(step));
      }),
  };
}
