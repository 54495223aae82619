export { assert, Defect, unreachable } from './assert.ts';
export { type Authored, defineCapability, type Powers, type TypedDefinition } from './capability/author.ts';
export { definePower, type PowerDefinition } from './capability/author-power.ts';
export type { Decision } from './capability/authorize.ts';
export type { CallFailureKind, CallSettled, ConsoleLevel, ConsoleLine, PowerCall } from './capability/call.ts';
export type { Capability, CapabilityManifest, Effect } from './capability/capability.ts';
export type { Charged } from './capability/charge.ts';
export type { Checked } from './capability/check.ts';
export { type CapabilityDefinition, define, schemaHash } from './capability/define.ts';
export type { Grant, Policy } from './capability/grant.ts';
export type { Label } from './capability/guard.ts';
export { attenuate, type GrantTerms, makeGrant, makePolicy } from './capability/policy.ts';
export {
  makePower,
  makePowers,
  type Power,
  type PowerAnswer,
  type PowerSet,
  type PowerTerms,
  timeoutOf,
} from './capability/power.ts';
export { type Bound, makeRegistry, type Registry } from './capability/registry.ts';
export { checkTerms } from './capability/terms.ts';
export { BUDGETS, type Budgets, NOTHING_SPENT, type Spent, spend } from './content/budget.ts';
export {
  buildIndex,
  type IndexedFile,
  indexFile,
  indexText,
  joinIndex,
  type SectionIndex,
  type SourceFile,
} from './content/build.ts';
export { CONTENT_CAPABILITIES } from './content/built-in.ts';
export { type Expanded, type ExpandFacts, expand } from './content/expand.ts';
export { CANONICAL_SOURCES, matchesGlobs } from './content/glob.ts';
export { checkPath } from './content/path.ts';
export { extractSections, type Section, sectionId } from './content/section.ts';
export { applySlice, parseSlice, type Slice, type Sliced } from './content/slice.ts';
export {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  lookUp,
  readSymbol,
  type SymbolRow,
  type Symbols,
  toolOf,
  toolSymbol,
} from './content/symbols.ts';
export { type Corpus, fileBehind, resolveSection, resolveSymbol, type Target, targetText } from './content/target.ts';
export { compareText, contentHash, normalizeText } from './content/text.ts';
export { type Rebound, rebound, type Staged } from './content/write.ts';
export {
  CODES,
  type Code,
  type Details,
  type DetailsOf,
  type GuestError,
  type RefusalClass,
  refuse,
  type SchemaIssue,
} from './errors.ts';
export { type HashPurpose, hashBytes, hashText, isHash, sha256, sha256Hex, sha256Text, structureHash } from './hash.ts';
export { canonicalize, canonicalText } from './json/canonical.ts';
export { decode } from './json/decode.ts';
export { decodeUtf8, encodeText, utf8Length } from './json/utf8.ts';
export { isObject, type JsonObject, type JsonValue } from './json/value.ts';
export { extend, headAfter, type Link, NO_RECORDS, type RunHead, type Stamp } from './ledger/chain.ts';
export {
  type Checkpoint,
  formatCheckpoint,
  formatKey,
  type Note,
  type NoteKey,
  parseCheckpoint,
  parseKey,
  type RunLine,
  signatureBy,
  signedNote,
} from './ledger/checkpoint.ts';
export {
  type ExportedPayload,
  type ExportFile,
  endOf,
  type Finding,
  finding,
  formatExport,
  parseExport,
} from './ledger/export.ts';
export { exportIn, formatHtml } from './ledger/html.ts';
export { readIntact, readRecord } from './ledger/line.ts';
export { secretPayloads } from './ledger/payloads.ts';
export { type Action, completeReceipt, type Expansion, type Receipt } from './ledger/receipt.ts';
export {
  type Bodies,
  type Draft,
  type Evidence,
  type Isolation,
  type LedgerRecord,
  type LogBody,
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
export {
  type Anchor,
  type Check,
  type CheckId,
  type Findings,
  isWhole,
  type Report,
  type VerifyOptions,
  verifyExport,
  verifyFile,
  withCheck,
} from './ledger/verify.ts';
export { anchorOf, CHECK_NAMES, UNPROVEN, verdictOf } from './ledger/words.ts';
export {
  CALL_LIMITS,
  CALL_LIMITS_MOST,
  CAPABILITY_LIMITS,
  type CallLimits,
  CONTEXT_BYTES,
  DECODE_LIMITS,
  type DecodeLimits,
  KEPT_LIMITS,
  RUN_LIMITS,
  type RunLimits,
} from './limits.ts';
export { type Accepted, type Outcome, pass, type Refusal, type Refused, type Step } from './outcome.ts';
export { DIALECT_VERSIONS, type Dialect, type DialectVersion, type Proposal } from './protocol/proposal.ts';
export { type Read, type ReadingFacts, read } from './protocol/read.ts';
export { rejected, type Verdict, verdictOn } from './protocol/verdict.ts';
export type { Difference } from './replay/difference.ts';
export type { Ask } from './replay/move.ts';
export { replay } from './replay/replay.ts';
export { tapeOf } from './replay/tape.ts';
export { answerOf } from './run/answer.ts';
export { checkHere } from './run/check-here.ts';
export { type Message, messages } from './run/context.ts';
export { parkedKey } from './run/desk.ts';
export type { KeptRow, Question, RunEffect } from './run/effect.ts';
export type { Answer, Found, RunEvent } from './run/event.ts';
export { type Allowance, allowance, EXPAND, givenTo, spentWith } from './run/expansions.ts';
export { type FindPayload, restoreFacts } from './run/facts.ts';
export { type KeptValue, ownKey } from './run/kept.ts';
export { opening, proposalSchema } from './run/opening.ts';
export { type PowerChecks, powerChecks, resultChecks } from './run/power-text.ts';
export { type Restored, restore } from './run/restore.ts';
export { type Recheck, recheck, resume } from './run/resume.ts';
export { type Ending, initialState, type Phase, type RunEndState, type RunFacts, type RunState } from './run/state.ts';
export type { Transition } from './run/step.ts';
export { transition } from './run/transition.ts';
export { type Misuse, type MisuseDetails, misuse, refusalError, SallyportError } from './sallyport-error.ts';
export type { Infer } from './schema/infer.ts';
export { type LintedSchema, lint, schemaText } from './schema/lint.ts';
export { REFUSALS, type RefusalRule } from './schema/refusals.ts';
export { type SchemaSource, toJsonSchema } from './schema/standard.ts';
export { VALIDATORS } from './schema/validators.generated.js';
export { derive, isOver } from './telemetry/derive.ts';
export {
  EVENTS,
  type EventOf,
  type EventType,
  type StampedEvent,
  type TelemetryEvent,
  tell,
} from './telemetry/event.ts';
export { type OtlpLogs, type OtlpTraces, toOtlp } from './telemetry/otlp.ts';
export { REDACTED, redact } from './telemetry/redact.ts';
export { countLookalike, countUnseen, visible, visibleJson, visibleLine, visibleText } from './text/visible.ts';
