import { isObject, type JsonObject, member } from '../json/value.ts';
import type { Refused } from '../outcome.ts';
import { type Location, refusal, type Survey } from './survey.ts';

/** Where each `$ref` leads: pointer of the schema that holds it to pointer of the subschema it names. */
export type References = ReadonlyMap<string, string>;

/** Validating one value never evaluates more schemas than this, whatever the references multiply to. */
const BRANCHES_MAX = 10_000;

/** Resolves every reference to a subschema that the survey walked: nothing else can be referred to. */
export function resolveReferences(survey: Survey): { readonly references: References } | Refused {
  const references = new Map<string, string>();
  for (const { pointer, schema, inPlace } of survey.locations.values()) {
    const ref = isObject(schema) ? member(schema, '$ref') : undefined;
    if (typeof ref !== 'string') continue;
    const target = resolve(survey, ref.slice(1));
    if (target === undefined) return refusal('unresolved_ref', `${pointer}/$ref`);
    references.set(pointer, target);
    inPlace.push(target);
  }
  return { references };
}

function resolve(survey: Survey, fragment: string): string | undefined {
  const text = unescapeFragment(fragment);
  if (text === undefined) return undefined;
  if (text !== '' && !text.startsWith('/')) return survey.anchors.get(text);
  return survey.locations.has(text) ? text : undefined;
}

function unescapeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

/** Refuses a schema that would look at one value for ever, or all too often. */
export function checkBranches(survey: Survey): Refused | undefined {
  const weights = new Map<string, number>();
  for (const location of survey.locations.values()) {
    const weight = weigh(survey, location, weights);
    if (weight === Number.POSITIVE_INFINITY) return refusal('endless', location.pointer);
    if (weight > BRANCHES_MAX) return refusal('branches', location.pointer, `more than ${BRANCHES_MAX}`);
  }
  return undefined;
}

/** How many schemas one value meets here. A location that is met again while it is weighed weighs infinitely. */
function weigh(survey: Survey, location: Location, weights: Map<string, number>): number {
  const known = weights.get(location.pointer);
  if (known !== undefined) return known;
  weights.set(location.pointer, Number.POSITIVE_INFINITY);
  const weight = neighbours(survey, location).reduce((sum, next) => sum + weigh(survey, next, weights), 1);
  weights.set(location.pointer, weight);
  return weight;
}

function neighbours(survey: Survey, location: Location): readonly Location[] {
  return location.inPlace.flatMap((pointer) => survey.locations.get(pointer) ?? []);
}

/** Refuses the combination of `unevaluatedItems` that ajv gets wrong: it takes `contains` for all items. */
export function checkUnevaluated(survey: Survey): Refused | undefined {
  for (const { pointer, schema } of survey.locations.values()) {
    const asked = isObject(schema) && Object.hasOwn(schema, 'unevaluatedItems');
    const fault = asked ? unevaluatedFault(survey, pointer) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function unevaluatedFault(survey: Survey, pointer: string): Refused | undefined {
  const fault = closure(survey, pointer).some((schema) => Object.hasOwn(schema, 'contains'));
  return fault ? refusal('unevaluated_items', `${pointer}/unevaluatedItems`) : undefined;
}

/** All object schemas that look at the same value, the one asked for first. */
function closure(survey: Survey, pointer: string): readonly JsonObject[] {
  const seen = new Set([pointer]);
  for (const at of seen) for (const next of survey.locations.get(at)?.inPlace ?? []) seen.add(next);
  return [...seen].flatMap((at) => {
    const schema = survey.locations.get(at)?.schema;
    return isObject(schema) ? [schema] : [];
  });
}
