import { canonicalText } from '../json/canonical.ts';
import { isList, isObject, type JsonObject, type JsonValue, member } from '../json/value.ts';

/**
 * True only if no value matches two of the schemas, as far as their types and constants show: they have different types,
 * or a property that all of them require has different constants. Undefined stands for a boolean schema.
 */
export function areDisjoint(schemas: readonly (JsonObject | undefined)[]): boolean {
  return schemas.every((one, at) => schemas.slice(at + 1).every((other) => excludes(one, other)));
}

function excludes(one: JsonObject | undefined, other: JsonObject | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (apart(typesOf(one), typesOf(other)) || apart(constantsOf(one), constantsOf(other))) return true;
  const [first, second] = [requiredConstants(one), requiredConstants(other)];
  return [...first].some(([name, values]) => apart(values, second.get(name)));
}

function apart(first: readonly string[] | undefined, second: readonly string[] | undefined): boolean {
  return first !== undefined && second !== undefined && !first.some((one) => second.includes(one));
}

/** `integer` is part of `number`. */
function typesOf(schema: JsonObject): readonly string[] | undefined {
  const type = member(schema, 'type');
  const types = isList(type) ? type : [type];
  return type === undefined ? undefined : types.map((one) => (one === 'integer' ? 'number' : (one as string)));
}

function constantsOf(schema: JsonObject): readonly string[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [canonicalText(schema['const'])];
  const values = member(schema, 'enum');
  return isList(values) ? values.map((value: JsonValue) => canonicalText(value)) : undefined;
}

/** Constants of the properties that an object must have. They tell nothing about a value that may be no object. */
function requiredConstants(schema: JsonObject): ReadonlyMap<string, readonly string[]> {
  const { properties, required } = schema;
  if (member(schema, 'type') !== 'object' || !isObject(properties) || !isList(required)) return new Map();
  return new Map(
    required.flatMap((name) => {
      const property = typeof name === 'string' ? member(properties, name) : undefined;
      const constants = isObject(property) ? constantsOf(property) : undefined;
      return constants === undefined ? [] : [[name as string, constants] as const];
    }),
  );
}
