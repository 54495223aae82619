/**
 * `sallyport/verify`: only form, hashes, links and anchor of an exported run, for programs that verify and do not run.
 * The checks `decisions` and `replay` need the runtime and are reported as not run.
 */

export type { Breach, Exceeded as Bound, GuestError, SchemaIssue } from './errors/details.ts';
export type { Code, DetailsOf } from './errors.ts';
export type { JsonObject, JsonValue } from './json/value.ts';
export type { Anchor } from './ledger/anchor.ts';
export type { RunHead } from './ledger/chain.ts';
export type { Check, CheckId, CheckPart, CheckPartId, Difference, Report } from './ledger/checks.ts';
export type { Finding } from './ledger/export.ts';
export { type VerifyOptions, verifyExport } from './ledger/verify.ts';
