/** What the sandbox and the workers build on as well: no part of the package's surface. */

export { assert, Defect, unreachable } from './assert.ts';
export { readsLike } from './capability/alike.ts';
export type { Decision } from './capability/authorize.ts';
export { type ContentPower, EXPAND, SANDBOX_POWERS, type SandboxPower, SEARCH } from './capability/built-in-power.ts';
export type { CallFailureKind, CallSettled } from './capability/call.ts';
export type { Capability } from './capability/capability.ts';
export type { Charged } from './capability/charge.ts';
export type { Checked } from './capability/check.ts';
export { schemaHash } from './capability/define.ts';
export type { Policy } from './capability/grant.ts';
export { type GrantTerms, makeGrant, makePolicy, type Revocation } from './capability/policy.ts';
export {
  changingPower,
  makePower,
  makePowers,
  type Power,
  type PowerAnswer,
  type PowerSet,
  type PowerTerms,
  timeoutOf,
} from './capability/power.ts';
export { type Bound, isSecret, makeRegistry, type Registry } from './capability/registry.ts';
export { checkTerms } from './capability/terms.ts';
export { NOTHING_SPENT, type Spent, spend } from './content/budget.ts';
export { indexFile } from './content/build.ts';
export { CONTENT_CAPABILITIES, CONTENT_READ } from './content/built-in.ts';
export { expand } from './content/expand.ts';
export { checkPath } from './content/path.ts';
export { goneRef } from './content/rebind.ts';
export { SLICE_PATTERN } from './content/slice-form.ts';
export { locateStaged, type StagedFiles, sameAsBefore, targetAfter } from './content/staged.ts';
export {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  lookUp,
  readSymbol,
  type Symbols,
  toolOf,
  toolSymbol,
} from './content/symbols.ts';
export { type Corpus, fileBehind, resolveSection, resolveSymbol, type Target } from './content/target.ts';
export { compareText, sortTexts, withLineFeeds } from './content/text.ts';
export { rebound, type Staged } from './content/write.ts';
export type { DetailsOf } from './errors/details.ts';
export { refuse as refusePage } from './errors/page.ts';
export { refuse } from './errors.ts';
export { concatBytes, hashBytes, hashText, hashTexts, sha256, structureHash } from './hash.ts';
export * from './index.ts';
export { encodeOnce, firstInvalid, utf8Length } from './json/utf8.ts';
export { isReboundList } from './ledger/bodies.ts';
export { type Link } from './ledger/chain.ts';
export {
  formatCheckpoint,
  formatKey,
  type NoteKey,
  parseKey,
  signatureBy,
  signedNote,
} from './ledger/checkpoint.ts';
export { finding } from './ledger/export.ts';
export { isIntact, readRecord } from './ledger/line.ts';
export { type SecretMarks, secretPayloads } from './ledger/payloads.ts';
export { completeReceipt } from './ledger/receipt.ts';
export { type LogBody, NO_PREV, type ReboundSymbol, type RunEndState } from './ledger/record.ts';
export { emptyFrontier, type Frontier, push, rootOf } from './ledger/tree.ts';
export { ANCHOR, withCheck } from './ledger/verify.ts';
export { type HandedIn, tasksShown } from './lesson/solve.ts';
export { LESSON_WANTS } from './lesson/wants.generated.ts';
export { CALL_LIMITS_MOST, KEPT_LIMITS, PARKED_BYTES, requestBounds, taskBytes } from './limits.ts';
export {
  ANY,
  assertKinds,
  BYTES,
  CALLBACK,
  COUNT,
  each,
  FLAG,
  type Kind,
  type Kinds,
  LIST,
  OBJECT,
  oneOf,
  optionFault,
  optionsOf,
  POSITIVE,
  SIGNAL,
  TEXT,
} from './option.ts';
export { pass } from './outcome.ts';
export { type Proposal } from './protocol/proposal.ts';
export { type ReadingFacts, read } from './protocol/read.ts';
export { rejected, verdictOn } from './protocol/verdict.ts';
export type { Answered, Ask } from './replay/move.ts';
export { replay } from './replay/replay.ts';
export { tapeOf } from './replay/tape.ts';
export { answerOf } from './run/authorize/answer.ts';
export { checkHere } from './run/validate/check-here.ts';
export { type Message, messages } from './run/context.ts';
export { parkedKey } from './run/powers/power-calls.ts';
export type { KeptRow, RunEffect } from './run/effect.ts';
export type { Answer, Ending, Found, ReadArguments, RunEvent } from './run/event.ts';
export { type Allowance, allowance, givenTo, spentWith } from './run/execute/expansions.ts';
export { type FindPayload, restoreFacts } from './run/resume/facts.ts';
export { type KeptValue, LABEL_ROWS, labelPrefix, labelsKept, ownKey, uncommitted } from './run/commit/storage.ts';
export { answerCutOff, noticesFor } from './run/notices.ts';
export { opening, proposalSchema } from './run/opening.ts';
export { shown } from './run/payload.ts';
export { type PowerChecks, powerChecks, resultChecks } from './run/powers/power-text.ts';
export { readChecks } from './run/powers/reading.ts';
export { restore } from './run/resume/restore.ts';
export { recheck, resume } from './run/resume/resume.ts';
export type { Recheck } from './run/resume/resume-work.ts';
export { initialState, type Phase, type RunFacts, type RunState } from './run/state.ts';
export type { Transition } from './run/step.ts';
export { transition } from './run/transition.ts';
export { misuse, refusalError } from './sallyport-error.ts';
export { schemaText } from './schema/lint.ts';
export { VALIDATORS } from './schema/validators.generated.js';
export { derive, isOver } from './telemetry/derive.ts';
export { tell } from './telemetry/event.ts';
export { REDACTED, redact } from './telemetry/redact.ts';
export { visibleJson, visibleLine } from './text/visible.ts';
