import { html, type TemplateResult } from 'lit';
import { speech } from './area.ts';

/** An English text of a record, of the kernel or of the documentation: marked as English on a page in another language. */
export function inEnglish(text: string): TemplateResult | string {
  return speech().language === 'en' ? text : html`<span lang="en">${text}</span>`;
}

/** A recorded English text, drawn. On a page in another language its gist in that language comes before it. */
export function withGist(recorded: unknown, gist: string): TemplateResult {
  return speech().language === 'en' ? html`${recorded}` : html`${gist} <span lang="en">${recorded}</span>`;
}

/** A recorded English sentence; on a page in another language without the advice of its code, which its gist has said. */
export function withoutAdvice(recorded: string, advice: string): string {
  return speech().language === 'en' ? recorded : recorded.replace(advice, '').trimEnd();
}
