import { html, type TemplateResult } from 'lit';
import { canonicalize, decode, encodeText, isObject, type JsonValue } from '../../../core/index.ts';
import type { ApprovalRequest, EditedQuestion } from '../../../workers/api.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { approval } from '../../texts/en/approval.ts';
import { shown } from '../parts/text.ts';
import { atFields, entryOf, type FormEntry, faultsOf, issuesIn, jsonText } from '../propose-form/entry.ts';
import { fieldView } from '../propose-form/field-view.ts';
import { type FormField, formOf } from '../propose-form/fields.ts';

/** The arguments of a call while a person edits them. */
export interface Editing {
  readonly field: FormField;
  readonly entry: FormEntry;
  /** Why the edited call was refused, by the places of its arguments; the empty place is the call as a whole. */
  readonly refused: ReadonlyMap<string, string>;
}

/** The form of a schema, filled in with the arguments; a field for JSON where the form would not hold all of them. */
export function editingOf({ args }: ApprovalRequest, schema: JsonValue | undefined): Editing {
  const value = valueOf(args) ?? {};
  for (const field of schema === undefined ? [] : [formOf(schema)]) {
    const editing = { field, entry: entryOf(field, value), refused: new Map() };
    const again = argumentsOf(editing);
    const text = again === undefined ? undefined : canonicalize(again);
    if (text?.ok && text.value === args) return editing;
  }
  const json = formOf(true);
  return { field: json, entry: entryOf(json, value), refused: new Map() };
}

function valueOf(text: string): JsonValue | undefined {
  const read = decode(encodeText(text));
  return read.ok ? read.value : undefined;
}

/** The edited arguments; undefined where a field holds no JSON. */
export function argumentsOf({ field, entry }: Editing): JsonValue | undefined {
  const text = jsonText(field, entry);
  return text === undefined ? undefined : valueOf(text);
}

/** The form with the reason of a refusal, at its fields where it names any. */
export function refusedEditing(editing: Editing, error: unknown): Editing {
  const { code, details } = isObject(error) ? (error as { code?: string; details?: JsonValue }) : {};
  const issues = issuesIn({ code, details } as Parameters<typeof issuesIn>[0]);
  const whole = new Map([['', sentenceOf(error)]]);
  return { ...editing, refused: issues.length > 0 ? atFields(editing.field, editing.entry, issues) : whole };
}

export function editingView(editing: Editing, change: (next: Editing) => void): TemplateResult {
  const { field, entry, refused } = editing;
  const faults = new Map([...refused, ...faultsOf(field, entry)]);
  const put = (next: FormEntry): void => change({ ...editing, entry: next, refused: new Map() });
  const place = { label: approval().arguments, id: 'e', pointer: '', faults, change: put };
  return html`<div class="form">${fieldView(field, entry, place)}</div>`;
}

/** What a person has changed: each place, before and after. */
export function changesView({ changed }: EditedQuestion): TemplateResult {
  const texts = approval().edit;
  const side = (value: JsonValue | undefined, none: string): TemplateResult =>
    value === undefined ? html`<em>${none}</em>` : html`<bdi class="mono">${shown(JSON.stringify(value))}</bdi>`;
  const one = ({ pointer, before, after }: EditedQuestion['changed'][number]): TemplateResult =>
    html`<li><span class="mono">${shown(pointer)}</span> <del>${side(before, texts.absent)}</del> → <ins>${side(after, texts.gone)}</ins></li>`;
  return html`<div id="changes"><h3>${texts.changes}</h3><ul>${changed.map(one)}</ul></div>`;
}
