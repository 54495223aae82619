import { type ToolTerms, toolCapability } from '../../../core/capability/author.ts';
import { define } from '../../../core/capability/define.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../core/json/value.ts';
import { type Outcome, pass, type Refusal } from '../../../core/outcome.ts';
import { readPath } from './address.ts';
import type { OperationPlan } from './call.ts';
import { invalid, type OpenApiDocument, textIn } from './document.ts';
import type { ListedOperation } from './operation.ts';
import { type OpenApiSettings, valueFor } from './options.ts';
import { type OperationParameter, type ParameterGroup, readParameters } from './parameters.ts';
import { type RequestBody, readRequestBody } from './request-body.ts';
import { readResponses, resultSchema } from './responses.ts';
import { bounded, SchemaGathering } from './schema-gathering.ts';
import { serverOf } from './servers.ts';

/** A tool of an operation, before it gets its function. */
export interface PlannedTool {
  readonly plan: OperationPlan;
  readonly terms: ToolTerms;
  /** Reason why answers are not checked. */
  readonly unchecked?: Refusal;
}

/** UTF-16 units of a description. */
const DESCRIPTION_MAX = 1000;

/** Plans the tool of an operation, or refuses it with a pointer into the document. */
export function planOf(
  document: OpenApiDocument,
  listed: ListedOperation,
  name: string,
  settings: OpenApiSettings,
): Outcome<PlannedTool> {
  const read = readOperation(document, listed, settings);
  if (!read.ok) return read;
  const plan = read.value;
  const args = argsSchema(document, plan.parameters, plan.body);
  if (!args.ok) return args;
  const result = resultSchema(document, plan.responses.list);
  if (!result.ok && settings.results === 'required') return result;
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

function readOperation(
  document: OpenApiDocument,
  listed: ListedOperation,
  { permitted }: OpenApiSettings,
): Outcome<OperationPlan> {
  const { method, pointer } = listed;
  if (method === 'TRACE') return invalid(pointer, 'the method TRACE is not taken');
  const server = serverOf(document, listed, permitted);
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

const GROUPS: readonly ParameterGroup[] = ['path', 'query', 'headers'];

/** `{ path, query, headers, body }`, each where the operation has it. Names of two groups cannot collide. */
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
  return {
    version: version ?? versionOf(document),
    effect: valueFor(effect, listed) ?? ('egress' as const),
    labels: valueFor(labels, listed) ?? (['private', 'untrusted'] as const),
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
