import type { Runtime } from '../../../workers/api.ts';
import { type ContentCopy, openContentCopy } from './content-copy.ts';
import { type ContentImport, openContentImport } from './content-import.ts';
import { type ContentLookup, openContentLookup } from './content-lookup.ts';
import { type NoticeLine, openNoticeLine } from './notice.ts';
import { addPapers, type Papers } from './scenario-files.ts';
import { openSymbolEdits, type SymbolEdits } from './symbol-edits.ts';
import { openTakeBack, type TakeBack } from './take-back.ts';

/** The content as the panel shows it. */
export interface CorpusState extends ContentCopy, ContentImport, ContentLookup, SymbolEdits, Pick<NoticeLine, 'said'> {
  /** Lays out a scenario's papers where they are missing, and names their places. */
  addPapers(scenario: Papers): Promise<void>;
  readonly takeBack: TakeBack;
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
    takeBack: openTakeBack(content, copy, notice),
  };
}
