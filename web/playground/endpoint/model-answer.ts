import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { icon } from '../../style/icons.ts';
import { quoted } from '../../style/quoted.ts';
import { shared } from '../../style/shared.ts';
import { count, shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import type { ConnectedModel } from './endpoint.ts';

/** As much of an answer as is shown while it comes; the record has all of it. */
const SHOWN_MAX = 4000;

/** The remote model: its name, and its growing answer, as plain text only. */
export class Saying extends View {
  static override styles: CSSResult[] = [
    shared,
    quoted,
    css`
      .which {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
        margin-bottom: 0.5rem;
      }
      pre {
        max-height: 14rem;
        min-height: 5rem;
        margin-top: 0.375rem;
      }
      button {
        margin-top: 0.25rem;
      }
    `,
  ];

  protected override view(): TemplateResult {
    const connected = this.store.endpoint.connected.value;
    if (connected === undefined) {
      return html`<p>Any server that speaks the OpenAI form will do: Ollama, llama.cpp, LM Studio, vLLM.</p>
        <button type="button" id="connect" @click=${() => this.#ask()}>${icon('link')}Connect a model</button>`;
    }
    return html`<div class="which">
        <span><span class="mono">${shown(connected.name)}</span> <span class="soft">at ${connected.origin}${this.#counted()}</span></span>
        <button type="button" class="plain" @click=${() => this.#ask()}>Change</button>
      </div>
      ${this.#state(connected)}`;
  }

  #state({ model }: ConnectedModel): TemplateResult {
    const session = this.store.session.value;
    if (session?.run === undefined || session.view.value?.end !== undefined)
      return html`<p>This run is over. Start a new one, and the model proposes.</p>`;
    if (session.proposer?.elsewhere !== model) {
      return html`<p>A run names its model in its first record, and this one began without it.</p>
        <button type="button" id="begin" @click=${() => this.store.startRun()}>${icon('plus')}New run with this model</button>`;
    }
    return this.#said(session.proposer.saying.value);
  }

  /** The tokens that this run has used, as the server counts them. */
  #counted(): string {
    const { tokens } = this.store.session.value?.view.value ?? {};
    if (tokens === undefined) return '';
    return ` · ${count(tokens.input, 'token')} read, ${count(tokens.output, 'token')} written`;
  }

  #said(text: string | undefined): TemplateResult {
    if (text === undefined) return html`<p class="soft">Press Step: the model is asked for a proposal.</p>`;
    return html`<p class="soft">${text === '' ? 'Waiting for its first word' : `It has said ${count(text.length, 'character')}`}. Abort stops it.</p>
      <pre tabindex="0" role="region" aria-label="What the model is saying">${shown(text.slice(-SHOWN_MAX))}</pre>`;
  }

  #ask(): void {
    this.store.endpoint.asks.value = true;
  }

  /** The newest words stay in sight. */
  protected override updated(changed: Map<PropertyKey, unknown>): void {
    super.updated(changed);
    const said = this.renderRoot.querySelector('pre');
    said?.scrollTo(0, said.scrollHeight);
  }
}

customElements.define('sp-saying', Saying);
