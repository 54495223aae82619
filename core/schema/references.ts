import { isObject, type JsonObject, member } from '../json/value.ts';
import type { Refused } from '../outcome.ts';
import { decodeFragment } from './fragment.ts';
import { refusal, type Subschema, type Subschemas } from './subschemas.ts';

/** Target of each `$ref`: pointer of the schema that holds it to pointer of the subschema it names. */
export type References = ReadonlyMap<string, string>;

/** Validating a value never evaluates more schemas than this, however much the references multiply. */
export const BRANCHES_MAX = 10_000;

/** Resolves every reference to a subschema of the walked schema, the only possible target. */
export function resolveReferences(subschemas: Subschemas): { readonly references: References } | Refused {
  const references = new Map<string, string>();
  for (const { pointer, schema, inPlace } of subschemas.locations.values()) {
    const ref = isObject(schema) ? member(schema, '$ref') : undefined;
    if (typeof ref !== 'string') continue;
    const target = resolve(subschemas, ref.slice(1));
    if (target === undefined) return refusal('unresolved_ref', `${pointer}/$ref`);
    references.set(pointer, target);
    inPlace.push(target);
  }
  return { references };
}

function resolve(subschemas: Subschemas, fragment: string): string | undefined {
  const text = decodeFragment(fragment);
  if (text === undefined) return undefined;
  if (text !== '' && !text.startsWith('/')) return subschemas.anchors.get(text);
  return subschemas.locations.has(text) ? text : undefined;
}

/** Refuses a schema that would evaluate a value for ever, or too often. */
export function checkBranches(subschemas: Subschemas): Refused | undefined {
  const weights = new Map<string, number>();
  for (const location of subschemas.locations.values()) {
    const weight = weigh(subschemas, location, weights);
    if (weight === Number.POSITIVE_INFINITY) return refusal('endless', location.pointer);
    if (weight > BRANCHES_MAX) return refusal('branches', location.pointer, `more than ${BRANCHES_MAX}`);
  }
  return undefined;
}

/** Number of schemas that evaluate a value here. A location that is met again while it is weighed weighs infinitely. */
function weigh(subschemas: Subschemas, location: Subschema, weights: Map<string, number>): number {
  const known = weights.get(location.pointer);
  if (known !== undefined) return known;
  weights.set(location.pointer, Number.POSITIVE_INFINITY);
  const weight = neighbours(subschemas, location).reduce((sum, next) => sum + weigh(subschemas, next, weights), 1);
  weights.set(location.pointer, weight);
  return weight;
}

function neighbours(subschemas: Subschemas, location: Subschema): readonly Subschema[] {
  return location.inPlace.flatMap((pointer) => subschemas.locations.get(pointer) ?? []);
}

/** Refuses the combination of `unevaluatedItems` that ajv gets wrong: it takes `contains` for all items. */
export function checkUnevaluated(subschemas: Subschemas): Refused | undefined {
  for (const { pointer, schema } of subschemas.locations.values()) {
    const asked = isObject(schema) && Object.hasOwn(schema, 'unevaluatedItems');
    const fault = asked ? unevaluatedFault(subschemas, pointer) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function unevaluatedFault(subschemas: Subschemas, pointer: string): Refused | undefined {
  const fault = closure(subschemas, pointer).some((schema) => Object.hasOwn(schema, 'contains'));
  return fault ? refusal('unevaluated_items', `${pointer}/unevaluatedItems`) : undefined;
}

/** All object schemas that look at the same value, with the requested schema first. */
function closure(subschemas: Subschemas, pointer: string): readonly JsonObject[] {
  const seen = new Set([pointer]);
  for (const at of seen) for (const next of subschemas.locations.get(at)?.inPlace ?? []) seen.add(next);
  return [...seen].flatMap((at) => {
    const schema = subschemas.locations.get(at)?.schema;
    return isObject(schema) ? [schema] : [];
  });
}
