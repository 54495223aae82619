import { CODES, refuse } from '../../../core/errors.ts';
import { canonicalize } from '../../../core/json/canonical.ts';
import { decode } from '../../../core/json/decode.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import type { DecodeLimits } from '../../../core/limits.ts';
import { BYTES } from '../../../core/option.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { decodeFragment } from '../../../core/schema/fragment.ts';
import { along } from '../../../core/schema/import/places.ts';

/** A document of OpenAPI 3.0 or 3.1. It is a stranger's: no text in it is more than data. */
export interface OpenApiDocument {
  readonly root: JsonObject;
  readonly version: '3.0' | '3.1';
  /** Value of `$schema` by which the schemas of the document are read. */
  readonly dialect: string;
}

/** An object of the document, with the pointer to it behind all references. */
export interface DocumentPlace {
  readonly value: JsonObject;
  readonly pointer: string;
}

/** Bounds on the bytes of a document. The largest public documents have 20 MB and two million values. */
const DOCUMENT_LIMITS: DecodeLimits = { bytes: 64 << 20, depth: 256, nodes: 8_000_000 };

/** References in a row, from a reference to the object that it means. */
const HOPS_MAX = 16;

const DIALECTS = {
  '3.0': 'https://spec.openapis.org/oas/3.0/dialect',
  '3.1': 'https://spec.openapis.org/oas/3.1/dialect/base',
} as const;

/** Reads a document, text and bytes by the rules of `decode`. An object is read once, through its canonical text. */
export function readDocument(given: unknown): Outcome<OpenApiDocument> {
  const read = valueOf(given);
  if (!read.ok) return read;
  const root = read.value;
  if (!isObject(root)) return invalid('', 'a document must be an object');
  const named = member(root, 'openapi');
  const [, version] = /^(3\.[01])\.\d+(?:-[\w.-]+)?$/.exec(typeof named === 'string' ? named : '') ?? [];
  const swagger = member(root, 'swagger');
  if (typeof swagger === 'string') return invalid('/openapi', `it is Swagger ${swagger}: convert it to OpenAPI 3`);
  if (version !== '3.0' && version !== '3.1') return invalid('/openapi', 'the document must be OpenAPI 3.0 or 3.1');
  const declared = version === '3.1' ? member(root, 'jsonSchemaDialect') : undefined;
  if (declared !== undefined && typeof declared !== 'string')
    return invalid('/jsonSchemaDialect', 'the dialect must be a text');
  return pass({ root, version, dialect: declared ?? DIALECTS[version] });
}

function valueOf(given: unknown): Outcome<JsonValue> {
  if (typeof given === 'string') return decoded(encodeText(given));
  if (BYTES[1](given)) return decoded(given as Uint8Array);
  const text = canonicalize(given);
  return text.ok ? pass(JSON.parse(text.value) as JsonValue) : text;
}

const GIVE = 'Give its text or its value: an address is fetched, and YAML is parsed, by the program.';

/** A text that is no JSON is often an address or YAML: its program is told what to give. */
function decoded(bytes: Uint8Array): Outcome<JsonValue> {
  const read = decode(bytes, DOCUMENT_LIMITS);
  if (read.ok || read.refusal.code !== 'json_syntax') return read;
  const message = read.refusal.message.replace(CODES.json_syntax.todo, GIVE);
  return { ok: false, refusal: { ...read.refusal, message } };
}

/** The object that a value of the document is or refers to. References lead into the document, in a bounded row. */
export function placeOf(
  { root }: OpenApiDocument,
  value: JsonValue | undefined,
  pointer: string,
): Outcome<DocumentPlace> {
  let place = { value, pointer };
  for (let hops = 0; hops <= HOPS_MAX; hops++) {
    if (!isObject(place.value)) return invalid(pointer, 'an object is expected here');
    const ref = member(place.value, '$ref');
    if (ref === undefined) return pass({ value: place.value, pointer: place.pointer });
    const target = targetOf(root, ref, pointerTo(place.pointer, '$ref'));
    if (!target.ok) return target;
    place = target.value;
  }
  return invalid(pointer, `a row of references is longer than ${HOPS_MAX}`);
}

/** The value that a reference leads to. No document is ever fetched. */
export function targetOf(
  root: JsonObject,
  ref: JsonValue,
  at: string,
): Outcome<{ readonly value: JsonValue; readonly pointer: string }> {
  if (typeof ref !== 'string' || !ref.startsWith('#')) return invalid(at, 'a reference leads out of the document');
  const pointer = decodeFragment(ref.slice(1));
  const value = pointer === undefined || !/^(?:\/|$)/.test(pointer) ? undefined : along(root, pointer)?.at(-1);
  if (pointer === undefined || value === undefined) return invalid(at, 'a reference leads to no place of the document');
  return pass({ value, pointer });
}

/** A text that is a member of an object of the document; empty where there is none. */
export function textIn(object: JsonObject, name: string): string {
  const value = member(object, name);
  return typeof value === 'string' ? value : '';
}

/** A refusal of the document or of a part of it. */
export function invalid(pointer: string, reason: string): Refused {
  return refuse('definition_invalid', { reason }, { pointer });
}
