import { type CSSResult, css, html, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { shell } from '../../texts/en/shell.ts';
import '../parts/elapsed.ts';
import { saved } from '../parts/save-file.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import './newer.ts';
import { whereabouts } from './page-title.ts';

/** Long enough to be read, and to be looked for in the downloads. */
const SAVED_MS = 10_000;

/** A line about the current activity, announced politely; a question for a person interrupts, once. */
class StatusLine extends View {
  static override styles: CSSResult[] = [
    shared,
    css`
      div {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        min-height: 2.5rem;
        padding: 0.25rem 1rem;
      }
      div > .soft,
      [role='status']:not(:empty) {
        margin-right: 0.375rem;
      }
      .space {
        flex: 1;
      }
      sp-elapsed {
        margin-left: 0.375rem;
        font-variant-numeric: tabular-nums;
      }
      .docs {
        flex: none;
        margin-left: 0.5rem;
        padding: 0.25rem 0.5rem;
      }
      button {
        flex: none;
        margin-left: 0.75rem;
        min-height: 1.75rem;
        padding: 0 0.5rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const { status, trouble, view, session } = this.store;
    const { sentence, keyHint, tone, isRunning, isAsking } = status.value;
    const texts = shell().status;
    const urgent = tone === 'wait' && status.value.icon === 'hand';
    return html`<div>
      ${view.value === 'run' || !this.#tellsRun() ? '' : html`<span class="soft">${texts.run}</span>`}
      <span role="status">${urgent ? '' : this.#saying(sentence)}</span>
      ${isRunning ? html`<sp-elapsed class="soft" .of=${`${session.value?.view.value?.steps} ${sentence} ${session.value?.proposer?.saying.value?.length}`}></sp-elapsed>` : ''}
      ${isAsking ? html`<button type="button" id="cancel" title=${texts.cancelTitle} @click=${() => this.store.cancelRequest()}>${texts.cancel}</button>` : ''}
      <span role="alert">${urgent ? sentence : ''} ${keyHint === undefined ? '' : html`<span class="keyed">${keyHint}</span>`} ${shown(trouble.value ?? '')}</span>
      ${trouble.value === undefined ? '' : html`<button type="button" class="plain" aria-label=${texts.dismiss} @click=${() => this.#dismiss()}>${icon('close')}</button>`}
      <sp-newer .store=${this.store}></sp-newer>
      <span class="space"></span>
      <button type="button" class="plain" @click=${() => this.dispatchEvent(new Event('sp-help', { bubbles: true, composed: true }))}><span class="keyed">${texts.keys()}</span><span class="touched">${texts.help}</span></button>
      <a class="docs" href="docs/index.html" hreflang="en">${texts.docs}</a>
    </div>`;
  }

  /**
   * In the other views the run is mentioned only while it moves or asks a person. A run that stands still until a person
   * proposes is not mentioned: a lesson asks the same of the reader, for a run of its own.
   */
  #tellsRun(): boolean {
    const { tone, icon, isRunning = false } = this.store.status.value;
    return isRunning || (tone === 'wait' && icon !== 'pen' && icon !== 'ready');
  }

  #saying(sentence: string): string {
    const file = saved.value;
    if (file !== undefined) return shell().status.saved(file.name, file.bytes);
    return this.store.view.value === 'run' || this.#tellsRun() ? sentence : whereabouts(this.store);
  }

  #forget: ReturnType<typeof setTimeout> | undefined;

  /** A download is told of for a while, and then the run again. */
  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.toggleAttribute('asking', this.store.status.peek().isAsking === true);
    const file = saved.peek();
    if (file === this.#told) return;
    this.#told = file;
    clearTimeout(this.#forget);
    if (file !== undefined) this.#forget = setTimeout(() => void (saved.value = undefined), SAVED_MS);
  }
  #told: unknown;

  #dismiss(): void {
    this.store.trouble.value = undefined;
  }
}

customElements.define('sp-status', StatusLine);
