/**
 * Types that public functions take or return, beside those that `index.ts` names with their function: a program can
 * name every type that it meets. A name that is too short outside of its folder is exported under a longer name.
 */

export type { Revert } from './capability/author.ts';
export type { ApprovalReason, Decision } from './capability/authorize.ts';
export type { CallFailureKind, CallSettled, EndedBy } from './capability/call.ts';
export type { Capability, HostTerms, Secret as SecretPart } from './capability/capability.ts';
export type { EngineName } from './capability/engine.ts';
export type {
  AnswerTerms,
  AuthorTerms,
  ChangedHashes,
  GrantTerms,
  Rate,
  ReleaseTerm,
  Signed,
  WatchTerm,
} from './capability/grant-terms.ts';
export type { Accepts, Held, Hold } from './capability/guard.ts';
export type { EarlierSource } from './capability/hold.ts';
export type { Policy } from './capability/policy.ts';
export type { PowerManifest, PowerTerms } from './capability/power.ts';
export type { DeclaredTool } from './capability/registry.ts';
export type { Charges, ReleasedCall } from './capability/release.ts';
export type { CallPlace, RevertedCall } from './capability/revert.ts';
export type { Watch, WatchOptions } from './capability/watch.ts';
export type { Breach, CodeRow, Exceeded as Bound } from './errors/details.ts';
export type { UndoReason } from './errors/run.ts';
export type { CodeTable, DetailsOf } from './errors.ts';
export type { Link as ChainLink, Parts as RecordParts, Stamp } from './ledger/chain.ts';
export type { Note as CheckpointNote, NoteSignature, RunLine } from './ledger/checkpoint.ts';
export type { Difference } from './ledger/checks.ts';
export type { StepExplanation } from './ledger/explain.ts';
export type { End as ExportEnd } from './ledger/export.ts';
export type { HtmlParts } from './ledger/html.ts';
export type {
  ApprovalBody,
  ConsentBody,
  DecisionBody,
  InsteadRecord,
  IntentBody,
  RevocationBody,
  SignedYes,
} from './ledger/kinds/authority.ts';
export type { ReboundSymbol } from './ledger/kinds/content.ts';
export type { HeldEvidence, OperationEvidence } from './ledger/kinds/evidence.ts';
export type { LogBody } from './ledger/kinds/log.ts';
export type { AnsweredVia, StepRef } from './ledger/kinds/parts.ts';
export type { ParkedBody, PowerBody, PowerDecision } from './ledger/kinds/power.ts';
export type {
  Carried,
  CarriedPlace,
  ConfigurationBody,
  RunEndState,
  UndoneCall,
  UndoneRun,
} from './ledger/kinds/run.ts';
export type { AnswerFacts, ObservationBody, VerdictBody } from './ledger/kinds/step.ts';
export type { ReadRecord } from './ledger/line.ts';
export type { TileFile } from './ledger/tiles.ts';
export type { Consistency, Inclusion } from './ledger/tree.ts';
export type { RuleWords } from './privilege/words.ts';
export type { CatalyticMessage, Operation as CatalyticOperation } from './protocol/proposal.ts';
export type { WantedSignatures } from './run/effect.ts';
export type { EditedArguments, QuestionAnswer, StandingYes } from './run/event.ts';
export type { Phase } from './run/state.ts';
export type { ProgramFault } from './sallyport-error.ts';
export type { ConvertibleSchema, PlainSchema, StandardJsonSchema } from './schema/standard.ts';
export type { Schema } from './schema/subschemas.ts';
export type { AttributesOf, EventStatus, ModelNames } from './telemetry/event.ts';
export type { OtlpLog, OtlpSpan } from './telemetry/otlp-form.ts';
export type { SpanParent } from './telemetry/run-trace.ts';
export type { Piece } from './text/visible.ts';
