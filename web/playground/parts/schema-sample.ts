import { isObject, type JsonObject, type JsonValue } from '../../../core/index.ts';

const DEPTH_MAX = 4;

/**
 * A first value for a schema: its required members, each filled with a minimal value. It may not satisfy the schema.
 */
export function sampleOf(schema: JsonValue | undefined, depth = 0): JsonValue {
  if (!isObject(schema) || depth > DEPTH_MAX) return null;
  const { const: fixed, enum: choices, examples, default: preset, type } = schema;
  if (fixed !== undefined) return fixed;
  if (Array.isArray(choices)) return (choices[0] as JsonValue | undefined) ?? null;
  if (preset !== undefined) return preset;
  if (Array.isArray(examples) && examples.length > 0) return examples[0] as JsonValue;
  return SAMPLES[String(Array.isArray(type) ? type[0] : type)]?.(schema, depth) ?? null;
}

const SAMPLES: { readonly [type: string]: (schema: JsonObject, depth: number) => JsonValue } = {
  object: ({ properties, required }, depth) => {
    const names = Array.isArray(required) ? required.map(String) : [];
    const inner = isObject(properties) ? properties : {};
    return Object.fromEntries(names.map((name) => [name, sampleOf(inner[name], depth + 1)]));
  },
  array: ({ items, minItems }, depth) => (Number(minItems ?? 0) > 0 ? [sampleOf(items, depth + 1)] : []),
  string: ({ minLength }) => 'x'.repeat(Math.min(Number(minLength ?? 1), 20)),
  integer: ({ minimum }) => Math.ceil(Number(minimum ?? 1)),
  number: ({ minimum }) => Number(minimum ?? 1),
  boolean: () => true,
};
