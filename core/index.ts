export type { Decision } from './capability/authorize.ts';
export type { CallFailureKind, CallSettled, ConsoleLevel, ConsoleLine, PowerCall } from './capability/call.ts';
export type { Capability, CapabilityManifest, Effect } from './capability/capability.ts';
export { BUDGETS, type Budgets } from './content/budget.ts';
export { CODES, type Code, type Details, type GuestError, type RefusalClass, refuse, type SchemaIssue } from './errors.ts';
export { isObject, type JsonObject, type JsonValue } from './json/value.ts';
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
export { CALL_LIMITS, type CallLimits, DECODE_LIMITS, type DecodeLimits, RUN_LIMITS, type RunLimits } from './limits.ts';
export { type Accepted, type Outcome, pass, type Refusal, type Refused, type Step } from './outcome.ts';
export { DIALECT_VERSIONS, type Dialect, type DialectVersion, type Proposal } from './protocol/proposal.ts';
export type { Phase, RunEndState } from './run/state.ts';
