import { isList, isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../json/value.ts';
import { CAPABILITY_LIMITS } from '../../limits.ts';
import { KEYWORDS } from '../keywords.ts';

/** A subschema of a schema of any draft. */
export interface Place {
  readonly pointer: string;
  readonly schema: JsonValue;
}

/** Tokens below a keyword that lead to a subschema, and the subschema. */
type Child = readonly [tokens: readonly (string | number)[], schema: JsonValue];

/** All subschemas, definitions and OpenAPI components included, to the greatest depth that is accepted. */
export function* places(schema: JsonValue, pointer = '', depth = 1): Generator<Place> {
  yield { pointer, schema };
  if (!isObject(schema) || depth > CAPABILITY_LIMITS.schemaDepth) return;
  for (const [keyword, value] of Object.entries(schema) as [string, JsonValue][])
    for (const [tokens, child] of children(keyword, value))
      yield* places(child, [keyword, ...tokens].reduce(pointerTo, pointer), depth + 1);
}

function children(keyword: string, value: JsonValue): readonly Child[] {
  switch (keyword) {
    case 'components':
      return isObject(value) ? named(member(value, 'schemas'), ['schemas']) : [];
    case 'definitions':
    case 'dependencies':
      return named(value);
    case 'additionalItems':
      return [[[], value]];
    default:
      return ofShape(keyword, value);
  }
}

function ofShape(keyword: string, value: JsonValue): readonly Child[] {
  switch (KEYWORDS.get(keyword)?.shape) {
    case 'schema':
    case 'schemas':
      return isList(value) ? value.map((one, at) => [[at], one] as const) : [[[], value]];
    case 'schemaMap':
    case 'patternMap':
      return named(value);
    default:
      return [];
  }
}

function named(map: JsonValue | undefined, before: readonly string[] = []): readonly Child[] {
  return isObject(map) ? Object.entries(map).map(([name, one]) => [[...before, name], one] as const) : [];
}

/** The tokens of a JSON pointer. */
export function tokensOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.split('~1').join('/').split('~0').join('~'));
}

/** Values on the way along a pointer, the root first; undefined where it leads to no value. */
export function along(root: JsonObject, pointer: string): readonly JsonValue[] | undefined {
  const values: JsonValue[] = [root];
  for (const token of tokensOf(pointer)) {
    const value = inside(values.at(-1) as JsonValue, token);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function inside(value: JsonValue, token: string): JsonValue | undefined {
  if (isList(value)) return String(Number(token)) === token ? value[Number(token)] : undefined;
  return isObject(value) ? member(value, token) : undefined;
}
