import type { ToolDefinition } from '../../../core/capability/author.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import { type Outcome, pass, type Refusal, type Refused } from '../../../core/outcome.ts';
import type { ToolSource } from '../../api.ts';
import { spelledApart } from '../models/tool-names.ts';
import { call } from './call.ts';
import { invalid, type OpenApiDocument, readDocument } from './document.ts';
import { type ListedOperation, listOperations, type OpenApiOperation } from './operation.ts';
import { OperationError } from './operation-error.ts';
import { type OpenApiOptions, type OpenApiSettings, settingsOf } from './options.ts';
import { type PlannedTool, planOf } from './plan.ts';
import { originOf } from './servers.ts';

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
 * `decode`. The arguments of a tool are `{ path, query, headers, body }`, each where the operation has it; its result is
 * `{ status, body, … }`. Both pass strict schemas made from the document. A call goes to permitted servers alone.
 * Operations that cannot be taken are in `refused`. The document may be a stranger's. Throws `option_invalid`; refuses
 * a document that is none with `definition_invalid`, or with a code of `decode`.
 *
 * @example const source = fromOpenApi(await readFile('pets.json'), { prefix: 'pets', baseUrl: 'https://api.example/v1',
 *   headers: async () => ({ authorization: `Bearer ${await keys.read('pets')}` }) });
 *   if (source.ok) await openRuntime({ tools: [source.value], grants: [{ capability: 'pets.getPet', mode: 'ask' }] });
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
  const own = permitted.origins.size === 0 ? originOf(document, permitted) : undefined;
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
