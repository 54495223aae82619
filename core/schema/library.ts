/**
 * The line to write for a library's schema that gives no JSON Schema by itself; undefined for an unknown library. Old
 * versions of zod and arktype only validate; valibot and Effect convert by a function beside the schema.
 */
export function lineFor(source: object): string | undefined {
  const { '~standard': standard, ast, _zod } = source as { readonly [name: string]: unknown };
  switch (vendorOf(standard) ?? (hasTag(ast) ? 'effect' : undefined)) {
    case 'zod':
      return _zod === undefined
        ? 'use zod 4.2 or later, whose schemas are taken as they are: a schema of zod 3 gives no JSON Schema'
        : 'write z.toJSONSchema(schema): only a schema of the full zod 4.2 or later is taken as it is';
    case 'valibot':
      return 'write toStandardJsonSchema(schema) of @valibot/to-json-schema: a schema of valibot gives no JSON Schema';
    case 'effect':
      return 'write Schema.toStandardJSONSchemaV1(schema) of Effect 4, or importSchema(JSONSchema.make(schema)).value.schema with Effect 3';
    case 'arktype':
      return 'use arktype 2.2 or later, whose types are taken as they are';
    default:
      return undefined;
  }
}

function vendorOf(standard: unknown): unknown {
  return typeof standard === 'object' && standard !== null
    ? (standard as { readonly vendor?: unknown }).vendor
    : undefined;
}

/** The schemas of Effect have a syntax tree. */
function hasTag(ast: unknown): boolean {
  return typeof ast === 'object' && ast !== null && '_tag' in ast;
}
