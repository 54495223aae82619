import type { Step } from '../errors/details.ts';
import { clip } from '../errors/refuse.ts';
import { refuse } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../json/value.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';

/** The words every closed form is checked with. Each names the gate it belongs to, since forms differ in that only. */

export function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/**
 * FemtoClaw Protocol 10, step 2: a single object with exactly one of the forms' leading members. Presence decides, not
 * truth: `{"message":null,"tool_call":{}}` is two answers. Members that accompany a form are the form's business.
 */
export function topLevel(
  value: JsonValue,
  forms: readonly string[],
  companions: readonly string[],
): Outcome<{ readonly object: JsonObject; readonly form: string }> {
  const step = 'structure';
  if (!isObject(value)) return refuse('not_object', { got: kindOf(value) }, { step, pointer: '' });
  const names = Object.keys(value);
  let form: string | undefined;
  let stray: string | undefined;
  for (const name of names) {
    if (forms.includes(name)) {
      if (form !== undefined) return formBoth(value, forms);
      form = name;
    } else if (!companions.includes(name)) stray ??= name;
  }
  if (form === undefined)
    return refuse('form_none', { got: names.slice(0, 8).map(clip), expected: forms }, { step, pointer: '' });
  if (stray !== undefined) return refuse('unknown_member', { name: stray }, { step, pointer: pointerTo('', stray) });
  return pass({ object: value, form });
}

function formBoth(value: JsonObject, forms: readonly string[]): Refused {
  const got = forms.filter((form) => Object.hasOwn(value, form));
  return refuse('form_both', { got }, { step: 'structure', pointer: '' });
}

/** An object with no other members than these; which of them must be there is asked by reading them. */
export function closed(
  value: JsonValue,
  pointer: string,
  names: readonly string[],
  step: Step = 'form',
): Outcome<JsonObject> {
  if (!isObject(value)) return refuse('wrong_type', { expected: 'an object', got: kindOf(value) }, { step, pointer });
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) return refuse('unknown_member', { name }, { step, pointer: pointerTo(pointer, name) });
  }
  return pass(value);
}

/** Reads a member that has to be there, with this type. */
type MemberReader<T> = (object: JsonObject, name: string, pointer: string, step?: Step) => Outcome<T>;

function required<T extends JsonValue>(expected: string, is: (value: JsonValue) => value is T): MemberReader<T> {
  return (object, name, pointer, step = 'form') => {
    const value = member(object, name);
    if (value === undefined) return refuse('missing_member', { name }, { step, pointer });
    if (is(value)) return pass(value);
    return refuse('wrong_type', { expected, got: kindOf(value) }, { step, pointer: pointerTo(pointer, name) });
  };
}

export const text: MemberReader<string> = required('a string', (value) => typeof value === 'string');
export const record: MemberReader<JsonObject> = required('an object', isObject);
export const list: MemberReader<readonly JsonValue[]> = required('an array', isList);

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
