import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { SERVER_PRESETS, type ServerName } from '../../index.ts';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { endpointDialog } from '../../texts/en/endpoint-dialog.ts';
import { prices } from '../../texts/en/prices.ts';
import { AskedDialog } from '../parts/asked-dialog.ts';
import { whyText } from '../parts/page-error.ts';
import '../parts/price-fields.ts';
import { shown } from '../parts/text.ts';
import type { EndpointFinding } from './endpoint.ts';
import { type EndpointForm, modelIdOf } from './endpoint.ts';

const MODELS_SHOWN = 200;

const SERVERS: { readonly [S in ServerName]: string } = {
  ollama: 'Ollama',
  'llama.cpp': 'llama.cpp',
  'lm-studio': 'LM Studio',
  vllm: 'vLLM',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  mistral: 'Mistral',
  groq: 'Groq',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  openrouter: 'OpenRouter',
};

/** The address of a remote model. This device keeps the address and the name; the key stays in this tab's memory. */
export class EndpointDialog extends AskedDialog {
  static override styles: CSSResult[] = [
    shared,
    dialogStyles,
    css`
      form {
        display: grid;
        gap: 0.875rem;
      }
      label {
        display: grid;
        gap: 0.25rem;
        font-weight: 650;
      }
      label .soft,
      label input {
        font-weight: 400;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      .space {
        flex: 1;
      }
      [role='status'] {
        display: grid;
        gap: 0.5rem;
        overflow-wrap: anywhere;
      }
      [role='status'] p {
        display: flex;
        align-items: baseline;
        gap: 0.5rem;
      }
      [role='status'] svg {
        align-self: start;
        margin-top: 0.125rem;
      }
      .check {
        display: flex;
        align-items: baseline;
        gap: 0.5rem;
        font-weight: 400;
      }
      .check input {
        width: auto;
        min-height: 0;
      }
      .models {
        max-height: 12rem;
        overflow: auto;
        display: flex;
        flex-wrap: wrap;
        gap: 0.375rem;
      }
      .models button {
        min-height: 2rem;
        padding: 0.125rem 0.625rem;
      }
    `,
  ];

  protected override isAsked(): boolean {
    return this.store.endpoint.asks.value;
  }

  protected override take(): void {
    this.store.endpoint.asks.value = false;
  }

  protected override contents(): TemplateResult {
    const { endpoint } = this.store;
    const testing = endpoint.finding.value === 'testing';
    const texts = endpointDialog();
    return html`<dialog aria-labelledby="title">
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      <form @input=${() => this.#edited()} @submit=${(event: SubmitEvent) => void this.#connect(event)}>
        <label>${texts.server}<select id="server" @change=${() => this.#preset()}>
          <option value="">${texts.otherServer}</option>
          ${Object.entries(SERVERS).map(([name, words]) => html`<option value=${name}>${words}</option>`)}
        </select></label>
        <label>${texts.base}<input id="base" type="url" autofocus required inputmode="url" spellcheck="false" placeholder="http://localhost:11434/v1" aria-describedby="base-hint" /><span class="soft" id="base-hint">${texts.baseHint}</span></label>
        <label>${texts.model}<input id="model" required spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="qwen3:8b" /></label>
        <details><summary>${prices().summary}</summary><sp-price .model=${this.#named.value}></sp-price></details>
        <label>${texts.key}<input id="key" type="password" autocomplete="off" aria-describedby="key-hint" /><span class="soft" id="key-hint">${texts.keyHint}</span></label>
        <label class="check"><input id="native" type="checkbox" /><span>${texts.native}<span class="soft">${texts.nativeHint}</span></span></label>
        <div role="status">${this.#finding(endpoint.finding.value)}</div>
        <div class="actions">
          <button type="button" id="list" aria-disabled=${testing} @click=${() => testing || void this.#list()}>${icon('link')}${texts.list}</button>
          <button type="button" id="test" aria-disabled=${testing} @click=${() => testing || void this.#test()}>${icon('shield')}${texts.test}</button>
          <span class="space"></span>
          <button type="submit" class="primary">${texts.use}</button>
        </div>
        <p class="soft">${texts.gates}</p>
      </form>
    </dialog>`;
  }

  #finding(finding: EndpointFinding | 'testing' | undefined): TemplateResult {
    if (finding === undefined) return html``;
    const texts = endpointDialog();
    if (finding === 'testing') return html`<p class="soft">${texts.asking}</p>`;
    const { tone, text, error, models = [], suggestion } = finding;
    return html`<p class=${tone}>${icon(tone === 'good' ? 'check' : 'cross')}<span>${text === undefined ? '' : shown(text())} ${error === undefined ? '' : whyText(error)}</span></p>
      ${suggestion === undefined ? '' : html`<div><button type="button" @click=${() => this.#fill('#base', suggestion)}>${texts.useAddress(suggestion)}</button></div>`}
      ${models.length === 0 ? '' : html`<div class="models">${models.slice(0, MODELS_SHOWN).map((name) => html`<button type="button" class="mono" @click=${() => this.#fill('#model', name)}>${shown(name)}</button>`)}</div>`}`;
  }

  /** Enters the address and the form of the chosen server. */
  #preset(): void {
    const server = this.#server();
    if (server === undefined) return;
    const { baseUrl, tools } = SERVER_PRESETS[server];
    this.#field('#base').value = baseUrl;
    this.#name();
    this.#field('#native').checked = tools === 'native';
  }

  /** The name that records give to the entered model: its price is set under it. */
  readonly #named: Signal<string | undefined> = signal(undefined);

  #name(): void {
    this.#named.value = modelIdOf(this.#form());
  }

  /** An answer is about the form as it was. */
  #edited(): void {
    if (this.store.endpoint.finding.peek() !== undefined) this.store.endpoint.forget();
    this.#name();
  }

  /** The entries of the last model on this device. The key is not among them. */
  protected override firstUpdated(): void {
    const last = this.store.endpoint.last.peek();
    if (last === undefined) return;
    (this.renderRoot.querySelector('#server') as HTMLSelectElement).value = last.server ?? '';
    this.#field('#base').value = last.baseUrl;
    this.#field('#model').value = last.model;
    this.#field('#native').checked = last.native;
    this.#name();
  }

  #server(): ServerName | undefined {
    const { value } = this.renderRoot.querySelector<HTMLSelectElement>('#server') as HTMLSelectElement;
    return value === '' ? undefined : (value as ServerName);
  }

  #fill(field: string, text: string): void {
    const input = this.#field(field);
    input.value = text;
    this.#name();
    input.focus();
  }

  async #test(): Promise<void> {
    const form = this.renderRoot.querySelector('form');
    if (form?.reportValidity() === true) await this.store.endpoint.test(this.#form());
    else this.store.endpoint.forget();
  }

  /** The names are asked for before a model is entered. */
  async #list(): Promise<void> {
    if (this.#field('#base').reportValidity()) await this.store.endpoint.list(this.#form());
    else this.store.endpoint.forget();
  }

  async #connect(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!(await this.store.endpoint.connect(this.#form()))) return;
    this.#field('#key').value = '';
    this.dialog?.close();
    this.store.models.kind.value = 'server';
    this.store.choose('model');
    this.dispatchEvent(new Event('sp-settled', { bubbles: true, composed: true }));
  }

  #form(): EndpointForm {
    const text = (field: string): string => this.#field(field).value.trim();
    const baseUrl = text('#base').replace(/\/+$/u, '');
    const native = this.#field('#native').checked;
    return { baseUrl, model: text('#model'), apiKey: text('#key'), server: this.#server(), native };
  }

  #field(selector: string): HTMLInputElement {
    return this.renderRoot.querySelector<HTMLInputElement>(selector) as HTMLInputElement;
  }
}

customElements.define('sp-endpoint', EndpointDialog);
