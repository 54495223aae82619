import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { consentCard, type Readable } from '../../../core/approval/card.ts';
import type { ConsentRequest } from '../../../workers/api.ts';
import { type ToldText, toldTexts } from '../../records/steps.ts';
import { linesOf } from '../../shared/json-lines.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { approval } from '../../texts/en/approval.ts';
import { indent, lex } from '../parts/json-lexer.ts';
import { shown } from '../parts/text.ts';
import type { View } from '../parts/view.ts';
import { approvalStyles, Question } from './approval.ts';

/**
 * Asks whether the data that this model has read may leave the device. Asked once for a run, before the first request
 * that would send it.
 */
class ConsentCard extends Question {
  static override styles: CSSResult[] = [
    shared,
    approvalStyles,
    css`
      #leaves pre {
        max-height: 16rem;
        overflow: auto;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      #leaves h3 {
        margin: 0.5rem 0 0.25rem;
      }
    `,
  ];

  /** The texts that would leave are unfolded. */
  readonly #isUnfolded: Signal<boolean> = signal(false);

  protected override view(): TemplateResult {
    const request = this.store.session.value?.view.value?.consent;
    this.hidden = request === undefined;
    return request === undefined ? html`` : this.#card(request);
  }

  /** The private texts that the model would be sent. */
  #text(): TemplateResult | string {
    const session = this.store.session.value;
    const { text: texts } = approval().consent;
    const said = toldTexts(session?.records.value ?? []);
    if (session === undefined || said.length === 0) return '';
    // a long run has many texts: they are read and drawn where a person asks for them
    const unfolded = this.#isUnfolded.value ? said : [];
    return html`<details id="leaves" ?open=${this.#isUnfolded.value} @toggle=${this.#unfold}><summary>${texts.show(said.length)}</summary>
      ${unfolded.map((each) => html`<h3>${texts.kinds[each.kind]}</h3><pre tabindex="0">${this.#read(session, each)}</pre>`)}
    </details>`;
  }

  readonly #unfold = (event: Event): void => {
    this.#isUnfolded.value = (event.target as HTMLDetailsElement).open;
  };

  #read(session: Session, { kind, ref }: ToldText): unknown {
    const payload = session.payload(ref);
    const { reading, missing } = approval().consent.text;
    if (payload.state !== 'there') return payload.state === 'loading' ? reading : missing;
    const text = new TextDecoder().decode(payload.bytes);
    return shown(kind === 'task' ? text : readable(text));
  }

  #card({ origin, bytes, bytes_max, digest }: ConsentRequest): TemplateResult {
    const { bound } = consentCard({ digest });
    const { consent: texts, digest: digestText } = approval();
    return html`<section aria-labelledby="ask">
      <h2 id="ask"><span class="wait">${icon('hand')}</span>${texts.title(shown(origin))}</h2>
      <div class="body" tabindex="0" role="group" aria-label=${texts.body}>
        <p>${texts.amount(bytes, bytes_max)}</p>
        ${this.#text()}
        <p>${texts.refusing}</p>
        <p class="soft">${texts.where}</p>
        <p class="soft digest">${digestText(digest)}</p>
      </div>
      <div class="actions">
        <button type="button" id="deny" aria-disabled=${this.watch.isInert} @click=${(event: UIEvent) => this.decide(event, 'no', bound, { approved: false, reason: '' })}>${texts.no}</button>
        <span class="space"></span>
        <button type="button" id="consent" class="primary" aria-disabled=${this.watch.hindrance !== undefined} @click=${(event: UIEvent) => this.decide(event, 'yes', bound, { approved: true })}>${texts.yes}</button>
      </div>
    </section>`;
  }

  protected override asked(): Readable | undefined {
    const request = this.store.session.peek()?.view.peek()?.consent;
    return request && consentCard(request);
  }
}

type Session = NonNullable<View['store']['session']['value']>;

/** A longer text is shown in its own lines alone. */
const INDENTED_MAX = 32_768;

/** The whole text. JSON is indented, and the texts in it are shown with their own lines. */
function readable(text: string): string {
  if (!/^\s*[{["]/u.test(text)) return text;
  const spread = text.length > INDENTED_MAX ? text : indent(lex(text)).map((token) => token.text);
  return linesOf([spread].flat().join(''));
}

customElements.define('sp-consent', ConsentCard);
