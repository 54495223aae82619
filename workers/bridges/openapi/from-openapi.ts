import { type ToolDefinition, type ToolTerms, toolCapability } from '../../../core/capability/author.ts';
import { define } from '../../../core/capability/define.ts';
import { refuse } from '../../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass, type Refusal, type Refused } from '../../../core/outcome.ts';
import type { ToolSource } from '../../api.ts';
import { spelledApart } from '../models/tool-names.ts';
import { readPath } from './address.ts';
import { call, type OperationPlan } from './call.ts';
import { invalid, type OpenApiDocument, readDocument, textIn } from './document.ts';
import { type ListedOperation, listOperations, type OpenApiOperation, OperationError } from './operation.ts';
import { givenServer, type OpenApiOptions, type OpenApiSettings, settingsOf, valueFor } from './options.ts';
import { type OperationParameter, type ParameterGroup, readParameters } from './parameters.ts';
import { type RequestBody, readRequestBody } from './request-body.ts';
import { readResponses, resultSchema } from './responses.ts';
import { bounded, SchemaGathering } from './schema-gathering.ts';
import { originOf, serverOf } from './servers.ts';

/** A tool of an operation, or the reason for its absence. */
export interface OperationRefusal {
  /** Absent for a path of the document that could not be read. */
  readonly operation?: OpenApiOperation;
  /** Reason, with a pointer into the document. */
  readonly refusal: Refusal;
}

/** The tools of a document. */
export interface OpenApiSource extends ToolSource {
  /** Name of the tool of each operation, by the operation's id. */
  readonly names: ReadonlyMap<string, string>;
  /** Operations that became no tool. */
  readonly refused: readonly OperationRefusal[];
  /** Operations that became a tool without a schema of its answers, with the reason. */
  readonly unchecked: readonly OperationRefusal[];
}

/**
 * Tools of the operations of an OpenAPI document, 3.0 or 3.1: an object, or JSON text or bytes, which pass through
 * `decode`. The arguments of a tool are `{ path, query, headers, cookies, body }`, each where the operation has it; its result is
 * `{ status, body, … }`. Both pass strict schemas made from the document. A call goes to permitted servers alone.
 * Operations that cannot be taken are in `refused`. The document may be a stranger's. Throws `option_invalid`; refuses
 * a document that is none with `definition_invalid`, or with a code of `decode`.
 *
 * @example const source = fromOpenApi(await readFile('pets.json'), { prefix: 'pets', baseUrl: 'https://api.example/v1',
 *   headers: async () => ({ authorization: `Bearer ${await keys.read('pets')}` }) });
 *   if (source.ok) await openRuntime({ tools: [source.value], grants: [{ capability: 'pets.getPet', mode: 'ask' }] });
 *
 * @experimental
 */
export function fromOpenApi(document: object | string | Uint8Array, options: OpenApiOptions): Outcome<OpenApiSource> {
  const given = settingsOf(options);
  const read = readDocument(document);
  if (!read.ok) return read;
  const settings = permitting(given, read.value);
  const listed = listOperations(read.value);
  const chosen = chosenOf(listed, settings);
  // names do not depend on the choice
  const names = namesOf(operationsIn(listed), settings.prefix);
  const found = planAll(read.value, chosen.operations, names, settings);
  return pass(sourceOf(found, [...chosen.refused, ...found.refused], settings));
}

/** Where the program names no server, the first server of the document is permitted, if it is reached over https. */
function permitting(settings: OpenApiSettings, document: OpenApiDocument): OpenApiSettings {
  const { permitted } = settings;
  const own =
    permitted.origins.size === 0 && settings.headers === undefined ? originOf(document, permitted) : undefined;
  return own === undefined ? settings : { ...settings, permitted: { ...permitted, origins: new Set([own]) } };
}

interface Chosen {
  readonly operations: readonly ListedOperation[];
  readonly refused: readonly OperationRefusal[];
}

function chosenOf(listed: readonly Outcome<ListedOperation>[], { operations: choice }: OpenApiSettings): Chosen {
  const all = operationsIn(listed);
  const unread = listed.filter((each): each is Refused => !each.ok).map(({ refusal }) => ({ refusal }));
  if (choice === undefined) return { operations: all, refused: unread };
  if (typeof choice === 'function') return { operations: all.filter((each) => choice(shownOf(each))), refused: unread };
  const ids = new Set(all.map(({ id }) => id));
  const absent = choice.filter((id) => !ids.has(id)).map((id) => absentOperation(id));
  return { operations: all.filter(({ id }) => choice.includes(id)), refused: [...unread, ...absent] };
}

function operationsIn(listed: readonly Outcome<ListedOperation>[]): readonly ListedOperation[] {
  return listed.flatMap((each) => (each.ok ? [each.value] : []));
}

function absentOperation(id: string): OperationRefusal {
  return { refusal: invalid('/paths', `there is no operation ${JSON.stringify(id)}`).refusal };
}

function shownOf({ id, method, path }: OpenApiOperation): OpenApiOperation {
  return { id, method, path };
}

/** Names by method and path, in the order of the document: two operations may have one id, and two paths one item. */
function namesOf(operations: readonly ListedOperation[], prefix: string): ReadonlyMap<string, string> {
  const ids = new Map(operations.map((each) => [placeOf(each), each.id]));
  return spelledApart([...ids.keys()], (place) => spell(`${prefix}.${ids.get(place) ?? ''}`));
}

/** Method and path, which no other operation of the document has. */
function placeOf({ method, path }: OpenApiOperation): string {
  return `${method} ${path}`;
}

/** A name as capabilities have it, also for a method with a path. */
function spell(name: string): string {
  const [, before = '', rest = ''] = /^(.*?\.)(.*)$/s.exec(name) ?? [];
  const words = rest.replace(/[^A-Za-z0-9._-]+/g, '_').replace(/(?<=.)_+$/, '');
  return `${before}${words}`.slice(0, 64);
}

interface Found {
  readonly planned: readonly PlannedTool[];
  readonly refused: readonly OperationRefusal[];
}

function planAll(
  document: OpenApiDocument,
  operations: readonly ListedOperation[],
  names: ReadonlyMap<string, string>,
  settings: OpenApiSettings,
): Found {
  const planned: PlannedTool[] = [];
  const refused: OperationRefusal[] = [];
  for (const listed of operations) {
    const made = planOf(document, listed, names.get(placeOf(listed)) as string, settings);
    if (made.ok) planned.push(made.value);
    else refused.push({ operation: shownOf(listed), refusal: made.refusal });
  }
  return { planned, refused };
}

function sourceOf({ planned }: Found, refused: readonly OperationRefusal[], settings: OpenApiSettings): OpenApiSource {
  const closing = new AbortController();
  const tools = planned.map((each) => toolOf(each, settings, closing.signal));
  return {
    id: `openapi:${settings.prefix}`,
    names: new Map(planned.map(({ plan, terms }) => [plan.operation.id, terms.name])),
    refused,
    unchecked: planned.flatMap(({ plan: { operation }, unchecked: refusal }) =>
      refusal === undefined ? [] : [{ operation, refusal }],
    ),
    list: () => Promise.resolve(tools),
    close: () => Promise.resolve(closing.abort()),
  };
}

/** Calls end with the source. */
function toolOf({ plan, terms }: PlannedTool, settings: OpenApiSettings, closing: AbortSignal): ToolDefinition {
  return {
    ...terms,
    run: (args: never, io): Promise<JsonObject> => {
      if (closing.aborted) throw new OperationError('source_closed', 'The tools of this document are closed.');
      return call(plan, settings, args as JsonValue, { ...io, signal: AbortSignal.any([io.signal, closing]) });
    },
  };
}

/** A tool of an operation, before it gets its function. */
interface PlannedTool {
  readonly plan: OperationPlan;
  readonly terms: ToolTerms;
  /** Reason why answers are not checked. */
  readonly unchecked?: Refusal;
}

/** UTF-16 units of a description. */
const DESCRIPTION_MAX = 1000;

/** Plans the tool of an operation, or refuses it with a pointer into the document. */
function planOf(
  document: OpenApiDocument,
  listed: ListedOperation,
  name: string,
  settings: OpenApiSettings,
): Outcome<PlannedTool> {
  const read = readOperation(document, listed, settings);
  if (!read.ok) return read;
  const plan = read.value;
  const args = argsSchema(document, plan.parameters, plan.body);
  if (!args.ok) return placed(args, listed);
  const result = resultSchema(document, plan.responses.list);
  if (!result.ok && settings.results === 'required') return placed(result, listed);
  const terms = {
    name,
    description: describe(listed, plan.server),
    args: args.value,
    ...(result.ok && result.value !== undefined && { result: result.value }),
    ...termsOf(document, listed, settings, plan.server),
  };
  const defined = define(toolCapability(terms));
  if (!defined.ok) return invalid(listed.pointer, defined.refusal.message);
  return pass({ plan, terms, ...(!result.ok && { unchecked: result.refusal }) });
}

/** A refusal of a whole schema, which is made of several places, at the operation. */
function placed({ refusal }: Refused, { pointer }: ListedOperation): Refused {
  const { code, details, pointer: at = '' } = refusal;
  return refuse(code, details as never, { pointer: at === '' ? pointer : at });
}

function readOperation(
  document: OpenApiDocument,
  listed: ListedOperation,
  settings: OpenApiSettings,
): Outcome<OperationPlan> {
  const { method, pointer } = listed;
  if (method === 'TRACE') return invalid(pointer, 'the method TRACE is not taken');
  const given = givenServer(settings, listed);
  const server = given === undefined ? serverOf(document, listed, settings.permitted) : pass(given);
  if (!server.ok) return server;
  const parameters = readParameters(document, listed);
  if (!parameters.ok) return parameters;
  const path = readPath(listed.path, listed.item.pointer, parameters.value);
  if (!path.ok) return path;
  const named = new Set(path.value.parts.flatMap(([, name]) => name ?? []));
  const sent = parameters.value.filter(({ group, name }) => group !== 'path' || named.has(name));
  const body = readRequestBody(document, listed);
  if (!body.ok) return body;
  const responses = readResponses(document, listed);
  if (!responses.ok) return responses;
  const { id } = listed;
  return pass({
    operation: { id, method, path: listed.path },
    server: server.value,
    path: path.value,
    parameters: sent,
    body: body.value,
    responses: responses.value,
  });
}

const GROUPS: readonly ParameterGroup[] = ['path', 'query', 'headers', 'cookies'];

/** `{ path, query, headers, cookies, body }`, each where the operation has it. Names of two groups cannot collide. */
function argsSchema(
  document: OpenApiDocument,
  parameters: readonly OperationParameter[],
  body: RequestBody | undefined,
): Outcome<JsonObject> {
  const gathering = new SchemaGathering(document, 'request');
  const properties = new Map<string, JsonValue>();
  const required: string[] = [];
  for (const group of GROUPS) {
    const members = parameters.filter((each) => each.group === group);
    if (members.length === 0) continue;
    const made = groupSchema(gathering, group, members);
    properties.set(group, made);
    if (Array.isArray(made['required'])) required.push(group);
  }
  if (body !== undefined) properties.set('body', gathering.take(body.schema, body.at, '/properties/body'));
  if (body?.isRequired) required.push('body');
  return gathering.imported(closed(properties, required));
}

function groupSchema(
  gathering: SchemaGathering,
  group: ParameterGroup,
  members: readonly OperationParameter[],
): JsonObject {
  const properties = members.map(({ name, schema, at, description }) => {
    const taken = gathering.take(schema, at, pointerTo(`/properties/${group}/properties`, name));
    return [name, described(taken, description)] as const;
  });
  const required = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return closed(new Map(properties), required);
}

function closed(properties: ReadonlyMap<string, JsonValue>, required: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function described(schema: JsonValue, description: string): JsonValue {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || description === '') return schema;
  return { description: bounded(description, 300), ...(schema as JsonObject) };
}

/** Method and address come first, so that no text of the document stands in their place, and the hash covers them. */
function describe({ method, path, value, id }: ListedOperation, server: URL): string {
  const texts = [textIn(value, 'summary'), textIn(value, 'description')];
  const text = texts.find((each) => each.trim() !== '') ?? id;
  const address = `${method} ${server.href.replace(/\/+$/, '')}${path}`;
  return bounded(`${address}: ${text}`, DESCRIPTION_MAX);
}

function termsOf(document: OpenApiDocument, listed: ListedOperation, settings: OpenApiSettings, server: URL) {
  const { effect, labels, version, timeoutMs } = settings;
  const held = valueFor(settings.held, listed);
  return {
    version: version ?? versionOf(document),
    effect: valueFor(effect, listed) ?? ('egress' as const),
    labels: valueFor(labels, listed) ?? (['private', 'untrusted'] as const),
    ...(held !== undefined && { held }),
    origin: `openapi:${server.origin}`,
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function versionOf({ root }: OpenApiDocument): string {
  const info = member(root, 'info');
  const named = isObject(info) ? textIn(info, 'version') : '';
  const number = '(?:0|[1-9]\\d{0,8})';
  return new RegExp(`^${number}\\.${number}\\.${number}$`).test(named) ? named : '0.0.0';
}
