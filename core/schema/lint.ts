import { refuse } from '../errors/schema.ts';
import { structureHash } from '../hash.ts';
import { canonicalize } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { CAPABILITY_LIMITS } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { judge } from './judge.ts';
import { NOT_JSON } from './refusals.ts';
import type { Schema } from './subschemas.ts';

/** A schema as it may be judged: plain JSON of bounded size. */
interface SchemaText {
  /** `schemaHash` of the schema as its author gave it. */
  readonly hash: string;
  /** Canonical. */
  readonly text: string;
}

/** A schema that may be compiled. Made by `lint` alone. */
export interface LintedSchema {
  readonly hash: string;
  /** The same assertions for a compiler: no annotations, names sorted, every reference resolved. */
  readonly plain: Schema;
}

/** Reads any value once, as the text of a schema. `schema_too_large`, `schema_refused` with rule `not_json`. */
export function schemaText(schema: unknown): Outcome<SchemaText> {
  const text = canonicalize(schema);
  if (!text.ok) {
    const { code, pointer = '' } = text.refusal;
    return refuse('schema_refused', { rule: 'not_json', reason: `${NOT_JSON} (${code})` }, { pointer });
  }
  const limit = CAPABILITY_LIMITS.schemaBytes;
  const used = new TextEncoder().encode(text.value).length;
  if (used > limit) return refuse('schema_too_large', { what: 'bytes', limit, used }, { pointer: '' });
  return pass({ hash: structureHash('schema', text.value), text: text.value });
}

/**
 * Decides whether a schema may be registered. The schema is a stranger's and may be any value; it is read once, and no
 * part of it is evaluated. Codes: `schema_too_large`, `schema_refused` with a rule of `REFUSALS`.
 */
export function lint(schema: unknown): Outcome<LintedSchema> {
  const read = schemaText(schema);
  if (!read.ok) return read;
  const plain = judge(JSON.parse(read.value.text) as JsonValue);
  return plain.ok ? pass({ hash: read.value.hash, plain: plain.value }) : plain;
}
