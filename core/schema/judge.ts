import { isObject, type JsonValue, pointerTo } from '../json/value.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { plainSchema } from './plain.ts';
import { checkBranches, checkUnevaluated, resolveReferences } from './references.ts';
import { collectSubschemas, refusal, type Schema, type Subschemas } from './subschemas.ts';

/**
 * Decides whether a schema may be compiled, and returns its plain form for the compiler. The schema comes from
 * canonical JSON of bounded size, and no part of it is evaluated. Runs in the compile realm, and also for a check
 * without compiling.
 */
export function judge(schema: JsonValue): Outcome<Schema> {
  const found: Subschemas = { locations: new Map(), anchors: new Map(), properties: 0 };
  const fault = protoMember(schema, '') ?? collectSubschemas(found, schema, '', 1);
  if (fault !== undefined) return fault;
  const resolved = resolveReferences(found);
  if (!('references' in resolved)) return resolved;
  return checkBranches(found) ?? checkUnevaluated(found) ?? pass(plainSchema(found, resolved.references));
}

/** Anywhere, data included: ajv writes data into its code as object literals, where `__proto__` is no member. */
function protoMember(value: JsonValue, pointer: string): Refused | undefined {
  if (!Array.isArray(value) && !isObject(value)) return undefined;
  for (const [name, one] of Object.entries(value) as [string, JsonValue][]) {
    const at = pointerTo(pointer, name);
    const fault = name === '__proto__' ? refusal('proto_member', at) : protoMember(one, at);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
