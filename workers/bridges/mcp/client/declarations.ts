import { isObject, type JsonObject, type JsonValue, member } from '../../../../core/json/value.ts';
import { visibleText } from '../../../../core/text/visible.ts';
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
  const annotations = flags.length > 0 ? { annotations: Object.fromEntries(flags) } : {};
  return {
    name: typeof name === 'string' ? name : '',
    ...Object.fromEntries([...texts, ...schemas]),
    ...annotations,
  } as McpTool;
}
