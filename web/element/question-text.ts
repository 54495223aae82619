import { html, type TemplateResult } from 'lit';
import type { Span } from '../../core/approval/card.ts';
import type { visible } from '../../core/index.ts';

/** A stranger's text, its unseen characters as marks. */
export function drawPieces(pieces: ReturnType<typeof visible>): readonly (string | TemplateResult)[] {
  return pieces.map((piece) => ('text' in piece ? piece.text : html`<mark title=${piece.name}>${piece.escape}</mark>`));
}

/** Text with strings, each in a direction of its own. */
export function drawSpans(spans: readonly Span[]): readonly unknown[] {
  return spans.map(({ isString, pieces }) => (isString ? html`<bdi>${drawPieces(pieces)}</bdi>` : drawPieces(pieces)));
}
