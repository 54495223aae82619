import { type CSSResult, css, html, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { icon } from '../../style/icons.ts';
import { proposeForm as texts } from '../../texts/en/propose-form.ts';
import { shown } from '../parts/text.ts';
import { entryOf, type FormEntry, stepOf } from './entry.ts';
import type { FormField, FormMember } from './fields.ts';

/** Of the fields, in an element with the class `form`. */
export const fieldStyles: CSSResult = css`
  .form,
  .form [role='group'],
  fieldset {
    display: grid;
    gap: 0.75rem;
    min-width: 0;
  }
  .form {
    margin-top: 0.5rem;
  }
  fieldset {
    margin: 0;
    padding: 0.25rem 0.75rem 0.75rem;
    border: 1px solid var(--edge);
    border-radius: var(--radius-small);
  }
  legend {
    padding: 0 0.25rem;
  }
  legend,
  .field label {
    font-family: var(--mono);
    font-variant-ligatures: none;
  }
  .field textarea.text {
    font-family: inherit;
  }
  [aria-invalid='true'] {
    border-color: var(--bad);
  }
  .notes:empty,
  .notes:not(:has(p)) {
    display: none;
  }
  .fault {
    display: flex;
    gap: 0.375rem;
  }
  .include {
    display: flex;
    align-items: center;
    gap: 0.625rem;
    min-height: 2.25rem;
    cursor: pointer;
  }
  .include input {
    flex: none;
    width: 1.25rem;
    min-height: 1.25rem;
    height: 1.25rem;
    margin: 0;
    accent-color: var(--accent);
  }
  .item {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: start;
    gap: 0.25rem;
  }
  .remove {
    min-width: 2.5rem;
    padding: 0.375rem;
  }
  .add {
    justify-self: start;
    max-width: 100%;
    white-space: normal;
    text-align: left;
  }
`;

type FieldOf<K extends FormField['kind']> = Extract<FormField, { readonly kind: K }>;
type EntryOf<K extends FormEntry['kind']> = Extract<FormEntry, { readonly kind: K }>;

/** A field on the page, with the text of its faults. */
interface FieldPlace {
  readonly label: string;
  /** Unique in the form, and without the characters of a stranger. */
  readonly id: string;
  readonly pointer: string;
  readonly faults: ReadonlyMap<string, string>;
  change(entry: FormEntry): void;
}

/** A field with its label, its hints and its fault, and the fields within it. */
export function fieldView(field: FormField, entry: FormEntry, place: FieldPlace): TemplateResult {
  if (field.kind === 'object' && entry.kind === 'object') return group(field, place, members(field, entry, place));
  if (field.kind === 'list' && entry.kind === 'list') return group(field, place, list(field, entry, place));
  return entry.kind === 'leaf' ? leafView(field, entry, place) : html``;
}

function leafView(field: FormField, { text }: EntryOf<'leaf'>, place: FieldPlace): TemplateResult {
  const { id, label } = place;
  return html`<div class="field">
    <label for=${id}>${shown(label)}${field.kind === 'json' ? html` <span class="soft">${texts().asJson}</span>` : ''}</label>
    ${input(field, text, place)}
    ${notes(field, place)}
  </div>`;
}

function input(field: FormField, text: string, place: FieldPlace): TemplateResult {
  const { id, faults, pointer, change } = place;
  const invalid = faults.has(pointer) ? 'true' : 'false';
  const take = (event: Event): void =>
    change({ kind: 'leaf', text: (event.target as HTMLInputElement | HTMLSelectElement).value });
  if (field.kind === 'choice')
    return html`<select id=${id} aria-describedby="${id}-notes" aria-invalid=${invalid} @change=${take}>
      ${field.choices.map((each) => option(JSON.stringify(each), typeof each === 'string' ? each : undefined, text))}
    </select>`;
  if (field.kind === 'json' || (field.kind === 'text' && field.isLong))
    return html`<textarea id=${id} rows="2" class=${field.kind} spellcheck="false" aria-describedby="${id}-notes" aria-invalid=${invalid} .value=${live(text)} @input=${take}></textarea>`;
  const mode = field.kind === 'number' ? 'decimal' : 'text';
  return html`<input id=${id} inputmode=${mode} autocomplete="off" spellcheck="false" aria-describedby="${id}-notes" aria-invalid=${invalid} .value=${live(text)} @input=${take} />`;
}

function option(text: string, words: string | undefined, selected: string): TemplateResult {
  return html`<option value=${text} .selected=${live(text === selected)}>${shown(words === undefined || words === '' ? text : words)}</option>`;
}

function notes({ hints, description }: FormField, { id, faults, pointer }: FieldPlace): TemplateResult {
  const fault = faults.get(pointer);
  const words = [description, hints.join(', ')].filter((each) => each !== undefined && each !== '').join(' · ');
  return html`<div id="${id}-notes" class="notes">
    ${words === '' ? '' : html`<p class="soft">${shown(words)}</p>`}
    ${fault === undefined ? '' : html`<p class="bad fault">${icon('cross')}<span>${shown(fault)}</span></p>`}
  </div>`;
}

/** The arguments themselves are a group without a frame. */
function group(field: FormField, place: FieldPlace, inner: unknown): TemplateResult {
  const { id, label, pointer } = place;
  if (pointer === '') return html`<div role="group" aria-label=${label}>${notes(field, place)}${inner}</div>`;
  return html`<fieldset aria-describedby="${id}-notes">
    <legend>${shown(label)}</legend>
    ${notes(field, place)}${inner}
  </fieldset>`;
}

function members(field: FieldOf<'object'>, entry: EntryOf<'object'>, place: FieldPlace): readonly TemplateResult[] {
  return field.members.map((member, i) => {
    const own = entry.members.get(member.name);
    const put = (given: FormEntry | undefined): void =>
      place.change({ kind: 'object', members: withMember(entry.members, member.name, given) });
    const id = `${place.id}-${i}`;
    const pointer = `${place.pointer}/${stepOf(member.name)}`;
    const view =
      own === undefined ? '' : fieldView(member.field, own, { ...place, label: member.name, id, pointer, change: put });
    return html`${member.required ? '' : inclusion(member, own !== undefined, put)}${view}`;
  });
}

/** An optional member is left out of the proposal until a person includes it. */
function inclusion(member: FormMember, isGiven: boolean, put: (entry: FormEntry | undefined) => void): TemplateResult {
  const turn = (event: Event): void =>
    put((event.target as HTMLInputElement).checked ? entryOf(member.field) : undefined);
  return html`<label class="include"><input type="checkbox" .checked=${live(isGiven)} @change=${turn} /><span>${texts().include(html`<span class="mono">${shown(member.name)}</span>`)}</span></label>`;
}

function withMember(
  all: ReadonlyMap<string, FormEntry>,
  name: string,
  given: FormEntry | undefined,
): ReadonlyMap<string, FormEntry> {
  const next = new Map(all);
  if (given === undefined) next.delete(name);
  else next.set(name, given);
  return next;
}

function list(field: FieldOf<'list'>, { items }: EntryOf<'list'>, place: FieldPlace): TemplateResult {
  const { label, id, pointer, change } = place;
  const put = (next: readonly FormEntry[]): void => change({ kind: 'list', items: next });
  return html`${items.map((item, i) => {
    const own = {
      ...place,
      label: `${label} ${i + 1}`,
      id: `${id}-${i}`,
      pointer: `${pointer}/${i}`,
      change: (given: FormEntry) => put(items.with(i, given)),
    };
    return html`<div class="item">
      ${fieldView(field.item, item, own)}
      <button type="button" class="plain remove" aria-label=${texts().remove(own.label)} @click=${() => put(items.toSpliced(i, 1))}>${icon('cross')}</button>
    </div>`;
  })}
  <button type="button" class="add" ?disabled=${items.length >= field.itemsMax} @click=${() => put([...items, entryOf(field.item)])}>${icon('plus')}${texts().addTo(shown(label))}</button>`;
}
