import { type LintedSchema, lint, type Refusal, type SchemaIssue } from '../../../core/index.ts';
import { type CompiledSchema, SchemaChecker, SchemaCompiler } from '../../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../../sandbox/schema/compiler.generated.ts';
import { engine } from '../../sandbox/guest.ts';

let starting: Promise<SchemaCompiler> | undefined;

/** The compile realm, built once for each test file. */
export async function compiler(): Promise<SchemaCompiler> {
  starting ??= engine().then((one) => new SchemaCompiler(one, SCHEMA_COMPILER));
  return starting;
}

/** The rule of the table, or the bound, by which a schema was refused. */
export function ruleOf({ details }: Refusal): string {
  const { rule, what } = details;
  return typeof rule === 'string' ? rule : JSON.stringify(what);
}

export function linted(schema: unknown): LintedSchema {
  const outcome = lint(schema);
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}

export async function compiled(schema: unknown): Promise<CompiledSchema> {
  const outcome = (await compiler()).compile(linted(schema));
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.value;
}

/**
 * Builds a check image of these schemas. Each function takes JSON text and returns its issues; it throws without a
 * verdict.
 */
export async function realmChecks(schemas: readonly unknown[]): Promise<((text: string) => readonly SchemaIssue[])[]> {
  const registry = new Map<string, CompiledSchema>();
  const hashes = schemas.map((schema) => linted(schema).hash);
  for (const [at, hash] of hashes.entries()) registry.set(hash, await compiled(schemas[at]));
  const checker = new SchemaChecker(await engine(), SCHEMA_CHECKER, [...registry.values()]);
  return hashes.map((hash) => (text) => {
    const checked = checker.check(hash, text);
    if (!('issues' in checked)) throw new Error(checked.failed);
    return checked.issues;
  });
}
