export { assert, Defect } from './assert.ts';
export type { Decision } from './capability/authorize.ts';
export type { CallFailureKind, CallSettled, ConsoleLevel, ConsoleLine, PowerCall } from './capability/call.ts';
export type { Capability, CapabilityManifest, Effect } from './capability/capability.ts';
export { BUDGETS, type Budgets } from './content/budget.ts';
export { CODES, type Code, type Details, type GuestError, type RefusalClass, refuse, type SchemaIssue } from './errors.ts';
export { hashBytes, hashText, type HashPurpose, isHash, sha256, sha256Hex, sha256Text, structureHash } from './hash.ts';
export { canonicalize, canonicalText } from './json/canonical.ts';
export { isObject, type JsonObject, type JsonValue } from './json/value.ts';
export { extend, headAfter, type Link, NO_RECORDS, type RunHead, type Stamp } from './ledger/chain.ts';
export type { Action, Expansion, Receipt } from './ledger/receipt.ts';
export {
  type Bodies,
  type Draft,
  type Evidence,
  type Isolation,
  type LedgerRecord,
  NO_PREV,
  type PayloadRef,
  type RecordKind,
} from './ledger/record.ts';
export {
  checkConsistency,
  checkInclusion,
  emptyFrontier,
  type Frontier,
  merkleRoot,
  proveConsistency,
  proveInclusion,
  push,
  rootOf,
} from './ledger/tree.ts';
export { CALL_LIMITS, type CallLimits, DECODE_LIMITS, type DecodeLimits, RUN_LIMITS, type RunLimits } from './limits.ts';
export { type Accepted, type Outcome, pass, type Refusal, type Refused, type Step } from './outcome.ts';
export { DIALECT_VERSIONS, type Dialect, type DialectVersion, type Proposal } from './protocol/proposal.ts';
export type { Phase, RunEndState } from './run/state.ts';
export { type Misuse, type MisuseDetails, misuse, SallyportError } from './sallyport-error.ts';
