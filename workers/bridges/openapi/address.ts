import { isObject, type JsonObject, type JsonValue, member } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { invalid } from './document.ts';
import { OperationError } from './operation.ts';
import type { OperationParameter } from './parameters.ts';
import { encoded, QueryPairs, simpleText } from './values.ts';

/** The path of an operation: texts of the document, and names of parameters between them. */
export interface PathTemplate {
  readonly parts: readonly (readonly [text: string, parameter: string | undefined])[];
}

/** Characters of a path in RFC 3986 without braces, and no part that a server could read as two. */
const TEXT = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%(?!2[fFeE]|5[cC])[0-9A-Fa-f]{2})*$/;

/** Reads the path of an operation. Each name in braces is a path parameter. */
export function readPath(
  path: string,
  pointer: string,
  parameters: readonly OperationParameter[],
): Outcome<PathTemplate> {
  const parts = [...path.matchAll(/([^{}]*)(?:\{([^{}]*)\}|$)/g)].map(([, text = '', name]) => [text, name] as const);
  const known = new Set(parameters.filter(({ group }) => group === 'path').map(({ name }) => name));
  const rest = path.replaceAll(/\{[^{}]*\}/g, '');
  const isPlain = path.startsWith('/') && TEXT.test(rest) && !path.split('/').some(isDots);
  if (!isPlain) return invalid(pointer, 'the path is not a plain path');
  if (parts.some(([, name]) => name !== undefined && !known.has(name)))
    return invalid(pointer, 'the path names a parameter that is not declared');
  return pass({ parts });
}

/** Arguments of a call by their group. The schema has accepted them. */
export function groupOf(args: JsonValue, group: string): JsonObject {
  const found = isObject(args) ? member(args, group) : undefined;
  return isObject(found) ? found : {};
}

/** Address of a call. No argument changes the server, leaves its part of the path, or adds a part. */
export function addressOf(
  server: URL,
  { parts }: PathTemplate,
  parameters: readonly OperationParameter[],
  args: JsonValue,
): URL {
  const values = groupOf(args, 'path');
  const path = parts
    .map(([text, name]) => text + (name === undefined ? '' : valueIn(name, values, parameters)))
    .join('');
  const query = queryOf(parameters, groupOf(args, 'query'));
  const base = server.href.replace(/\/+$/, '');
  const url = new URL(base + path + (query === '' ? '' : `?${query}`));
  // the parser of addresses takes away parts that are . or .., also encoded
  if (url.origin !== server.origin || url.origin + url.pathname !== base + path)
    throw pathRefused('the path would become another');
  return url;
}

function valueIn(name: string, values: JsonObject, parameters: readonly OperationParameter[]): string {
  const parameter = parameters.find((each) => each.group === 'path' && each.name === name);
  const value = member(values, name);
  const text = parameter === undefined || value === undefined ? '' : simpleText(value, parameter, encoded);
  if (text === '') throw pathRefused(`the argument ${JSON.stringify(name)} is empty`);
  return text;
}

function queryOf(parameters: readonly OperationParameter[], values: JsonObject): string {
  const declared = parameters.filter(({ group }) => group === 'query');
  const pairs = new QueryPairs(declared.filter(({ style }) => style !== 'deepObject').map(({ name }) => name));
  for (const parameter of declared) {
    const value = member(values, parameter.name);
    if (value !== undefined) pairs.add(parameter.name, value, parameter);
  }
  return pairs.text;
}

/** True for a part of a path that leads upwards or nowhere, encoded or not. */
function isDots(part: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(part);
}

function pathRefused(reason: string): OperationError {
  return new OperationError('argument_refused', `The call cannot be sent: ${reason}.`);
}
