import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { invalid, type OpenApiDocument, placeOf, textIn } from './document.ts';
import { isForbiddenHeader, isHeaderName } from './headers.ts';
import type { ListedOperation } from './operation.ts';
import { isJson } from './operation.ts';

/** Group of the arguments that a parameter belongs to. */
export type ParameterGroup = 'path' | 'query' | 'headers' | 'cookies';

/** The way in which a value becomes text. */
export interface ValueStyle {
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  readonly explode: boolean;
}

export interface OperationParameter extends ValueStyle {
  readonly group: ParameterGroup;
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonValue;
  /** Pointer of the schema. */
  readonly at: string;
}

const GROUPS: ReadonlyMap<string, ParameterGroup> = new Map([
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
]);
const STYLES: Readonly<Record<ParameterGroup, readonly string[]>> = {
  path: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  headers: ['simple'],
  cookies: ['form'],
};

/** Headers whose parameters the specification ignores: other parts of the document describe them. */
const IGNORED: readonly string[] = ['accept', 'content-type', 'authorization'];

/**
 * The parameters of an operation. A parameter of the operation replaces that of its path item with the same name and
 * place. Optional parameters that no call may set, for example of cookies, are left out.
 */
export function readParameters(
  document: OpenApiDocument,
  { value, pointer, item }: ListedOperation,
): Outcome<readonly OperationParameter[]> {
  const found = new Map<string, OperationParameter>();
  for (const [holder, at] of [[item.value, item.pointer] as const, [value, pointer] as const]) {
    const list = member(holder, 'parameters') ?? [];
    if (!Array.isArray(list)) return invalid(pointerTo(at, 'parameters'), 'a list is expected here');
    for (const [nth, each] of (list as readonly JsonValue[]).entries()) {
      const read = readParameter(document, each, pointerTo(pointerTo(at, 'parameters'), nth));
      if (!read.ok) return read;
      const made = read.value;
      if (made !== undefined) found.set(`${made.group} ${keyOf(made)}`, made);
    }
  }
  return pass([...found.values()]);
}

function keyOf({ group, name }: OperationParameter): string {
  return group === 'headers' ? name.toLowerCase() : name;
}

function readParameter(
  document: OpenApiDocument,
  given: JsonValue,
  at: string,
): Outcome<OperationParameter | undefined> {
  const place = placeOf(document, given, at);
  if (!place.ok) return place;
  const { value, pointer } = place.value;
  const name = textIn(value, 'name');
  const group = GROUPS.get(textIn(value, 'in'));
  const isRequired = member(value, 'required') === true;
  if (name === '') return invalid(pointer, 'a parameter has no name');
  const fault = group === undefined ? 'a parameter of this place cannot be set' : faultOf(document, group, name);
  if (fault === 'ignored' || (fault !== undefined && !isRequired)) return pass(undefined);
  if (fault !== undefined || group === undefined) return invalid(pointer, fault ?? '');
  const description = textIn(value, 'description');
  const form = formOf(value, pointer, group);
  if (!form.ok) return form;
  return pass({ group, name, isRequired: isRequired || group === 'path', description, ...form.value });
}

function faultOf(document: OpenApiDocument, group: ParameterGroup, name: string): string | undefined {
  if (group === 'cookies') return cookieFault(document, name);
  if (group !== 'headers') return undefined;
  if (IGNORED.includes(name.toLowerCase())) return 'ignored';
  return isHeaderName(name) && !isForbiddenHeader(name) ? undefined : 'a call cannot set a header of this name';
}

/** Names of cookies that hold a key, which the program gives in its header and no model. */
const KEY_COOKIE = /key|token|secret|pass|pwd|cred|auth|session|sess?id|^sid$|private|signature|csrf|xsrf|jwt/i;

function cookieFault(document: OpenApiDocument, name: string): string | undefined {
  if (KEY_COOKIE.test(name) || keyCookiesOf(document).has(name)) return 'ignored';
  if (!isHeaderName(name)) return 'a cookie of this name cannot be sent';
  return sendsCookies() ? undefined : 'a page sends no cookie of a call: the browser takes it away';
}

function keyCookiesOf({ root }: OpenApiDocument): ReadonlySet<string> {
  const components = member(root, 'components');
  const schemes = isObject(components) ? member(components, 'securitySchemes') : undefined;
  const all = isObject(schemes) ? (Object.values(schemes) as JsonValue[]).filter(isObject) : [];
  return new Set(all.filter((each) => textIn(each, 'in') === 'cookie').map((each) => textIn(each, 'name')));
}

/** False in a page and its workers, whose requests lose a header `cookie` without a word. */
function sendsCookies(): boolean {
  return new Request('https://origin.invalid/', { headers: { cookie: 'a=b' } }).headers.has('cookie');
}

type Form = Pick<OperationParameter, 'style' | 'explode' | 'schema' | 'at'>;

function formOf(value: JsonObject, pointer: string, group: ParameterGroup): Outcome<Form> {
  const content = member(value, 'content');
  if (content !== undefined && group !== 'cookies') return jsonForm(content, pointerTo(pointer, 'content'));
  const schema = member(value, 'schema');
  if (schema === undefined) return invalid(pointer, 'a parameter has no schema');
  const style = member(value, 'style') ?? STYLES[group][0];
  if (typeof style !== 'string' || !STYLES[group].includes(style))
    return invalid(pointerTo(pointer, 'style'), 'this style of a parameter is not taken');
  const explode = (member(value, 'explode') ?? style === 'form') === true;
  return pass({ style: style as Form['style'], explode, schema, at: pointerTo(pointer, 'schema') });
}

function jsonForm(content: JsonValue, at: string): Outcome<Form> {
  const [[type, media] = ['', null], second] = isObject(content) ? Object.entries(content) : [];
  if (second !== undefined || !isJson(type) || !isObject(media as JsonValue))
    return invalid(at, 'this media type of a parameter is not taken');
  const schema = member(media as JsonObject, 'schema') ?? true;
  return pass({ style: 'json', explode: false, schema, at: pointerTo(pointerTo(at, type), 'schema') });
}
