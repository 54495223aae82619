import { CODES, type Code, type VerdictWords } from '../../core/index.ts';
import { speech } from '../texts/area.ts';
import { auditView } from '../texts/en/audit-view.ts';
import { remedies } from '../texts/en/remedies.ts';
import { type SavedPageTexts, savedPage } from '../texts/en/saved-page.ts';

/** The words that a saved page has in it: those of a single language. */
export interface PageWords extends SavedPageTexts {
  readonly language: string;
  readonly verdicts: VerdictWords;
  /** What a code of a finding means, where the page is not in English: the finding itself is an English sentence. */
  readonly gists: { readonly [code: string]: string };
}

/** The words in the language of the interface. */
export function pageWords(): PageWords {
  const { language } = speech();
  return { ...savedPage(), language, verdicts: auditView().verdicts, gists: language === 'en' ? {} : gists() };
}

/** Findings about a file have codes of a single class. */
function gists(): PageWords['gists'] {
  const codes = (Object.keys(CODES) as Code[]).filter((code) => CODES[code].class === 'storage');
  return Object.fromEntries(codes.map((code) => [code, remedies()[code]]));
}

/** The words as a statement before the script of the page. They hold no run's text, and no `<` that could end the script. */
export function scriptOfWords(words: PageWords): string {
  return `var sallyportWords=${JSON.stringify(words).replaceAll('<', '\\u003c')};`;
}
