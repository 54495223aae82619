import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { setup } from '../../texts/en/setup.ts';
import type { DraftUndo } from './draft-undo.ts';

/** Offers the typed text that the page has replaced. `undo` is called by the button. */
export function replacedText({ replaced }: DraftUndo, undo: () => void): TemplateResult {
  const isKept = replaced.value !== undefined;
  const { composer: texts } = setup();
  return html`<div class="replaced">
    <span class="soft" role="status">${isKept ? texts.replaced : ''}</span>
    ${isKept ? html`<button type="button" class="plain undo" @click=${undo}>${icon('reply')}${texts.undo}</button>` : ''}
  </div>`;
}

/** True if the keys that undo a change bring the replaced text back: while the text of the page is as it was put. */
export function bringsBack({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent, undo: DraftUndo): boolean {
  return key.toLowerCase() === 'z' && (ctrlKey || metaKey) && !shiftKey && !altKey && undo.isFresh();
}

export const replacedStyles: CSSResult = css`
  .replaced {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
  }
`;
