import { computed, type Signal, signal } from '@preact/signals-core';
import { type CSSResult, css, html, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { CapabilityRow } from '../../../workers/api.ts';
import { icon } from '../../style/icons.ts';
import { shared } from '../../style/shared.ts';
import { proposeForm as texts } from '../../texts/en/propose-form.ts';
import { shown } from '../parts/text.ts';
import { View } from '../parts/view.ts';
import { exampleArgs } from '../run/example-arguments.ts';
import { callText } from '../run/proposal.ts';
import { atFields, entryOf, type FormEntry, faultsOf, issuesIn, jsonText, replyTo } from './entry.ts';
import { fieldStyles, fieldView } from './field-view.ts';
import { type FormField, formOf } from './fields.ts';

/**
 * A form for the arguments of a capability. It writes a whole call into the draft, and stops writing when a person has
 * edited the draft by hand.
 */
class ProposeForm extends View {
  static override properties: PropertyDeclarations = { capability: { attribute: false } };
  static override styles: CSSResult[] = [
    shared,
    fieldStyles,
    css`
      :host {
        padding: 0.5rem 0;
        overflow-wrap: anywhere;
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 0.5rem;
      }
      header h4 {
        flex: 1;
        margin: 0;
        font-size: 1rem;
      }
      .edited {
        margin-top: 0.5rem;
        padding: 0.5rem 0.75rem;
        border: 1px solid var(--wait);
        border-radius: var(--radius-small);
        background: var(--wait-wash);
      }
    `,
  ];
  declare capability: CapabilityRow;
  readonly #form: Signal<{ readonly field: FormField; readonly entry: FormEntry } | undefined> = signal(undefined);
  /** The text that the form has written into the draft. */
  readonly #written: Signal<string | undefined> = signal<string | undefined>(undefined);
  readonly #isEdited: { readonly value: boolean } = computed(() => this.store.draft.value !== this.#written.value);

  override connectedCallback(): void {
    super.connectedCallback();
    const { args, name } = this.capability;
    const field = formOf(args);
    this.#form.value = { field, entry: entryOf(field, exampleArgs(name, args, this.store.scenarios)) };
    this.#write();
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('input, select, textarea')?.focus());
  }

  protected override view(): TemplateResult {
    const form = this.#form.value;
    if (form === undefined) return html``;
    const reply = replyTo(this.store.session.value, this.#written.value);
    const faults = new Map([...atFields(form.field, form.entry, issuesIn(reply)), ...faultsOf(form.field, form.entry)]);
    const change = (entry: FormEntry): void => this.#change({ ...form, entry });
    const place = { label: texts().arguments, id: 'f', pointer: '', faults, change };
    return html`<header>
        <h4 class="mono">${shown(this.capability.name)}</h4>
        <button type="button" class="plain" id="back" @click=${() => this.#back()}>${icon('list')}${texts().allTools}</button>
      </header>
      <p>${shown(this.capability.description)}</p>
      ${this.#isEdited.value ? this.#edited() : ''}
      <div class="form">${isEmpty(form.field) ? html`<p class="soft">${texts().noArguments}</p>` : ''}${fieldView(form.field, form.entry, place)}</div>`;
  }

  #edited(): TemplateResult {
    return html`<div class="edited" role="status">
      <p>${texts().edited}</p>
      <button type="button" id="write" @click=${() => this.#write()}>${icon('pen')}${texts().write}</button>
    </div>`;
  }

  #change(next: { readonly field: FormField; readonly entry: FormEntry }): void {
    const follows = !this.#isEdited.value;
    this.#form.value = next;
    if (follows) this.#write();
  }

  /** A form with a fault leaves the draft as it is. */
  #write(): void {
    const form = this.#form.peek();
    const args = form && jsonText(form.field, form.entry);
    if (args === undefined) return;
    const text = callText(this.store.scenario.dialect, this.capability.name, args);
    this.#written.value = text;
    this.store.draftUndo.put(text);
  }

  #back(): void {
    this.dispatchEvent(new Event('sp-back', { bubbles: true, composed: true }));
  }
}

function isEmpty(field: FormField): boolean {
  return field.kind === 'object' && field.members.length === 0;
}

customElements.define('sp-propose-form', ProposeForm);
