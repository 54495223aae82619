import type { SchemaIssue } from '../errors/details.ts';

/** Validators of built-in capabilities, by `schemaHash`: an empty list means yes. Made when we build, not at run time. */
export const VALIDATORS: ReadonlyMap<string, (value: unknown) => readonly SchemaIssue[]>;
