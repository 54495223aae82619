import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { type Bodies, type PayloadRef, payloadRefs } from '../../../core/index.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { inspectorParts } from '../../texts/en/inspector-parts.ts';
import { shortHash, showBytes, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { find } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';

type Expansion = Bodies['receipt']['receipt']['expanded'][number];

/** The windows of content that a step was given: which, how much, and exactly the text, by its hash. */
export class Slices extends View {
  static override styles: CSSResult[] = [
    shared,
    quoted,
    css`
      li + li {
        margin-top: 1.25rem;
        padding-top: 1.25rem;
        border-top: 1px solid var(--line);
      }
      pre {
        max-height: 24rem;
        margin-top: 0.5rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const texts = inspectorParts().slices;
    const session = this.store.session.value;
    const receipt = find(this.store.selection.group.value, 'receipt')?.body;
    const expanded = receipt?.receipt.expanded ?? [];
    if (session === undefined || receipt === undefined || expanded.length === 0)
      return html`<p class="soft">${receipt === undefined ? texts.noStep : texts.none}</p>`;
    const spent = receipt.evidence.spent;
    const refs = new Map(payloadRefs({ body: receipt }).map((ref) => [ref.sha256, ref]));
    return html`<ol>${expanded.map((each) => this.#slice(session, each, refs.get(each.content_hash)))}</ol>
      ${spent === undefined ? '' : html`<p class="soft">${texts.charged(spent.bytes, spent.sections, spent.expands)}</p>`}`;
  }

  #slice(
    session: RunSession,
    { symbol_or_section_id: name, slice, content_hash }: Expansion,
    ref: PayloadRef = { sha256: content_hash, bytes: 0 },
  ): TemplateResult {
    const texts = inspectorParts().slices;
    const payload = session.payload(ref);
    const hash = shortHash(content_hash);
    return html`<li>
      <h3 class="mono">${name} <span class="soft">${slice}</span></h3>
      <p class="soft">${payload.state === 'there' ? texts.bytesAndHash(payload.bytes.length, hash) : texts.hash(hash)}</p>
      ${payload.state === 'there' ? html`<pre tabindex="0" role="region" aria-label=${texts.gave(name)}>${shown(showBytes(payload.bytes).text)}</pre>` : payload.state === 'missing' ? html`<p>${texts.erased}</p>` : ''}
    </li>`;
  }
}

customElements.define('sp-slices', Slices);
