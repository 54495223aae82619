import { canonicalText } from '../json/canonical.ts';
import { isList, isObject, type JsonObject, type JsonValue, member } from '../json/value.ts';
import { KEYWORDS } from './keywords.ts';

/** Most bits that one released value may cost. */
const RELEASE_BITS_MAX = 64;

/**
 * Bits that one value of the schema tells at most: the logarithm of the number of its values and of the outcome without a
 * value, rounded up. Counted are booleans, `enum` and `const` of scalars, integers with `minimum` and `maximum`, dates, and
 * objects that are closed and made of these, where the absence of an optional member counts as one value more. Undefined for
 * another schema, and for more than `RELEASE_BITS_MAX` bits.
 *
 * @example releaseBits({ type: 'boolean' }) // 2: true, false, no value
 */
export function releaseBits(schema: JsonObject): number | undefined {
  const values = countValues(schema);
  // the least b for which 2 ** b is at least values + 1
  const bits = values === undefined ? undefined : values.toString(2).length;
  return bits !== undefined && bits <= RELEASE_BITS_MAX ? bits : undefined;
}

/** More values than a release may tell apart. */
const TOO_MANY = 2n ** BigInt(RELEASE_BITS_MAX);

/** Days of the years 0000 to 9999 in the calendar of RFC 3339. */
const DATES = 3_652_425n;

function countValues(schema: JsonValue | undefined): bigint | undefined {
  if (!isObject(schema)) return undefined;
  const says = assertions(schema);
  const { type } = schema;
  if (Object.hasOwn(schema, 'enum'))
    return isOnly(says, ['enum', 'type']) ? countListed(schema['enum'], type) : undefined;
  if (Object.hasOwn(schema, 'const'))
    return isOnly(says, ['const', 'type']) ? countListed([schema['const'] ?? null], type) : undefined;
  switch (type) {
    case 'boolean':
      return isOnly(says, ['type']) ? 2n : undefined;
    case 'integer':
      return isOnly(says, ['type', 'minimum', 'maximum']) ? countIntegers(schema) : undefined;
    case 'string':
      return isOnly(says, ['type', 'format']) && schema['format'] === 'date' ? DATES : undefined;
    case 'object':
      return isOnly(says, ['type', 'properties', 'required', 'additionalProperties'])
        ? countObjects(schema)
        : undefined;
    default:
      return undefined;
  }
}

/** The keywords that take part in the judgement of a value. */
function assertions(schema: JsonObject): readonly string[] {
  return Object.keys(schema).filter((keyword) => {
    const shape = KEYWORDS.get(keyword)?.shape;
    return shape !== 'note' && shape !== 'dialect';
  });
}

function isOnly(keywords: readonly string[], known: readonly string[]): boolean {
  return keywords.every((keyword) => known.includes(keyword));
}

/** The different scalars of a list that are of the type. */
function countListed(list: JsonValue | undefined, type: JsonValue | undefined): bigint | undefined {
  if (!isList(list) || list.some((each) => typeof each === 'object' && each !== null)) return undefined;
  const types = type === undefined || isList(type) ? type : [type];
  const fitting = list.filter((each) => types === undefined || typesOf(each).some((name) => types.includes(name)));
  return fitting.length === 0 ? undefined : BigInt(new Set(fitting.map((each) => canonicalText(each))).size);
}

function typesOf(scalar: JsonValue): readonly string[] {
  if (scalar === null) return ['null'];
  if (typeof scalar === 'number') return Number.isInteger(scalar) ? ['number', 'integer'] : ['number'];
  return [typeof scalar];
}

function countIntegers({ minimum, maximum }: JsonObject): bigint | undefined {
  if (typeof minimum !== 'number' || typeof maximum !== 'number') return undefined;
  const count = BigInt(Math.floor(maximum)) - BigInt(Math.ceil(minimum)) + 1n;
  return count >= 1n && count < TOO_MANY ? count : undefined;
}

function countObjects(schema: JsonObject): bigint | undefined {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (additionalProperties !== false || !isObject(properties) || !isList(required)) return undefined;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return undefined;
  let product = 1n;
  for (const name of Object.keys(properties)) {
    const values = countValues(member(properties, name));
    if (values === undefined) return undefined;
    product *= required.includes(name) ? values : values + 1n;
    if (product >= TOO_MANY) return undefined;
  }
  return product;
}
