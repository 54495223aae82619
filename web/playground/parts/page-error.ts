import { html, type TemplateResult } from 'lit';
import { sentenceOf } from '../../shared/error-text.ts';
import { shown } from './text.ts';

/** A failure that the page found itself. `text` is its reason, in the language of the interface at the moment. */
export class PageError extends Error {
  readonly text: () => string;

  constructor(text: () => string, options: ErrorOptions = {}) {
    super(text(), options);
    this.text = text;
  }
}

/** The reason of a failure as plain text. */
export function reasonOf(error: unknown): string {
  return error instanceof PageError ? error.text() : sentenceOf(error);
}

/**
 * The reason of a failure, for a person. A reason of the kernel or the browser stays as it came: it is marked as
 * English, and its invisible characters are written out.
 */
export function whyText(error: unknown): TemplateResult {
  if (error instanceof PageError) return html`${shown(reasonOf(error))}`;
  return html`<span lang="en">${shown(reasonOf(error))}</span>`;
}
