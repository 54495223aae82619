import vm from 'node:vm';
import { validatorModule } from '../../../.scripts/generate-validators.mjs';
import type { SchemaIssue } from '../../../core/errors/details.ts';
import { validate } from '../../../core/schema/issues.ts';
import { lint } from '../../../core/schema/lint.ts';
import { RUNTIME } from '../../../core/schema/runtime.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';

export type Check = (value: unknown) => readonly SchemaIssue[];

/**
 * Validators as they are built for built-in capabilities, of any schemas that pass the linter, in their order. The
 * compiler is the one in git; another test compares that with what the generator makes.
 */
export async function precompile(schemas: readonly unknown[]): Promise<Check[]> {
  const text = await validatorModule(
    schemas.map((schema) => ({ name: 'test', schema })),
    SCHEMA_COMPILER,
  );
  const body = text.replace(/^import .*$/gm, '').replace('export const VALIDATORS', 'const VALIDATORS');
  // Only here: the product's module is imported, not evaluated.
  const make = vm.runInThisContext(`(validate, RUNTIME) => {${body}return VALIDATORS}`) as (
    ...given: unknown[]
  ) => Map<string, Check>;
  const validators = make(validate, RUNTIME);
  return schemas.map((schema) => {
    const linted = lint(schema);
    const check = linted.ok ? validators.get(linted.value.hash) : undefined;
    if (check === undefined) throw new Error('not generated');
    return check;
  });
}
