import { html, type TemplateResult } from 'lit';
import { visibleText } from '../../core/index.ts';
import type { HeldPart } from '../../workers/api.ts';
import { heldText } from '../shared/held-text.ts';
import { fill } from '../texts/fill.ts';
import type { LastWords } from './show.ts';
import type { RunWords } from './words.ts';

/** Draws words with the held values that they name. Loaded with the first such words. */
export function drawnWith(parts: readonly HeldPart[]): LastWords {
  return (words) => parts.map((part) => partOf(part, words));
}

/** A held value is text in a box of its own, so that nobody takes it for the words of the model or of the page. */
function partOf(part: HeldPart, words: RunWords): TemplateResult | string {
  if (part.kind === 'text') return visibleText(part.text);
  const { handle, at, value, missing, labels, sources } = part;
  const about = fill(words.held, { handle });
  const title = [about, labels.map((label) => words[`label_${label}`]).join(', '), sources.join(', ')];
  const { text, more } = value === undefined ? { text: '', more: 0 } : heldText(value);
  return html`<span part="held" class="held" role="group" tabindex="0" aria-label=${about} title=${visibleText(title.filter((each) => each !== '').join(' · '))}><span class="handle">${visibleText(`${handle}${at}`)}</span> ${
    missing === undefined ? visibleText(text) : html`<em>${words[`held_${missing}`]}</em>`
  }${more === 0 ? '' : html` <em>${fill(words.held_more, { characters: more })}</em>`}</span>`;
}
