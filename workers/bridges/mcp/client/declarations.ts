import { type Effect, LABELS, type Label } from '../../../../core/capability/guard.ts';
import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { visibleText } from '../../../../core/text/visible.ts';
import { LongTimer } from '../../../async.ts';
import type { McpTool } from './api.ts';

/** Members of a declaration or a schema that a person or a model reads. */
const READ: ReadonlySet<string> = new Set(['title', 'description', '$comment']);

/** Members of a schema whose own members are named by the server. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);

/** Members of a schema that hold values, which keep every character. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * A declaration with the texts that a person or a model reads made visible: a description can hide orders in characters
 * that no person sees. A declaration that is no object is undefined.
 */
export function visibleDeclaration(given: JsonValue): JsonObject | undefined {
  return isObject(given) ? shown(given) : undefined;
}

function shown(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, shownMember(name, value as JsonValue)]),
  );
}

function shownMember(name: string, value: JsonValue): JsonValue {
  if (typeof value === 'string') return READ.has(name) ? visibleText(value) : value;
  if (VALUES.has(name)) return value;
  if (Array.isArray(value)) return value.map((each) => (isObject(each) ? shown(each) : (each as JsonValue)));
  if (!isObject(value)) return value;
  if (!NAMED.has(name)) return shown(value);
  return Object.fromEntries(
    Object.entries(value).map(([each, schema]) => [each, isObject(schema) ? shown(schema) : (schema as JsonValue)]),
  );
}

/** The declaration as `effect` and `labels` of the program see it: of hints only flags, of texts only texts. */
export function toolOf(given: JsonObject): McpTool {
  const name = member(given, 'name');
  const hints = member(given, 'annotations');
  const flags = isObject(hints) ? Object.entries(hints).filter(([, value]) => typeof value === 'boolean') : [];
  const texts = ['title', 'description'].flatMap((name) => {
    const text = member(given, name);
    return typeof text === 'string' ? [[name, text] as const] : [];
  });
  const schemas = ['inputSchema', 'outputSchema'].flatMap((name) => {
    const schema = member(given, name);
    return isObject(schema) ? [[name, schema] as const] : [];
  });
  const meta = member(given, '_meta');
  const ui = isObject(meta) ? member(meta, 'ui') : undefined;
  const annotations = flags.length > 0 ? { annotations: Object.fromEntries(flags) } : {};
  return {
    name: typeof name === 'string' ? name : '',
    ...Object.fromEntries([...texts, ...schemas]),
    ...annotations,
    ...(isObject(ui) && { _meta: { ui } }),
  } as McpTool;
}

const ORDER: readonly Effect[] = ['pure', 'read', 'write', 'egress'];

type Hints = NonNullable<McpTool['annotations']>;

/**
 * The effect of a tool. Hints are a stranger's word, so they only make the program's effect stricter: a tool that says
 * that it changes or destroys is at least `write`, and a tool that says that it reaches the open world is `egress`. With
 * `trustHints`, the hints of a tool that has hints decide.
 */
export function effectOf({ annotations = {} }: McpTool, given: Effect, trustHints: boolean): Effect {
  if (trustHints && annotations.readOnlyHint !== undefined) return trusted(annotations);
  const hinted = strictestHint(annotations);
  return ORDER.indexOf(hinted) > ORDER.indexOf(given) ? hinted : given;
}

function strictestHint({ readOnlyHint, destructiveHint, openWorldHint }: Hints): Effect {
  if (openWorldHint === true) return 'egress';
  return readOnlyHint === false || destructiveHint === true ? 'write' : 'pure';
}

/** The protocol's default for `openWorldHint` is true; a tool that reads is taken at its word. */
function trusted({ readOnlyHint, openWorldHint }: Hints): Effect {
  if (readOnlyHint === true) return openWorldHint === true ? 'egress' : 'read';
  return openWorldHint === false ? 'write' : 'egress';
}

/**
 * Labels that an answer itself has by `_meta.ifc`, as the GitHub MCP server sends it: `integrity` that is not `trusted`,
 * and `confidentiality` that is not exactly `["public"]`. What has another form has every label.
 */
export function answerLabels(answer: { readonly _meta?: unknown }): readonly Label[] {
  const meta = answer._meta as JsonValue | undefined;
  const ifc = isObject(meta) ? member(meta, 'ifc') : undefined;
  if (ifc === undefined) return [];
  const integrity = isObject(ifc) ? member(ifc, 'integrity') : undefined;
  const readers = isObject(ifc) ? member(ifc, 'confidentiality') : undefined;
  const isFormed = Array.isArray(readers) && readers.every((reader: JsonValue) => typeof reader === 'string');
  if (typeof integrity !== 'string' || !isFormed) return LABELS;
  const isPublic = readers.length === 1 && readers[0] === 'public';
  return LABELS.filter((label) => (label === 'private' ? !isPublic : integrity !== 'trusted'));
}

/** Changes of a server's list, told to the runtime one at a time. */
interface Changes {
  /** Notes a change. A flood of changes becomes one list every `PAUSE_MS`. */
  readonly note: () => void;
  /** True for a change that no list has taken in. */
  readonly isNoted: () => boolean;
  /** A list begins: changes before it are in it. */
  readonly taken: () => void;
  readonly listen: (listener: () => void) => () => void;
}

const PAUSE_MS = 500;

export function makeChanges(): Changes {
  const listeners = new Set<() => void>();
  const timer = new LongTimer();
  let isNoted = false;
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (): void => {
    toldAt = performance.now();
    for (const listener of listeners) listener();
  };
  return {
    note: () => {
      if (isNoted) return;
      isNoted = true;
      const wait = toldAt + PAUSE_MS - performance.now();
      if (wait > 0) timer.start(wait, tell);
      else tell();
    },
    isNoted: () => isNoted,
    taken: () => {
      isNoted = false;
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
