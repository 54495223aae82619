import { structureHash } from '../hash.ts';
import { canonicalize } from '../json/canonical.ts';
import { isObject, type JsonValue, pointerTo } from '../json/value.ts';
import { CAPABILITY_LIMITS } from '../limits.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { plainSchema } from './plain.ts';
import { checkBranches, checkUnevaluated, resolveReferences } from './references.ts';
import { refusal, type Schema, type Survey, survey, tooLarge } from './survey.ts';

/** A schema that may be compiled. Only `lint` makes one. */
export interface LintedSchema {
  /** `schemaHash` of the schema as its author gave it. */
  readonly hash: string;
  /** The same assertions for a compiler: no annotations, names sorted, every reference resolved. */
  readonly plain: Schema;
}

/**
 * Decides whether a schema may be registered. The schema is a stranger's and may be any value; it is read once,
 * and nothing of it is evaluated. Codes: `schema_too_large`, `schema_refused` with a rule of `REFUSALS`.
 */
export function lint(schema: unknown): Outcome<LintedSchema> {
  const text = canonicalize(schema);
  if (!text.ok) return refusal('not_json', text.refusal.pointer ?? '', text.refusal.code);
  const limit = CAPABILITY_LIMITS.schemaBytes;
  const used = new TextEncoder().encode(text.value).length;
  if (used > limit) return tooLarge('bytes', { limit, used }, '');
  const plain = lintJson(JSON.parse(text.value) as JsonValue);
  return plain.ok ? pass({ hash: structureHash('schema', text.value), plain: plain.value }) : plain;
}

function lintJson(schema: JsonValue): Outcome<Schema> {
  const found: Survey = { locations: new Map(), anchors: new Map(), properties: 0 };
  const fault = protoMember(schema, '') ?? survey(found, schema, '', 1);
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
