import { FORMATS } from '../../../core/schema/formats.ts';

/**
 * JSON Schema 2020-12 read straight from the specification, slow and plain: generated validators are compared with it.
 * It has no remote references and no `$dynamicRef`, and shares only `FORMATS` with the product.
 */
export function isValid(schema: unknown, value: unknown): boolean {
  return validity(schema)(value);
}

/** `isValid` for many values of a schema, whose anchors are read once. */
export function validity(schema: unknown): (value: unknown) => boolean {
  const context = { root: schema, anchors: anchorsOf(schema) };
  return (value) => evaluate(context, schema, value) !== null;
}

interface Context {
  readonly root: unknown;
  readonly anchors: ReadonlyMap<string, unknown>;
}

/** Names of members and places of items that a schema has evaluated. */
interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const own = (object: Json, name: string): unknown => (Object.hasOwn(object, name) ? object[name] : undefined);
const entries = (value: unknown): [string, unknown][] => (isJson(value) ? Object.entries(value) : []);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Null when the value does not match. */
function evaluate(context: Context, schema: unknown, value: unknown): Seen | null {
  if (typeof schema === 'boolean') return schema ? { names: new Set(), items: new Set() } : null;
  if (!isJson(schema)) throw new Error('not a schema');
  if (!assertions(schema, value)) return null;
  const seen: Seen = { names: new Set(), items: new Set() };
  if (!inPlace(context, schema, value, seen)) return null;
  if (isJson(value) && !members(context, schema, value, seen)) return null;
  if (Array.isArray(value) && !items(context, schema, value, seen)) return null;
  return seen;
}

function merge(into: Seen, from: Seen): void {
  for (const name of from.names) into.names.add(name);
  for (const at of from.items) into.items.add(at);
}

function assertions(schema: Json, value: unknown): boolean {
  return entries(schema).every(([keyword, want]) => {
    switch (keyword) {
      case 'type':
        return (Array.isArray(want) ? want : [want]).some((type) => isType(value, String(type)));
      case 'enum':
        return list(want).some((one) => same(one, value));
      case 'const':
        return same(want, value);
      default:
        return (
          (typeof value !== 'number' || numeric(keyword, want, value)) &&
          (typeof value !== 'string' || textual(keyword, want, value)) &&
          (!Array.isArray(value) || counted(keyword, want, value)) &&
          (!isJson(value) || named(keyword, want, value))
        );
    }
  });
}

function isType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJson(value);
  return type === 'null' ? value === null : typeof value === type;
}

function same(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((one, at) => same(one, right[at]));
  if (!isJson(left) || !isJson(right)) return left === right;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && same(left[name], right[name]))
  );
}

function numeric(keyword: string, limit: unknown, value: number): boolean {
  if (typeof limit !== 'number') return true;
  if (keyword === 'maximum') return value <= limit;
  if (keyword === 'exclusiveMaximum') return value < limit;
  if (keyword === 'minimum') return value >= limit;
  if (keyword === 'exclusiveMinimum') return value > limit;
  return keyword !== 'multipleOf' || isMultiple(value, limit);
}

/** Both numbers become integers by zeros behind their digits. */
function isMultiple(value: number, of: number): boolean {
  const scale = Math.max(places(value), places(of), 0);
  return whole(value, scale) % whole(of, scale) === 0n;
}

function places(number: number): number {
  const [digits = '', power = '0'] = String(number).split('e');
  return (digits.split('.')[1]?.length ?? 0) - Number(power);
}

function whole(number: number, scale: number): bigint {
  const [digits = '', power = '0'] = String(number).split('e');
  const [int = '', fraction = ''] = digits.split('.');
  return BigInt(int + fraction + '0'.repeat(scale + Number(power) - fraction.length));
}

function textual(keyword: string, want: unknown, value: string): boolean {
  if (keyword === 'maxLength') return Array.from(value).length <= Number(want);
  if (keyword === 'minLength') return Array.from(value).length >= Number(want);
  if (keyword === 'pattern') return new RegExp(String(want), 'u').test(value);
  return keyword !== 'format' || (FORMATS[String(want)]?.(value) ?? false);
}

function counted(keyword: string, want: unknown, value: unknown[]): boolean {
  if (keyword === 'maxItems') return value.length <= Number(want);
  if (keyword === 'minItems') return value.length >= Number(want);
  return (
    keyword !== 'uniqueItems' ||
    want === false ||
    value.every((one, at) => !value.slice(at + 1).some((other) => same(one, other)))
  );
}

function named(keyword: string, want: unknown, value: Json): boolean {
  if (keyword === 'maxProperties') return Object.keys(value).length <= Number(want);
  if (keyword === 'minProperties') return Object.keys(value).length >= Number(want);
  if (keyword === 'required') return list(want).every((name) => Object.hasOwn(value, String(name)));
  if (keyword !== 'dependentRequired') return true;
  return entries(want).every(
    ([name, needs]) => !Object.hasOwn(value, name) || list(needs).every((one) => Object.hasOwn(value, String(one))),
  );
}

function inPlace(context: Context, schema: Json, value: unknown, seen: Seen): boolean {
  const run = (one: unknown): Seen | null => evaluate(context, one, value);
  const keep = (results: (Seen | null)[]): number =>
    results.filter((one) => one !== null && (merge(seen, one), true)).length;
  const ref = own(schema, '$ref');
  if (typeof ref === 'string' && keep([run(resolve(context, ref))]) === 0) return false;
  const all = list(own(schema, 'allOf'));
  if (keep(all.map(run)) < all.length) return false;
  const any = list(own(schema, 'anyOf'));
  if (any.length > 0 && keep(any.map(run)) === 0) return false;
  const one = list(own(schema, 'oneOf'));
  if (one.length > 0 && keep(one.map(run)) !== 1) return false;
  if (Object.hasOwn(schema, 'not') && run(schema['not']) !== null) return false;
  if (Object.hasOwn(schema, 'if')) {
    const branch = keep([run(schema['if'])]) === 1 ? 'then' : 'else';
    if (Object.hasOwn(schema, branch) && keep([run(schema[branch])]) === 0) return false;
  }
  if (!isJson(value)) return true;
  return entries(own(schema, 'dependentSchemas')).every(
    ([name, sub]) => !Object.hasOwn(value, name) || keep([run(sub)]) === 1,
  );
}

function members(context: Context, schema: Json, value: Json, seen: Seen): boolean {
  const near = new Set<string>();
  const run = (name: string, sub: unknown): boolean => (
    near.add(name), seen.names.add(name), evaluate(context, sub, value[name]) !== null
  );
  const properties = own(schema, 'properties');
  for (const [name, sub] of entries(properties)) if (Object.hasOwn(value, name) && !run(name, sub)) return false;
  for (const [source, sub] of entries(own(schema, 'patternProperties'))) {
    const pattern = new RegExp(source, 'u');
    if (!Object.keys(value).every((name) => !pattern.test(name) || run(name, sub))) return false;
  }
  const names = own(schema, 'propertyNames');
  if (names !== undefined && !Object.keys(value).every((name) => evaluate(context, names, name) !== null)) return false;
  const rest = own(schema, 'additionalProperties');
  const additional = Object.keys(value).filter((name) => !near.has(name));
  if (rest !== undefined && !additional.every((name) => run(name, rest))) return false;
  const unseen = own(schema, 'unevaluatedProperties');
  const left = Object.keys(value).filter((name) => !seen.names.has(name));
  return unseen === undefined || left.every((name) => run(name, unseen));
}

function items(context: Context, schema: Json, value: unknown[], seen: Seen): boolean {
  const run = (at: number, sub: unknown): boolean => (seen.items.add(at), evaluate(context, sub, value[at]) !== null);
  const prefix = list(own(schema, 'prefixItems'));
  if (!prefix.every((sub, at) => at >= value.length || run(at, sub))) return false;
  const rest = own(schema, 'items');
  if (rest !== undefined && !value.every((_, at) => at < prefix.length || run(at, rest))) return false;
  if (Object.hasOwn(schema, 'contains') && !contains(context, schema, value, seen)) return false;
  const unseen = own(schema, 'unevaluatedItems');
  return unseen === undefined || value.every((_, at) => seen.items.has(at) || run(at, unseen));
}

function contains(context: Context, schema: Json, value: unknown[], seen: Seen): boolean {
  const hits = value.flatMap((one, at) => (evaluate(context, schema['contains'], one) === null ? [] : [at]));
  for (const at of hits) seen.items.add(at);
  const min = Number(own(schema, 'minContains') ?? 1);
  return hits.length >= min && hits.length <= Number(own(schema, 'maxContains') ?? Number.POSITIVE_INFINITY);
}

function resolve(context: Context, ref: string): unknown {
  const fragment = decodeURIComponent(ref.slice(1));
  if (fragment !== '' && !fragment.startsWith('/')) return context.anchors.get(fragment);
  const tokens = fragment
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce<unknown>((at, token) => (at as Json)[token], context.root);
}

function anchorsOf(schema: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const walk = (at: unknown): void => {
    if (isJson(at) && typeof at['$anchor'] === 'string') found.set(at['$anchor'], at);
    if (typeof at === 'object' && at !== null)
      for (const [name, one] of Object.entries(at)) if (name !== 'const' && name !== 'enum') walk(one);
  };
  walk(schema);
  return found;
}
