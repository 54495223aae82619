import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { type DocumentPlace, invalid, type OpenApiDocument, placeOf, textIn } from './document.ts';
import { fileOf, fileSchema, isFile, type MultipartForm, partsOf, readMultipart } from './multipart.ts';
import type { ListedOperation } from './operation.ts';
import { essence, isJson, isMediaType, isRangeOfJson, OperationError } from './operation.ts';
import type { ValueStyle } from './parameters.ts';
import { bounded } from './schema-gathering.ts';
import { QueryPairs } from './values.ts';

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
