import vm from 'node:vm';
import { validatorModule } from '../../../.scripts/generate-validators.mjs';
import type { SchemaIssue } from '../../../core/errors/details.ts';
import { validate } from '../../../core/schema/issues.ts';
import { lint } from '../../../core/schema/lint.ts';
import { RUNTIME } from '../../../core/schema/runtime.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';

export type Check = (value: unknown) => readonly SchemaIssue[];

/**
 * Validators of any schemas that pass the linter, in their order, built like the validators of built-in capabilities.
 * The compiler is the file in git; another test compares this file with the output of the generator.
 */
export async function precompile(schemas: readonly unknown[]): Promise<Check[]> {
  const text = validatorModule(
    schemas.map((schema) => ({ name: 'test', schema })),
    SCHEMA_COMPILER,
    lint,
  );
  const body = text.replace(/^import .*$/gm, '').replace('export const VALIDATORS', 'const VALIDATORS');
  // Only tests evaluate this module: the product imports it.
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
