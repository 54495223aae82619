/** `sallyport/core`: the pure part, for other runtimes, verifiers and faces. */
export {
  type Assertion,
  challengeOf,
  newKeyIn,
  type SignedAnswer,
  type SignedQuestion,
} from './approval/assertion.ts';
export { type YesSigner } from './approval/signer.ts';
export {
  type Authored,
  defineCapability,
  definePower,
  defineTool,
  type PowerDefinition,
  type Powers,
  type ToolContext,
  type ToolDefinition,
  type ToolTerms,
  type TypedDefinition,
} from './capability/author.ts';
export { BUILT_IN_POWERS, type BuiltInPower } from './capability/built-in-power.ts';
export type { ConsoleLevel, ConsoleLine, PowerCall, PowerError } from './capability/call.ts';
export type { CapabilityManifest } from './capability/capability.ts';
export { type CodeToolOptions, declarationsOf, defineCodeTool } from './capability/code-tool.ts';
export { type CapabilityDefinition, define } from './capability/define.ts';
export type { Effect, Label } from './capability/guard.ts';
export type { Grant } from './capability/policy.ts';
export { attenuate } from './capability/policy.ts';
export { defineQuestion, type QuestionOptions } from './capability/question.ts';
export { BUDGETS, type Budgets } from './content/budget.ts';
export { buildIndex, type IndexedFile, type SectionIndex, type SourceFile } from './content/build.ts';
export type { Expansion } from './content/expand.ts';
export { CANONICAL_SOURCES, matchesGlobs } from './content/glob.ts';
export { extractSections, type Section, sectionId } from './content/section.ts';
export { applySlice, parseSlice, type Sliced } from './content/slice.ts';
export { type Slice } from './content/slice-form.ts';
export type { SymbolRow } from './content/target.ts';
export { contentHash, normalizeText } from './content/text.ts';
export type { Details, GuestError, RefusalClass, SchemaIssue, Step } from './errors/details.ts';
export { CODES, type Code } from './errors.ts';
export { isHash, sha256Hex, sha256Text } from './hash.ts';
export { canonicalize, canonicalText } from './json/canonical.ts';
export { decode } from './json/decode-within.ts';
export { decodeForCheck, decodeUtf8, encodeText } from './json/utf8.ts';
export { isObject, type JsonObject, type JsonValue } from './json/value.ts';
export { type Anchor, anchorFault } from './ledger/anchor.ts';
export { extend, headAfter, NO_RECORDS, type RunHead } from './ledger/chain.ts';
export { type Checkpoint, parseCheckpoint } from './ledger/checkpoint.ts';
export {
  type Check,
  type CheckId,
  type CheckPart,
  type CheckPartId,
  type Findings,
  isWhole,
  type Report,
} from './ledger/checks.ts';
export {
  type ExportedPayload,
  type ExportFile,
  type Finding,
  formatExport,
  parseExport,
  parseSlices,
  type WorkSlices,
} from './ledger/export.ts';
export { exportIn, formatHtml, type HtmlParts, packedIn } from './ledger/html.ts';
export type { Evidence } from './ledger/kinds/evidence.ts';
export type { Isolation } from './ledger/kinds/run.ts';
export type { AnswerFacts } from './ledger/kinds/step.ts';
export type { PayloadRef } from './ledger/payload-ref.ts';
export { unsalted } from './ledger/payload-ref.ts';
export { payloadRefs } from './ledger/payloads.ts';
export type { Action, Receipt } from './ledger/receipt.ts';
export type { Bodies, Draft, LedgerRecord, RecordKind } from './ledger/record.ts';
export { groupBySteps, type StepRecords } from './ledger/steps.ts';
export { type ReceiptTally, TALLY_WORDS, type TallyWords, tallyOf, tallyText } from './ledger/tally.ts';
export { checkConsistency, checkInclusion, merkleRoot, proveConsistency, proveInclusion } from './ledger/tree.ts';
export {
  type ComparedHead,
  type HeldAgainst,
  type ReportVerdict,
  type Tone,
  type VerdictSentence,
  type VerdictState,
  verdictOf,
} from './ledger/verdict.ts';
export { type VerifyOptions, verifyExport, verifyFile, verifySlices } from './ledger/verify.ts';
export {
  anchorOf,
  CHECK_NAMES,
  comparedText,
  findingText,
  PART_NAMES,
  sentenceOf,
  unprovenText,
  VERDICT_WORDS,
  type VerdictWords,
} from './ledger/words.ts';
export {
  CALL_LIMITS,
  CAPABILITY_LIMITS,
  type CallLimits,
  DECODE_LIMITS,
  type DecodeLimits,
  RUN_LIMITS,
  type RunLimits,
} from './limits.ts';
export { ModelError, type ModelFailureOptions } from './model-error.ts';
export { type Accepted, type Outcome, type Refusal, type Refused } from './outcome.ts';
export {
  type Allowed,
  type AllowedBy,
  type AllowedOptions,
  type AllowedRow,
  allowedNow,
  joinedPermissions,
  type PastAnswer,
  type PastPermission,
  type PastPermissions,
  permissionsIn,
} from './privilege/allowed.ts';
export { type FittedForm, FORM_NAMES, type FormName } from './privilege/forms.ts';
export { definitionsIn, type KnownDefinition, type PastUse, type RecordedRun, usesIn } from './privilege/history.ts';
export {
  type AskReason,
  type GrantProposal,
  type PlaceInHistory,
  type ProposedRule,
  type ProposeOptions,
  proposeGrants,
  type RuleEvidence,
} from './privilege/propose.ts';
export {
  policyOf,
  type TriedAs,
  type TriedPolicy,
  type TriedUse,
  type TryOptions,
  tryPolicy,
  type WrittenGrant,
} from './privilege/try.ts';
export { ruleText } from './privilege/words.ts';
export { DIALECT_VERSIONS, type Dialect, type DialectVersion } from './protocol/dialect.ts';
export { type Verdict } from './protocol/verdict.ts';
export type * from './public-types.ts';
export type { Notice, NoticeCode } from './run/notices.ts';
export { type ErrorCode, type Misuse, type MisuseDetails, SallyportError } from './sallyport-error.ts';
export { type ImportedSchema, type ImportOptions, importSchema } from './schema/import/import.ts';
export type { Infer } from './schema/infer.ts';
export { type LintedSchema, lint } from './schema/lint.ts';
export { NOT_COMPILED, REFUSALS, type RefusalRule } from './schema/refusals.ts';
export type { Decoder } from './schema/relax/decoders.ts';
export { relaxSchema } from './schema/relax/relax.ts';
export type { RelaxedSchema } from './schema/relax/relaxation.ts';
export { type SchemaSource } from './schema/standard.ts';
export { categoryOf, type ErrorCategory, type ErrorSeverity, severityOf } from './telemetry/category.ts';
export { EVENTS, type EventOf, type EventType, type StampedEvent, type TelemetryEvent } from './telemetry/event.ts';
export { toOtlp } from './telemetry/otlp.ts';
export type {
  OtlpAttribute,
  OtlpLog,
  OtlpLogs,
  OtlpResource,
  OtlpScope,
  OtlpSpan,
  OtlpTraces,
  OtlpValue,
} from './telemetry/otlp-form.ts';
export { countLookalike } from './text/lookalike.ts';
export { countUnseen, visible, visibleText } from './text/visible.ts';
export { ToolError } from './tool-error.ts';
