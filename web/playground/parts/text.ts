import { html, type TemplateResult } from 'lit';
import { visible } from '../../../core/index.ts';

/** A stranger's text as text: invisible characters are written out and marked. */
export function shown(text: string): readonly TemplateResult[] {
  return shownPieces(visible(text));
}

export function shownPieces(pieces: ReturnType<typeof visible>): readonly TemplateResult[] {
  return pieces.map((piece) =>
    'text' in piece ? html`${piece.text}` : html`<span class="hidden" title=${piece.name}>${piece.escape}</span>`,
  );
}

/** A hash, short enough to compare by eye; copying or pointing at it gives the whole hash. */
export function shortHash(hash: string): TemplateResult {
  return html`<span class="mono" title=${hash}>${hash.slice(0, 12)}…</span>`;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** Bytes as text for showing: whether they were UTF-8 at all is told beside it. */
export function showBytes(bytes: Uint8Array): { readonly text: string; readonly wellFormed: boolean } {
  try {
    return { text: utf8.decode(bytes), wellFormed: true };
  } catch {
    return { text: lenient.decode(bytes), wellFormed: false };
  }
}
