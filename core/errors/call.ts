import type { Exceeded, SchemaIssue } from './details.ts';
import { firstOf, over } from './refuse.ts';

/** Codes for a call that names no capability, or whose arguments its schema refuses. */
export const CALL_CODES = {
  unknown_capability: {
    class: 'unknown_capability',
    what: (d: { readonly name: string }): string => `No capability ${JSON.stringify(d.name)}`,
    todo: 'Names are exact and case-sensitive; use a listed one.',
  },
  arguments_schema: {
    class: 'invalid_arguments',
    what: (d: { readonly issues: readonly SchemaIssue[] }): string => `Argument refused: ${firstOf(d.issues)}`,
    todo: 'Send arguments that match the schema.',
  },
  schema_fuel: {
    class: 'invalid_arguments',
    what: (d: Exceeded): string => over('Checking the arguments took too long', 'operations', d),
    todo: 'Send smaller arguments.',
  },
  schema_memory: {
    class: 'invalid_arguments',
    what: (d: Exceeded): string => over('Checking the arguments took too much memory', 'bytes', d),
    todo: 'Send smaller arguments.',
  },
  validator_lost: {
    class: 'execution',
    what: (): string => 'The argument validator was lost',
    todo: 'Propose again.',
  },
} as const;
