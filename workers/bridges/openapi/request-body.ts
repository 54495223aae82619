import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { invalid, type OpenApiDocument, placeOf, textIn } from './document.ts';
import type { ListedOperation } from './operation.ts';
import { essence, isJson, isMediaType, isRangeOfJson, OperationError } from './operation.ts';
import type { ValueStyle } from './parameters.ts';
import { QueryPairs } from './values.ts';

/** The form in which a call sends its body. */
export interface RequestBody {
  readonly kind: 'json' | 'form' | 'multipart' | 'text';
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: JsonValue;
  /** Pointer of the schema. */
  readonly at: string;
  /** Styles of the members of a form, where the document gives them. */
  readonly styles: ReadonlyMap<string, ValueStyle>;
}

/** Forms in the order in which they are chosen. */
const KINDS: readonly (readonly [RequestBody['kind'], (type: string) => boolean])[] = [
  ['json', (type) => isJson(type)],
  ['json', (type) => isRangeOfJson(type)],
  ['form', (type) => essence(type) === 'application/x-www-form-urlencoded'],
  ['multipart', (type) => essence(type) === 'multipart/form-data'],
  ['text', (type) => /^text\/[\w.+-]+$/.test(essence(type))],
];

/** The body of an operation, undefined for an operation without a body. GET and HEAD send none. */
export function readRequestBody(
  document: OpenApiDocument,
  { value, pointer, method }: ListedOperation,
): Outcome<RequestBody | undefined> {
  const given = member(value, 'requestBody');
  if (given === undefined) return pass(undefined);
  const place = placeOf(document, given, pointerTo(pointer, 'requestBody'));
  if (!place.ok) return place;
  const isRequired = member(place.value.value, 'required') === true;
  if (method === 'GET' || method === 'HEAD')
    return isRequired ? invalid(place.value.pointer, `a request with ${method} has no body`) : pass(undefined);
  const at = pointerTo(place.value.pointer, 'content');
  const content = member(place.value.value, 'content');
  if (!isObject(content)) return invalid(at, 'an object is expected here');
  const chosen = KINDS.flatMap(([kind, fits]) =>
    Object.keys(content)
      .filter((type) => isMediaType(type) && fits(type))
      .map((type) => ({ kind, type })),
  )[0];
  if (chosen === undefined) return invalid(at, 'no media type of the body is taken');
  const media = placeOf(document, member(content, chosen.type), pointerTo(at, chosen.type));
  return media.ok ? bodyIn(document, media.value, { ...chosen, isRequired }) : media;
}

type Chosen = { readonly kind: RequestBody['kind']; readonly type: string; readonly isRequired: boolean };

function bodyIn(
  document: OpenApiDocument,
  { value, pointer }: { readonly value: JsonObject; readonly pointer: string },
  { kind, type, isRequired }: Chosen,
): Outcome<RequestBody> {
  const schema = member(value, 'schema') ?? (kind === 'text' ? { type: 'string' } : true);
  const encoding = member(value, 'encoding');
  if (kind === 'multipart' && (encoding !== undefined || hasFile(document, schema)))
    return invalid(pointer, 'a multipart body with a file or an encoding of its own is not taken');
  const mediaType = isRangeOfJson(type) ? 'application/json' : type;
  const styles = stylesIn(isObject(encoding) && kind === 'form' ? encoding : {});
  return pass({ kind, mediaType, isRequired, schema, at: pointerTo(pointer, 'schema'), styles });
}

/** True for a form with a member of bytes, or a form whose members are not listed in plain. */
function hasFile(document: OpenApiDocument, schema: JsonValue): boolean {
  const place = placeOf(document, schema, '');
  const properties = place.ok ? member(place.value.value, 'properties') : undefined;
  if (!isObject(properties)) return true;
  return Object.values(properties).some((each) => {
    const property = placeOf(document, each as JsonValue, '');
    if (!property.ok) return true;
    const items = placeOf(document, member(property.value.value, 'items') ?? {}, '');
    return isBytes(property.value.value) || !items.ok || isBytes(items.value.value);
  });
}

function isBytes(schema: JsonObject): boolean {
  if (Object.hasOwn(schema, 'contentMediaType') || Object.hasOwn(schema, 'contentEncoding')) return true;
  return ['binary', 'byte', 'base64'].includes(textIn(schema, 'format'));
}

function stylesIn(encoding: JsonObject): ReadonlyMap<string, ValueStyle> {
  const styles = new Map<string, ValueStyle>();
  for (const [name, each] of Object.entries(encoding)) {
    if (!isObject(each)) continue;
    const style = member(each, 'style');
    const explode = (member(each, 'explode') ?? (style === undefined || style === 'form')) === true;
    if (typeof style === 'string' && /^(?:form|spaceDelimited|pipeDelimited|deepObject)$/.test(style))
      styles.set(name, { style: style as ValueStyle['style'], explode });
    else if (isJson(textIn(each, 'contentType'))) styles.set(name, { style: 'json', explode: false });
  }
  return styles;
}

/** A body as `fetch` takes it. Without a media type the platform adds the type with its boundary. */
export interface SentBody {
  readonly body: string | FormData;
  readonly mediaType?: string;
}

/** Makes the body of a call from the argument `body`, which the schema has accepted. */
export function bodyOf({ kind, mediaType, styles }: RequestBody, value: JsonValue): SentBody {
  switch (kind) {
    case 'json':
      return { body: JSON.stringify(value), mediaType };
    case 'text':
      if (typeof value !== 'string') throw new OperationError('argument_refused', 'The body must be a text.');
      return { body: value, mediaType };
    case 'form':
      return { body: formOf(value, styles), mediaType };
    case 'multipart':
      return { body: partsOf(value) };
  }
}

function formOf(value: JsonValue, styles: RequestBody['styles']): string {
  const pairs = new QueryPairs();
  for (const [name, each] of membersOf(value))
    pairs.add(name, each, styles.get(name) ?? { style: isDeep(each) ? 'deepObject' : 'form', explode: true });
  return pairs.text;
}

/** A form without an encoding of its own says nothing about objects in it; servers of such forms read brackets. */
function isDeep(value: JsonValue): boolean {
  return isObject(value) || (Array.isArray(value) && value.some((each: JsonValue) => typeof each === 'object'));
}

/** A text for each scalar, a part for each item of a list, JSON for an object. */
function partsOf(value: JsonValue): FormData {
  const form = new FormData();
  for (const [name, each] of membersOf(value))
    for (const part of Array.isArray(each) ? (each as readonly JsonValue[]) : [each])
      if (part !== null) form.append(name, typeof part === 'object' ? jsonPart(part) : String(part));
  return form;
}

function jsonPart(value: JsonValue): Blob {
  return new Blob([JSON.stringify(value)], { type: 'application/json' });
}

function membersOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (!isObject(value)) throw new OperationError('argument_refused', 'The body must be an object.');
  return Object.entries(value);
}
