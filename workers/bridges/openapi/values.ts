import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { OperationError } from './operation.ts';
import type { ValueStyle } from './parameters.ts';

/** Percent-encodes every character that is not unreserved in RFC 3986: no text ends the part that it stands in. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A value in the style `simple`: lists and objects with commas. `encode` is applied to each part. */
export function simpleText(value: JsonValue, { style, explode }: ValueStyle, encode: (text: string) => string): string {
  if (style === 'json') return encode(JSON.stringify(value));
  if (Array.isArray(value)) return joined((value as readonly JsonValue[]).map(scalar), ',', encode);
  if (!isObject(value)) return encode(scalar(value));
  const members = (Object.entries(value) as [string, JsonValue][]).map(([name, each]) => [name, scalar(each)] as const);
  if (!explode) return joined(members.flat(), ',', encode);
  for (const [name] of members) if (name.includes('=')) throw separated('=');
  return members.map((pair) => pair.map((part) => joined([part], ',', encode)).join('=')).join(',');
}

/**
 * Names and values of a query or a form, percent-encoded. Each name belongs to the parameter that made it: a member of
 * an object cannot take the place of another parameter.
 */
export class QueryPairs {
  readonly #pairs: string[] = [];
  readonly #owners = new Map<string, string>();

  /** Keeps the names of parameters, also of those without a value. */
  constructor(names: readonly string[] = []) {
    for (const name of names) this.#owners.set(name, name);
  }

  /** Adds a parameter. A null is no value. */
  add(parameter: string, value: JsonValue, how: ValueStyle): void {
    for (const [name, text] of pairsOf(parameter, value, how)) {
      const owner = this.#owners.get(name) ?? parameter;
      if (owner !== parameter) throw refused(parameter, `its member ${JSON.stringify(name)} is another parameter`);
      this.#owners.set(name, parameter);
      this.#pairs.push(`${encoded(name)}=${text}`);
    }
  }

  get text(): string {
    return this.#pairs.join('&');
  }
}

/** Names and texts of values. */
type Pairs = readonly (readonly [name: string, value: string])[];

/** The value is encoded, the name is not. */
function pairsOf(name: string, value: JsonValue, { style, explode }: ValueStyle): Pairs {
  if (value === null) return [];
  if (style === 'json') return [[name, encoded(JSON.stringify(value))]];
  if (style === 'deepObject') return deepPairs(name, value).map(([key, text]) => [key, encoded(text)]);
  if (Array.isArray(value)) return listPairs(name, value, style, explode);
  if (!isObject(value)) return [[name, encoded(scalar(value))]];
  const members = (Object.entries(value) as [string, JsonValue][]).filter(([, each]) => each !== null);
  if (explode) return members.map(([key, each]) => [plainName(name, key), encoded(scalar(each))]);
  const parts = members.flatMap(([key, each]) => [key, scalar(each)]);
  return parts.length === 0 ? [] : [[name, delimited(parts, style)]];
}

function listPairs(name: string, list: readonly JsonValue[], style: ValueStyle['style'], explode: boolean): Pairs {
  const texts = list.filter((each) => each !== null).map(scalar);
  if (explode) return texts.map((text) => [name, encoded(text)]);
  return texts.length === 0 ? [] : [[name, delimited(texts, style)]];
}

function delimited(parts: readonly string[], style: ValueStyle['style']): string {
  const separator = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ',';
  return joined(parts, separator, encoded);
}

/** Many servers decode before they split, so a part with the separator in it would become two. */
function joined(parts: readonly string[], separator: string, encode: (text: string) => string): string {
  if (parts.some((part) => part.includes(separator))) throw separated(separator);
  return parts.map(encode).join(separator === ',' ? ',' : encode(separator));
}

/** Brackets for each level: `filter[name]=x`, and an index for each item of a list. No text is encoded. */
export function deepPairs(name: string, value: JsonValue): Pairs {
  return [...deep(name, value)];
}

function* deep(name: string, value: JsonValue): Generator<readonly [string, string]> {
  if (value === null) return;
  if (typeof value !== 'object') yield [name, scalar(value)];
  else
    for (const [key, each] of Object.entries(value as JsonObject)) {
      yield* deep(`${name}[${plainName(name, key)}]`, each as JsonValue);
    }
}

/** Name of a member. With a bracket it could name a member of another object. */
function plainName(parameter: string, name: string): string {
  if (/[[\]]/.test(name)) throw refused(parameter, `the name ${JSON.stringify(name)} of a member has a bracket`);
  return name;
}

function scalar(value: JsonValue): string {
  if (typeof value !== 'object') return String(value);
  const reason = 'a list, an object or null stands inside of another value, which this style cannot say';
  throw new OperationError('argument_refused', `An argument cannot be sent: ${reason}.`);
}

function separated(separator: string): OperationError {
  const reason = `a part of it holds the separator ${JSON.stringify(separator)}`;
  return new OperationError('argument_refused', `An argument cannot be sent: ${reason}.`);
}

function refused(parameter: string, reason: string): OperationError {
  return new OperationError('argument_refused', `The argument ${JSON.stringify(parameter)} cannot be sent: ${reason}.`);
}
