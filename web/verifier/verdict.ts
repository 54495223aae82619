import type { ReportSummary } from '../../core/ledger/summary.ts';
import type { SavedPageTexts } from '../texts/en/saved-page.ts';
import { fill } from '../texts/fill.ts';

/** A summary of a report in a sentence of the page: the first fault and its place. */
export function verdictIn(words: SavedPageTexts['verdicts'], summary: ReportSummary): string {
  switch (summary.kind) {
    case 'consistent':
      return consistent(words, summary);
    case 'cut':
      return summary.records === 0 ? words.cutAll : fill(words.cut, { last: summary.records - 1 });
    default:
      return fill(words[summary.kind], { ...summary });
  }
}

function consistent(
  words: SavedPageTexts['verdicts'],
  { records, anchored, undecided }: Extract<ReportSummary, { kind: 'consistent' }>,
): string {
  const over = records === 1 ? words.consistentOne : fill(words.consistent, { records });
  return `${over}${anchored ? words.anchored : words.unanchored}${undecided ? words.undecided : ''}`;
}
