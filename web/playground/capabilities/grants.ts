import { type Signal, signal } from '@preact/signals-core';
import { type CSSResult, html, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { decode, encodeText, type Grant, isObject, type JsonObject } from '../../../core/index.ts';
import type { CapabilityRow, GrantOption } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { MODES } from '../parts/grant-modes.ts';
import { grantsStyles } from './grants-style.ts';
import '../parts/json-text.ts';
import { count } from '../parts/text.ts';
import { View } from '../parts/view.ts';

type Mode = Grant['mode'];

/** The grants of a capability, and a form to add a grant, for the runs that start from then on. */
export class Grants extends View {
  static override properties: PropertyDeclarations = { capability: { attribute: false } };
  static override styles: CSSResult[] = [shared, grantsStyles];
  declare capability: CapabilityRow;
  readonly #mode: Signal<Mode> = signal<Mode>('ask');
  readonly #said: Signal<{ readonly bad: boolean; readonly text: string } | undefined> = signal(undefined);

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.get('capability') !== undefined && changed.get('capability')?.hash !== this.capability.hash)
      this.#said.value = undefined;
  }

  protected override view(): TemplateResult {
    const { name, hash } = this.capability;
    const own = this.store.catalogue.grants.value.filter(({ capability_hash }) => capability_hash === hash);
    return html`<h2>Grants <span class="soft">· for runs that start from now on; revoked at once</span></h2>
      ${own.length === 0 ? html`<p class="none">${icon('barrier')}<span>None. Every call of <span class="mono">${name}</span> is denied, even if it is valid.</span></p>` : html`<ul>${own.map((grant) => this.#grant(grant))}</ul>`}
      <details ?open=${own.length === 0}><summary>${own.length === 0 ? 'Grant it' : 'Another grant'}</summary>${this.#form()}</details>
      <p class="said ${this.#said.value?.bad === true ? 'bad' : 'good'}" role="status">${this.#said.value?.text ?? ''}</p>`;
  }

  #grant({ id, mode, uses, where, expires }: Grant): TemplateResult {
    const terms = [
      ...(uses === undefined ? [] : [`${count(uses, 'call')} in a run`]),
      ...(expires === undefined ? [] : [`until ${new Date(expires).toLocaleString()}`]),
      ...(where === undefined ? [] : ['only where the arguments fit']),
    ];
    return html`<li>
      <span class="what"><span class=${MODES[mode].tone}>${icon(MODES[mode].icon)}</span>
        <span><strong>${MODES[mode].word}</strong>${terms.map((term) => html` <span class="soft">· ${term}</span>`)}</span></span>
      <button type="button" class="plain" @click=${() => void this.#do('The grant is gone.', this.store.catalogue.revoke(id))}>Revoke</button>
      ${where === undefined ? '' : html`<sp-json .text=${JSON.stringify(where)} label="Schema that the arguments must fit"></sp-json>`}
    </li>`;
  }

  #form(): TemplateResult {
    const submit = (event: SubmitEvent): void => {
      event.preventDefault();
      this.#give(new FormData(event.target as HTMLFormElement));
    };
    return html`<form @submit=${submit}>
      <fieldset><legend>When a proposal names it</legend>
        ${(Object.keys(MODES) as Mode[]).map((mode) => this.#choice(mode))}
      </fieldset>
      <label>Calls in a run, at most<input name="uses" type="number" min="1" max="10000" step="1" placeholder="no limit" /></label>
      <label class="wide">Only where the arguments fit this JSON Schema too
        <textarea name="where" rows="3" spellcheck="false" placeholder='{"properties":{"name":{"maxLength":20}}}'></textarea></label>
      <button type="submit" id="grant" class="primary">${icon('key')}Grant</button>
    </form>`;
  }

  #choice(mode: Mode): TemplateResult {
    const words = { ask: 'Ask me, every time', allow: 'Allow it', deny: 'Deny it, even if another grant allows it' };
    const take = (): void => {
      this.#mode.value = mode;
    };
    return html`<label class="mode"><input type="radio" name="mode" value=${mode} .checked=${this.#mode.value === mode} @change=${take} />${words[mode]}</label>`;
  }

  /** The form's text is parsed as strictly as any other input. */
  #give(form: FormData): void {
    const uses = typed(form, 'uses');
    const where = readWhere(typed(form, 'where'));
    if (typeof where === 'string') {
      this.#said.value = { bad: true, text: `Not granted: ${where}` };
      return;
    }
    const option: GrantOption & { capability: string } = {
      capability: this.capability.name,
      mode: this.#mode.peek(),
      ...(uses === '' ? {} : { uses: Number(uses) }),
      ...(where === undefined ? {} : { where }),
    };
    void this.#do('Granted. Runs that start from now on have it.', this.store.catalogue.grant(option));
  }

  async #do(done: string, act: Promise<void>): Promise<void> {
    try {
      await act;
      this.#said.value = { bad: false, text: done };
    } catch (error) {
      this.#said.value = { bad: true, text: `Not granted: ${sentenceOf(error)}` };
    }
  }
}

function typed(form: FormData, name: string): string {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
}

/** A schema, undefined for an empty text, or the fault as text. */
function readWhere(text: string): JsonObject | string | undefined {
  if (text.trim() === '') return undefined;
  const decoded = decode(encodeText(text));
  if (!decoded.ok) return decoded.refusal.message;
  return isObject(decoded.value) ? decoded.value : 'a schema is an object, as { "properties": … }.';
}

customElements.define('sp-grants', Grants);
