import type { lint } from '../core/schema/lint.ts';

/** The text of a module that exports `VALIDATORS`. */
export function validatorModule(
  schemas: readonly { readonly name: string; readonly schema: unknown }[],
  script: string,
  linter: typeof lint,
): string;

/** Path below the root to text. */
export function generate(): Promise<Map<string, string>>;
