import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import { invalid, type OpenApiDocument, placeOf } from './document.ts';
import type { ListedOperation } from './operation.ts';
import { essence, isJson, isMediaType } from './operation.ts';
import { SchemaGathering } from './schema-gathering.ts';

/** A declared answer of success. */
interface DeclaredResponse {
  /** A status, `2XX`, or `default` where no status of success is declared. */
  readonly status: string;
  /** Schema of a JSON body, with its pointer. */
  readonly schema?: { readonly value: JsonValue; readonly at: string };
}

export interface DeclaredResponses {
  readonly list: readonly DeclaredResponse[];
  /** Value of the header `accept`. */
  readonly accept: string;
}

const SUCCESS = /^2(?:\d\d|XX)$/;

/** The answers of success that an operation declares. */
export function readResponses(
  document: OpenApiDocument,
  { value, pointer }: ListedOperation,
): Outcome<DeclaredResponses> {
  const at = pointerTo(pointer, 'responses');
  const responses = member(value, 'responses') ?? {};
  if (!isObject(responses)) return invalid(at, 'an object is expected here');
  const successes = Object.keys(responses).filter((status) => SUCCESS.test(status));
  const statuses = successes.length > 0 || !Object.hasOwn(responses, 'default') ? successes : ['default'];
  const types = new Set<string>();
  const list: DeclaredResponse[] = [];
  for (const status of statuses) {
    const place = placeOf(document, member(responses, status), pointerTo(at, status));
    if (!place.ok) return place;
    const content = member(place.value.value, 'content');
    list.push({ status, ...schemaIn(content, pointerTo(place.value.pointer, 'content')) });
    for (const type of isObject(content) ? Object.keys(content) : []) if (isMediaType(type)) types.add(type);
  }
  return pass({ list, accept: acceptOf([...types]) });
}

function schemaIn(content: JsonValue | undefined, at: string): Pick<DeclaredResponse, 'schema'> {
  if (!isObject(content)) return {};
  const type = Object.keys(content).find((each) => isJson(each));
  const media = type === undefined ? undefined : member(content, type);
  const schema = isObject(media) ? member(media, 'schema') : undefined;
  // another media type may come instead, about which the schema says nothing
  if (type === undefined || schema === undefined || Object.keys(content).some((each) => !isJson(each))) return {};
  return { schema: { value: schema, at: pointerTo(pointerTo(at, type), 'schema') } };
}

/** JSON first. Every server may answer an error in JSON. */
function acceptOf(types: readonly string[]): string {
  const json = types.filter(isJson).map(essence);
  const others = types.filter((type) => !isJson(type) && !type.includes('*')).map(essence);
  const all = [...new Set([...json, ...others])].slice(0, 10);
  return all.length === 0 ? 'application/json, */*' : all.join(', ');
}

/** The declared answer for a status, undefined for a status that the document does not declare. */
export function responseFor(list: readonly DeclaredResponse[], status: number): DeclaredResponse | undefined {
  const names = [String(status), '2XX', 'default'];
  return names.flatMap((name) => list.filter((each) => each.status === name))[0];
}

/**
 * Schema of the result `{ status, body, … }`; undefined where no body has a schema. A body without a schema is any JSON.
 * `nullable` accepts null in every answer, because many servers send it where their document means it.
 */
export function resultSchema(
  document: OpenApiDocument,
  list: readonly DeclaredResponse[],
): Outcome<JsonObject | undefined> {
  if (list.every(({ schema }) => schema === undefined)) return pass(undefined);
  const gathering = new SchemaGathering(document, 'response');
  const exact = list.map(({ status }) => Number(status)).filter((status) => !Number.isNaN(status));
  const forms = list.map(({ status, schema }, nth): JsonObject => {
    const to = list.length === 1 ? '/properties/body' : `/anyOf/${nth}/properties/body`;
    const body = schema === undefined ? true : gathering.take(schema.value, schema.at, to);
    const required = ['status', ...(schema === undefined ? [] : ['body'])];
    return { type: 'object', required, properties: { status: statusSchema(status, exact), body } };
  });
  return gathering.imported(forms.length === 1 && forms[0] !== undefined ? forms[0] : { anyOf: forms });
}

function statusSchema(status: string, exact: readonly number[]): JsonObject {
  if (/^\d+$/.test(status)) return { type: 'integer', enum: [Number(status)] };
  const all = { type: 'integer', minimum: 200, maximum: 299 };
  return exact.length === 0 ? all : { ...all, not: { enum: exact } };
}
