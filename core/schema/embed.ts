import { isObject, type JsonObject, type JsonValue, pointerTo } from '../json/value.ts';
import { decodeFragment } from './fragment.ts';
import { KEYWORDS } from './keywords.ts';

/**
 * Collects schemas into one larger schema, in which their local `$ref` would lead to another place. Each subschema that
 * a `$ref` names becomes an entry of `definitions`, which belongs at the root of the larger schema as its `$defs`; the
 * `$ref` and the place of the subschema then name that entry. `$schema`, `$id`, `$anchor`, `$defs` and `contentSchema`
 * are dropped. The result accepts the values that the schema accepts.
 */
interface SchemaCollection {
  /** The schema in a form that can stand anywhere in the larger schema; `name` begins the names of its definitions. */
  embed(name: string, schema: JsonObject): JsonObject;
  readonly definitions: { readonly [name: string]: JsonValue };
}

/** `shared`: a definition that several schemas have, the same object in each. It becomes one entry for all of them. */
export function collectSchemas(shared?: JsonObject): SchemaCollection {
  const definitions: Record<string, JsonValue> = {};
  let one: string | undefined;
  return {
    definitions,
    embed(name, schema) {
      const names = new Map<string, string>();
      const found = locate(schema);
      for (const target of found.targets) {
        const isShared = shared !== undefined && found.schemas.get(target) === shared;
        const own = target === '' ? name : `${name}.${lastToken(target)}`;
        const free = (isShared ? one : undefined) ?? freeName(isShared ? lastToken(target) : own, definitions);
        if (isShared) one = free;
        names.set(target, `#/$defs/${free}`);
        // holds the name until the definition is written
        definitions[free] = true;
      }
      for (const [target, ref] of names)
        definitions[ref.slice('#/$defs/'.length)] = rewrite(found, names, found.schemas.get(target) ?? true, target);
      const ref = names.get('');
      return ref === undefined ? (rewrite(found, names, schema, '') as JsonObject) : { $ref: ref };
    },
  };
}

interface Located {
  readonly schemas: Map<string, JsonValue>;
  readonly anchors: Map<string, string>;
  /** Pointers of the subschemas that references lead to. */
  readonly targets: ReadonlySet<string>;
}

function locate(root: JsonObject): Located {
  const found = { schemas: new Map<string, JsonValue>(), anchors: new Map<string, string>() };
  visit(root, '');
  const refs = [...found.schemas.values()].flatMap((schema) => (isObject(schema) ? (schema['$ref'] ?? []) : []));
  return { ...found, targets: new Set(refs.flatMap((ref) => targetOf(found, ref) ?? [])) };

  function visit(schema: JsonValue, pointer: string): void {
    found.schemas.set(pointer, schema);
    if (!isObject(schema)) return;
    if (typeof schema['$anchor'] === 'string') found.anchors.set(schema['$anchor'], pointer);
    for (const [keyword, value] of Object.entries(schema))
      for (const [token, subschema] of subschemas(keyword, value))
        visit(subschema, token === undefined ? `${pointer}/${keyword}` : pointerTo(`${pointer}/${keyword}`, token));
  }
}

/** Undefined for a reference that leads nowhere; registration refuses a schema with this reference. */
function targetOf({ schemas, anchors }: Omit<Located, 'targets'>, ref: JsonValue): string | undefined {
  const fragment = typeof ref === 'string' ? decodeFragment(ref.slice(1)) : undefined;
  if (fragment === undefined) return undefined;
  if (fragment !== '' && !fragment.startsWith('/')) return anchors.get(fragment);
  return schemas.has(fragment) ? fragment : undefined;
}

type Token = string | number | undefined;

/** The subschemas in the value of a keyword, each with its place in that value. */
function subschemas(keyword: string, value: JsonValue): readonly (readonly [Token, JsonValue])[] {
  switch (KEYWORDS.get(keyword)?.shape) {
    case 'schema':
      return [[undefined, value]];
    case 'schemas':
      return Array.isArray(value) ? [...(value as readonly JsonValue[]).entries()] : [];
    case 'schemaMap':
    case 'patternMap':
      return isObject(value) ? Object.entries(value) : [];
    default:
      return [];
  }
}

const DROPPED: ReadonlySet<string> = new Set(['$schema', '$id', '$anchor', '$defs', 'contentSchema']);

function rewrite(found: Located, names: ReadonlyMap<string, string>, schema: JsonValue, pointer: string): JsonValue {
  if (!isObject(schema)) return schema;
  const place = (subschema: JsonValue, at: string): JsonValue => {
    const ref = names.get(at);
    return ref === undefined ? rewrite(found, names, subschema, at) : { $ref: ref };
  };
  const entries = Object.entries(schema).flatMap(([keyword, value]): (readonly [string, JsonValue])[] => {
    const at = `${pointer}/${keyword}`;
    if (DROPPED.has(keyword)) return [];
    if (keyword === '$ref') return [[keyword, names.get(targetOf(found, value) ?? '') ?? value]];
    switch (KEYWORDS.get(keyword)?.shape) {
      case 'schema':
        return [[keyword, place(value, at)]];
      case 'schemas':
        return [[keyword, subschemas(keyword, value).map(([nth, each]) => place(each, `${at}/${nth}`))]];
      case 'schemaMap':
      case 'patternMap': {
        const all = subschemas(keyword, value).map(([name = '', each]) => [name, place(each, pointerTo(at, name))]);
        return [[keyword, Object.fromEntries(all) as JsonObject]];
      }
      default:
        return [[keyword, value]];
    }
  });
  return Object.fromEntries(entries);
}

function lastToken(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_');
}

/** Two capabilities may use equal names, and so may two places of the same schema. */
function freeName(name: string, taken: { readonly [name: string]: JsonValue }): string {
  let free = name;
  for (let nth = 2; Object.hasOwn(taken, free); nth++) free = `${name}_${nth}`;
  return free;
}
