import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { dialogStyles } from '../../style/dialog.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { type CopyCodeTexts, copyCode } from '../../texts/en/copy-code.ts';
import { AskedDialog } from '../parts/asked-dialog.ts';
import { CODE_PLACES, type CodePlace, codeAsks } from '../parts/dialog-asks.ts';
import { saveFile } from '../parts/save-file.ts';
import { shown } from '../parts/text.ts';
import type { CopiedSetup } from './copied-setup.ts';
import { setupOf } from './copied-setup.ts';
import { type CopiedFile, formatEmbed } from './formats/embed-code.ts';
import { formatNodeCode } from './formats/node-code.ts';
import { formatPageCode } from './formats/page-code.ts';

const FILES: { readonly [P in CodePlace]: (setup: CopiedSetup) => readonly CopiedFile[] } = {
  node: (setup) => [{ name: 'agent.mjs', text: formatNodeCode(setup) }],
  page: (setup) => [{ name: 'agent.ts', text: formatPageCode(setup) }],
  embed: formatEmbed,
};

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html',
  json: 'application/json',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/plain',
};

/** The setup of the open run as code: for Node, for a page with a bundler, or for a page with the element. */
export class CodeDialog extends AskedDialog {
  static override get styles(): CSSResult[] {
    return [shared, dialogStyles, codeStyles];
  }
  readonly #place: Signal<CodePlace> = signal('node');
  readonly #said: Signal<string> = signal('');
  /** The code follows the setup while the dialog is open. */
  readonly #isOpen: Signal<boolean> = signal(false);

  protected override isAsked(): boolean {
    return codeAsks.value !== undefined;
  }

  protected override take(): void {
    this.#place.value = codeAsks.peek() ?? this.#place.peek();
    this.#isOpen.value = true;
    codeAsks.value = undefined;
  }

  protected override contents(): TemplateResult {
    const texts = copyCode();
    const place = this.#place.value;
    const setup = this.#isOpen.value ? setupOf(this.store) : undefined;
    return html`<dialog aria-labelledby="title" @close=${() => this.#closed()}>
      <div class="head">
        <h2 id="title">${texts.title}</h2>
        <button type="button" class="plain" aria-label=${texts.close} @click=${() => this.dialog?.close()}>${icon('close')}</button>
      </div>
      <p>${texts.intro}</p>
      <fieldset>
        <legend>${texts.where}</legend>
        ${CODE_PLACES.map((each) => html`<label><input type="radio" name="place" id="for-${each}" .checked=${each === place} @change=${() => this.#turn(each)} />${texts.places[each]}</label>`)}
      </fieldset>
      ${setup === undefined ? html`<p class="soft">${texts.waits}</p>` : this.#files(setup, place, texts)}
      <p role="status">${shown(this.#said.value)}</p>
    </dialog>`;
  }

  #files(setup: CopiedSetup, place: CodePlace, texts: CopyCodeTexts): TemplateResult {
    return html`${this.#notes(setup, place, texts).map((note) => html`<p class="note">${shown(note)}</p>`)}
      ${FILES[place](setup).map((file) => this.#file(file, texts))}
      ${place === 'embed' ? html`<p class="soft" id="headers">${texts.headers()}</p>` : ''}`;
  }

  /** What the code cannot hold. */
  #notes({ proposer, left, dialect }: CopiedSetup, place: CodePlace, texts: CopyCodeTexts): readonly string[] {
    const isModel = this.store.chosen.value === 'model' && proposer.kind === 'person';
    const inElement = place === 'embed';
    return [
      ...(isModel && !inElement ? [texts.person] : []),
      ...(inElement && proposer.kind === 'person' ? [texts.noScript] : []),
      ...(inElement && dialect === 'catalytic' ? [texts.papers] : []),
      ...(left.length === 0 ? [] : [texts.left(left.join(', '))]),
    ];
  }

  #file(file: CopiedFile, texts: CopyCodeTexts): TemplateResult {
    const { name, text } = file;
    return html`<section data-file=${name}>
      <div class="name">
        <h3 class="mono">${name}</h3>
        <div class="actions">
          <button type="button" aria-label=${texts.copyFile(name)} @click=${() => void this.#copy(file)}>${icon('copy')}${texts.copy}</button>
          <button type="button" aria-label=${texts.saveFile(name)} @click=${() => this.#save(file)}>${icon('download')}${texts.save}</button>
        </div>
      </div>
      <pre tabindex="0" role="region" aria-label=${name}>${text}</pre>
    </section>`;
  }

  #turn(place: CodePlace): void {
    this.#place.value = place;
    this.#said.value = '';
  }

  async #copy({ name, text }: CopiedFile): Promise<void> {
    this.#said.value = await navigator.clipboard.writeText(text).then(
      () => copyCode().copied(name),
      () => copyCode().notCopied,
    );
  }

  #save({ name, text }: CopiedFile): void {
    saveFile(name, text, TYPES[name.slice(name.lastIndexOf('.') + 1)]);
    this.#said.value = copyCode().saved(name);
  }

  #closed(): void {
    // It may have been opened again before it heard that it was closed.
    if (this.dialog?.open === true) return;
    this.#isOpen.value = false;
    this.#said.value = '';
  }
}

const codeStyles: CSSResult = css`
  dialog {
    width: min(52rem, calc(100vw - 2rem));
    overflow-y: auto;
  }
  dialog > * + * {
    margin-top: 0.875rem;
  }
  fieldset {
    display: grid;
    gap: 0.25rem;
    min-width: 0;
    margin-inline: 0;
    padding: 0.5rem 1rem 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
  }
  legend {
    padding: 0 0.25rem;
    font-weight: 650;
  }
  label {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2rem;
  }
  label input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .name {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0.25rem 0.5rem;
  }
  .name h3 {
    flex: 1;
  }
  .actions {
    display: flex;
    gap: 0.5rem;
  }
  pre {
    max-height: 22rem;
    overflow: auto;
    margin-top: 0.375rem;
    padding: 0.75rem;
    border: 1px solid var(--line);
    border-radius: var(--radius-small);
    background: var(--sunk);
    font: 0.8125rem / 1.5 var(--mono);
    font-variant-ligatures: none;
    tab-size: 2;
  }
  p {
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--mono);
    font-size: 0.875em;
  }
`;

customElements.define('sp-code-copy', CodeDialog);
