import vm from 'node:vm';
import { generate, validatorModule } from '../../../.scripts/generate-validators.mjs';
import type { SchemaIssue } from '../../../core/errors/details.ts';
import { validate } from '../../../core/schema/issues.ts';
import { lint } from '../../../core/schema/lint.ts';
import { RUNTIME } from '../../../core/schema/runtime.ts';

export type Check = (value: unknown) => readonly SchemaIssue[];

const files = await generate();
/** The compile realm's script as the generator makes it now. */
const COMPILER: string = textOf('sandbox/schema/compiler.generated.ts');

function textOf(path: string): string {
  const literal = /=\n {2}(".*");\n$/s.exec(files.get(path) ?? '')?.[1];
  return JSON.parse(literal ?? '""') as string;
}

/** Validators as they are built for built-in capabilities, of any schemas that pass the linter, in their order. */
export async function precompile(schemas: readonly unknown[]): Promise<Check[]> {
  const text = await validatorModule(
    schemas.map((schema) => ({ name: 'test', schema })),
    COMPILER,
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
