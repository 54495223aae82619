import type { Refusal } from '../outcome.ts';
import type { Dialect } from './dialect.ts';

/** A call as the text of its proposal spells it. */
export interface CallText {
  readonly name: string;
  /** Text of the arguments, unchanged. A refused proposal may say a member twice. */
  readonly args: string;
}

/** Members of the form that makes a call. A catalytic message holds operations instead. */
const FORMS: { readonly [D in Dialect]?: readonly [form: string, name: string, args: string] } = {
  femtoclaw: ['tool_call', 'tool', 'args'],
  xct: ['next_step', 'tool', 'arguments'],
};

/**
 * Finds the call in the text of a proposal. Undefined where the proposal is no call, for example a message, two calls,
 * or no JSON. Decides nothing: a call that every gate refuses is found too.
 */
export function callIn(dialect: Dialect, text: string): CallText | undefined {
  const [form, name, args] = FORMS[dialect] ?? [];
  if (form === undefined || name === undefined || args === undefined || !isJson(text)) return undefined;
  const call = valueOf(text.trim(), form);
  const said = call && valueOf(call, name);
  const given = call && valueOf(call, args);
  return said?.startsWith('"') && given?.startsWith('{')
    ? { name: JSON.parse(said) as string, args: given }
    : undefined;
}

/** Text of the value of the member that an object's text has exactly a single time. */
export function valueOf(object: string, name: string): string | undefined {
  const [found, ...more] = object.startsWith('{') ? membersOf(object).filter(([told]) => told === name) : [];
  return more.length === 0 ? found?.[1] : undefined;
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The members of a well-formed text of an object, in order, each with the text of its value. */
function membersOf(text: string): readonly (readonly [name: string, value: string])[] {
  const members: [string, string][] = [];
  let [depth, from, name] = [0, 0, ''];
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (c === '"') at = stringEnd(text, at);
    else if (c === '{' || c === '[') {
      depth++;
      if (depth === 1) from = at + 1;
    } else if (depth === 1 && c === ':') {
      name = JSON.parse(text.slice(from, at)) as string;
      from = at + 1;
    } else if (depth === 1 && (c === ',' || c === '}')) {
      const value = text.slice(from, at).trim();
      if (value !== '') members.push([name, value]);
      from = at + 1;
    }
    if (c === '}' || c === ']') depth--;
  }
  return members;
}

/** Index of the quote that ends the string that begins here. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/**
 * A refusal that points into the arguments of a call, with its place in these alone: a caller of a session, and a model
 * that calls tools, wrote no proposal around them. Another refusal is unchanged.
 */
export function placedInArguments(dialect: Dialect, refusal: Refusal): Refusal {
  const { pointer, message } = refusal;
  const [form, , args] = FORMS[dialect] ?? [];
  const holder = `/${form}/${args}`;
  if (pointer !== holder && !pointer?.startsWith(`${holder}/`)) return refusal;
  const place = pointer.slice(holder.length);
  const [before, after] = [` at ${pointer}. `, ` at ${place || 'the top level'}. `];
  const at = message.lastIndexOf(before);
  const said = at < 0 ? message : message.slice(0, at) + after + message.slice(at + before.length);
  return { ...refusal, pointer: place, message: said };
}
