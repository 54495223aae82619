import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { decodeBase64 } from '../../../core/ledger/base64.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type DocumentPlace, invalid, type OpenApiDocument, placeOf, textIn } from './document.ts';
import {
  essence,
  isJson,
  isMediaType,
  isRangeOfJson,
  isText,
  type ListedOperation,
  OperationError,
} from './operation.ts';
import type { ValueStyle } from './parameters.ts';
import { bounded } from './schema-gathering.ts';
import { deepPairs, QueryPairs } from './values.ts';

/** The form in which a call sends its body. */
export interface RequestBody {
  readonly kind: 'json' | 'form' | 'multipart' | 'text' | 'file';
  readonly mediaType: string;
  readonly isRequired: boolean;
  readonly schema: JsonValue;
  /** Pointer of the schema. */
  readonly at: string;
  /** Styles of the members of a form, where the document gives them. */
  readonly styles: ReadonlyMap<string, ValueStyle>;
  /** Forms of the members of a multipart body. */
  readonly parts?: MultipartForm['parts'];
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
  const types = Object.keys(content).filter((type) => isMediaType(type));
  const raw = types.find((type) => !/^(?:multipart|message)\//.test(type) && isRaw(document, member(content, type)));
  const [chosen = raw === undefined ? undefined : ({ kind: 'file', type: raw } as const)] = KINDS.flatMap(
    ([kind, fits]) => types.filter(fits).map((type) => ({ kind, type })),
  );
  if (chosen === undefined)
    return invalid(
      at,
      `no media type of the body is taken${types.length === 0 ? '' : `: ${bounded(types.join(), 200)}`}`,
    );
  const media = placeOf(document, member(content, chosen.type), pointerTo(at, chosen.type));
  return media.ok ? bodyIn(document, media.value, { ...chosen, isRequired }) : media;
}

type Chosen = { readonly kind: RequestBody['kind']; readonly type: string; readonly isRequired: boolean };

function bodyIn(document: OpenApiDocument, media: DocumentPlace, chosen: Chosen): Outcome<RequestBody> {
  const { kind, type, isRequired } = chosen;
  const { value, pointer } = media;
  const at = pointerTo(pointer, 'schema');
  const schema = member(value, 'schema') ?? (kind === 'text' ? { type: 'string' } : true);
  const styles: RequestBody['styles'] = new Map();
  if (kind === 'multipart') {
    const form = readMultipart(document, media);
    return form.ok ? pass({ kind, mediaType: type, isRequired, styles, ...form.value }) : form;
  }
  if (kind === 'file' || (isRangeOfJson(type) && isBytes(document, schema))) {
    const types = type === '*/*' ? [] : [type];
    return pass({ kind: 'file', mediaType: type, isRequired, schema: fileSchema(types, false), at, styles });
  }
  const encoding = member(value, 'encoding');
  const mediaType = isRangeOfJson(type) ? 'application/json' : type;
  const given = isObject(encoding) && kind === 'form' ? stylesIn(encoding) : styles;
  return pass({ kind, mediaType, isRequired, schema, at, styles: given });
}

/** True for the schema of bytes. */
function isBytes(document: OpenApiDocument, schema: JsonValue): boolean {
  const place = placeOf(document, schema, '');
  return place.ok && isFile(place.value.value);
}

/** True for a body of bytes: its schema says so, or says no more than that it is a text. */
function isRaw(document: OpenApiDocument, media: JsonValue | undefined): boolean {
  const schema = isObject(media) ? (member(media, 'schema') ?? {}) : {};
  if (!isObject(schema) || isBytes(document, schema)) return isObject(schema);
  return Object.entries(schema).every(
    ([keyword, value]) =>
      ['description', 'format', 'title'].includes(keyword) || (keyword === 'type' && value === 'string'),
  );
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
  readonly body: string | FormData | Uint8Array<ArrayBuffer>;
  readonly mediaType?: string;
}

/** Makes the body of a call from the argument `body`, which the schema has accepted. */
export function bodyOf({ kind, mediaType, styles, parts = new Map() }: RequestBody, value: JsonValue): SentBody {
  switch (kind) {
    case 'json':
      return { body: JSON.stringify(value), mediaType };
    case 'text':
      if (typeof value !== 'string') throw new OperationError('argument_refused', 'The body must be a text.');
      return { body: value, mediaType };
    case 'form':
      return { body: formOf(value, styles), mediaType };
    case 'multipart':
      return { body: partsOf(membersOf(value), parts) };
    case 'file': {
      const { bytes, type } = fileOf(value, mediaType === '*/*' ? [] : [mediaType]);
      return { body: bytes as Uint8Array<ArrayBuffer>, mediaType: type };
    }
  }
}

function formOf(value: JsonValue, styles: RequestBody['styles']): string {
  const pairs = new QueryPairs();
  for (const [name, each] of Object.entries(membersOf(value)) as [string, JsonValue][])
    pairs.add(name, each, styles.get(name) ?? { style: isDeep(each) ? 'deepObject' : 'form', explode: true });
  return pairs.text;
}

/** A form without an encoding of its own says nothing about objects in it; servers of such forms read brackets. */
function isDeep(value: JsonValue): boolean {
  return isObject(value) || (Array.isArray(value) && value.some((each: JsonValue) => typeof each === 'object'));
}

function membersOf(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new OperationError('argument_refused', 'The body must be an object.');
  return value;
}

/** The form in which a member of a multipart body is sent. */
type PartForm =
  | { readonly kind: 'file'; readonly types: readonly string[] }
  | { readonly kind: 'deepObject' }
  /** With a media type the part is a blob of it. */
  | { readonly kind: 'plain'; readonly mediaType?: string };

/** A multipart body: its schema, in which each file is an object, and the form of its parts. */
interface MultipartForm {
  readonly schema: JsonValue;
  /** Pointer of the schema. */
  readonly at: string;
  readonly parts: ReadonlyMap<string, PartForm>;
}

/** Reads the members of a `multipart/form-data` body. A member whose form is in doubt refuses the body, with its place. */
function readMultipart(document: OpenApiDocument, { value, pointer }: DocumentPlace): Outcome<MultipartForm> {
  const place = placeOf(document, member(value, 'schema'), pointerTo(pointer, 'schema'));
  if (!place.ok) return place;
  const { value: schema, pointer: at } = place.value;
  const properties = member(schema, 'properties');
  if (!isObject(properties)) return invalid(at, 'the members of a multipart body are not listed');
  const hidden = ['allOf', 'anyOf', 'oneOf'].find((keyword) => holdsFile(document, member(schema, keyword), true));
  if (hidden !== undefined) return invalid(pointerTo(at, hidden), 'a file among alternatives is not taken');
  const given = member(value, 'encoding');
  const encoding = isObject(given) ? given : {};
  const made: [string, JsonValue][] = [];
  const parts = new Map<string, PartForm>();
  for (const [name, each] of Object.entries(properties) as [string, JsonValue][]) {
    const how = member(encoding, name);
    const part = readPart(document, each, {
      at: pointerTo(pointerTo(at, 'properties'), name),
      how: isObject(how) ? how : {},
      howAt: pointerTo(pointerTo(pointer, 'encoding'), name),
    });
    if (!part.ok) return part;
    made.push([name, part.value.schema]);
    parts.set(name, part.value.form);
  }
  return pass({ schema: { ...schema, properties: Object.fromEntries(made) }, at, parts });
}

interface PartPlace {
  readonly at: string;
  readonly how: JsonObject;
  readonly howAt: string;
}

function readPart(
  document: OpenApiDocument,
  schema: JsonValue,
  { at, how, howAt }: PartPlace,
): Outcome<{ readonly schema: JsonValue; readonly form: PartForm }> {
  const headers = member(how, 'headers');
  const own = isObject(headers) ? Object.entries(headers).find(([, each]) => isRequired(each as JsonValue)) : undefined;
  if (own !== undefined)
    return invalid(pointerTo(pointerTo(howAt, 'headers'), own[0]), 'a part cannot have a header of its own');
  const types = textIn(how, 'contentType')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  if (!types.every((type) => isMediaType(type)))
    return invalid(pointerTo(howAt, 'contentType'), 'this is no list of media types');
  if (holdsFile(document, schema, false)) {
    const made = fileArgument(document, schema, types);
    if (made === undefined) return invalid(at, 'a member is a file or something else');
    return pass({ schema: made, form: { kind: 'file', types } });
  }
  const style = member(how, 'style');
  if (style === 'deepObject') return pass({ schema, form: { kind: 'deepObject' } });
  const explode = member(how, 'explode') ?? true;
  if ((style !== undefined && style !== 'form') || (style === 'form' && explode !== true))
    return invalid(howAt, 'this style of a part is not taken');
  const [mediaType] = types;
  const isPlain = mediaType === undefined || mediaType.includes('*') || mediaType.startsWith('text/plain');
  return pass({ schema, form: { kind: 'plain', ...(!isPlain && { mediaType }) } });
}

function isRequired(header: JsonValue): boolean {
  return isObject(header) && member(header, 'required') === true;
}

/** True for a schema whose values are bytes, and not a text that stands for them. */
function isFile(schema: JsonObject): boolean {
  if (textIn(schema, 'format') === 'binary') return true;
  const type = textIn(schema, 'contentMediaType');
  return type !== '' && !Object.hasOwn(schema, 'contentEncoding') && !isJson(type) && !isText(type);
}

/** Alternatives of a file. */
const CHOICES_MAX = 4;
/** Schemas within schemas that are searched. The document may be a stranger's, so a schema is searched once. */
const DEPTH_MAX = 8;

/** True where a file is in a schema, its items or its alternatives, with `members` also in its properties. */
function holdsFile(document: OpenApiDocument, schema: JsonValue | undefined, members: boolean): boolean {
  const seen = new Set<JsonValue>();
  const search = (each: JsonValue | undefined, depth: number, inside: boolean): boolean => {
    if (Array.isArray(each)) return each.some((one: JsonValue) => search(one, depth, inside));
    const place = isObject(each) && depth < DEPTH_MAX ? placeOf(document, each, '') : undefined;
    if (!place?.ok || seen.has(place.value.value)) return false;
    const { value } = place.value;
    if (isFile(value)) return true;
    seen.add(value);
    const properties = inside ? member(value, 'properties') : undefined;
    // an object within a part is JSON, which holds no bytes
    const listed = isObject(properties) ? (Object.values(properties) as JsonValue[]) : [];
    if (listed.some((one) => search(one, depth + 1, false))) return true;
    return ['items', 'allOf', 'anyOf', 'oneOf'].some((keyword) => search(member(value, keyword), depth + 1, inside));
  };
  return search(schema, 0, members);
}

/** Schema of the argument for a file, for a list of files, or for either; undefined for a schema of other values, too. */
function fileArgument(
  document: OpenApiDocument,
  schema: JsonValue,
  types: readonly string[],
  depth = 0,
): JsonObject | undefined {
  const place = placeOf(document, schema, '');
  if (!place.ok || depth >= DEPTH_MAX) return undefined;
  const { value } = place.value;
  const text = textIn(value, 'description');
  const described = text === '' ? {} : { description: text };
  if (isFile(value)) return { ...fileSchema(types), ...described };
  const items = member(value, 'items');
  if (items !== undefined) {
    const made = fileArgument(document, items, types, depth + 1);
    const bounds = Object.entries(value).filter(([keyword]) => ['minItems', 'maxItems'].includes(keyword));
    return made && { type: 'array', items: made, ...Object.fromEntries(bounds), ...described };
  }
  const all = member(value, 'allOf');
  if (Array.isArray(all))
    return all.length === 1 ? fileArgument(document, all[0] as JsonValue, types, depth + 1) : undefined;
  const choices = member(value, 'anyOf') ?? member(value, 'oneOf');
  if (!Array.isArray(choices) || choices.length > CHOICES_MAX) return undefined;
  const made: JsonObject[] = [];
  for (const each of choices as readonly JsonValue[]) {
    const one = fileArgument(document, each, types, depth + 1);
    // the first alternative that is no file ends the search
    if (one === undefined) return undefined;
    made.push(one);
  }
  return { anyOf: made, ...described };
}

const TYPE = { type: 'string', description: 'Media type.', maxLength: 200 };

/** `{ text }` or `{ base64 }`, with a name where `named`, and a media type where the document leaves it open. */
function fileSchema(types: readonly string[], named = true): JsonObject {
  const isOpen = types.length !== 1 || types[0]?.includes('*') === true;
  const name = { type: 'string', description: 'Name of the file.', minLength: 1, maxLength: 200 };
  const shared = { ...(named && { name }), ...(isOpen && { type: TYPE }) };
  const form = (key: string, description: string): JsonObject => ({
    type: 'object',
    required: [key],
    properties: { [key]: { type: 'string', description }, ...shared },
    additionalProperties: false,
  });
  return { anyOf: [form('text', 'Text of the file.'), form('base64', 'Bytes of the file, in base64 with padding.')] };
}

/** The bytes and the media type of a file that a call has given. */
function fileOf(value: JsonValue, types: readonly string[]): { bytes: Uint8Array; type: string; name: string } {
  const file = isObject(value) ? value : {};
  const [text, base64] = [textIn(file, 'text'), member(file, 'base64')];
  const bytes = typeof base64 === 'string' ? decodeBase64(base64) : new TextEncoder().encode(text);
  if (bytes === undefined) throw fileRefused('its bytes are no base64 with padding');
  const name = textIn(file, 'name') || 'file';
  if (/[/\\\p{C}]/u.test(name) || /^\.{1,2}$/.test(name)) throw fileRefused('its name is no name of a file');
  const fixed = types.find((type) => !type.includes('*'));
  const usual = types.length > 0 ? undefined : base64 === undefined ? 'text/plain' : 'application/octet-stream';
  const type = textIn(file, 'type') || (fixed ?? usual);
  if (type === undefined) throw fileRefused(`it has no media type. Give one of ${types.join(', ')}`);
  if (!isMediaType(type) || type.includes('*') || !(types.length === 0 || types.some((each) => isOf(type, each))))
    throw fileRefused(`its media type is not taken${types.length === 0 ? '' : `. Give one of ${types.join(', ')}`}`);
  return { bytes, type, name };
}

function isOf(type: string, range: string): boolean {
  const [given, wanted] = [type.toLowerCase(), range.toLowerCase()];
  return wanted === '*/*' || given === wanted || (wanted.endsWith('/*') && given.startsWith(wanted.slice(0, -1)));
}

function fileRefused(reason: string): OperationError {
  return new OperationError('argument_refused', `A file cannot be sent: ${reason}.`);
}

/** The parts of a call: a text for each scalar, a part for each item of a list, JSON for an object, a blob for a file. */
function partsOf(value: JsonObject, parts: MultipartForm['parts']): FormData {
  const form = new FormData();
  for (const [name, each] of Object.entries(value) as [string, JsonValue][]) {
    const how = parts.get(name) ?? { kind: 'plain' };
    if (how.kind === 'deepObject') for (const [key, text] of deepPairs(name, each)) form.append(key, text);
    else for (const item of Array.isArray(each) ? (each as JsonValue[]) : [each]) append(form, name, item, how);
  }
  return form;
}

function append(form: FormData, name: string, value: JsonValue, how: Exclude<PartForm, { kind: 'deepObject' }>): void {
  if (value === null) return;
  if (how.kind === 'file') {
    const { bytes, type, name: fileName } = fileOf(value, how.types);
    return form.append(name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), fileName);
  }
  const { mediaType } = how;
  const isText = typeof value !== 'object' && !(mediaType !== undefined && isJson(mediaType));
  const text = isText ? String(value) : JSON.stringify(value);
  if (isText && mediaType === undefined) form.append(name, text);
  else form.append(name, new Blob([text], { type: mediaType ?? 'application/json' }));
}
