import type { Decision } from '../capability/authorize.ts';
import type { Grant } from '../capability/grant.ts';
import { isHash } from '../hash.ts';
import { isObject } from '../json/value.ts';
import { DIALECT_VERSIONS } from '../protocol/proposal.ts';
import {
  arrayOf,
  type Form,
  isCount,
  isPlainRef,
  isProposalRef,
  isRunId,
  isSymbol,
  isText,
  isUuid4,
  isUuid8,
  isWholeRef,
  isWord,
  oneOf,
  optional,
  shaped,
  type Test,
  violation,
} from './form.ts';
import { completeReceipt } from './receipt.ts';
import type {
  ApprovalBody,
  Bodies,
  Evidence,
  LedgerRecord,
  LogBody,
  OperationEvidence,
  PowerBody,
  PowerDecision,
  ReboundSymbol,
  RecordKind,
  StepRef,
  VerdictBody,
} from './record.ts';

/** First violation of a record's kind by its body; undefined for a valid body. */
export function bodyViolation({ kind, body, run_id }: LedgerRecord): string | undefined {
  if (kind === 'approval') return violation(body, body.event === 'asked' ? ASKED : ANSWERED);
  if (kind === 'log') return violation(body, LOG[body.event] ?? LOG.lost);
  if (kind === 'power') return violation(body, body.event === 'issued' ? ISSUED : RETURNED);
  if (kind !== 'receipt') return violation(body, FORMS[kind]);
  const shape = violation(body, RECEIPT);
  if (shape !== undefined) return shape;
  const receipt = completeReceipt(body.receipt, { run_id });
  if (!receipt.ok) return receipt.refusal.message;
  const isGood = body.receipt.status === 'SUCCESS';
  return isGood === (body.evidence.reason === undefined) ? undefined : 'a success with a reason, or neither';
}

const STEP: Form<StepRef> = { step: isCount, step_id: isUuid8 };
const CAPABILITY = { capability: isText, capability_hash: isHash };
const RULES = { registry_hash: isHash, behaviour: isCount };
const isDialect: Test = oneOf(...Object.values(DIALECT_VERSIONS));
const isLabels: Test = arrayOf(oneOf('private', 'untrusted'));
const DECISIONS: readonly Decision[] = [
  'AUTHORIZED',
  'REQUIRES_APPROVAL',
  'DENIED_CAPABILITY_NOT_FOUND',
  'DENIED_CAPABILITY_DISABLED',
  'DENIED_POLICY_VIOLATION',
  'DENIED_ARGUMENT_INVALID',
];
/** A hash: in a record of a secret step as a salted payload, in other records in place. */
const isSaltedRef: Test = (value) => isWholeRef(value) && !isPlainRef(value);
const isHashOrRef: Test = (value) => isHash(value) || isSaltedRef(value);
const isTexts: Test = arrayOf(isText);
export const isHashes: Test = arrayOf(isHash);
const isVia: Test = oneOf('gesture', 'program', 'authorizer');
const isEffect: Test = oneOf('pure', 'read', 'write', 'egress');

const REFUSAL: Form<NonNullable<VerdictBody['refusal']>> = { class: isWord, code: isWord, step: isWord };
const REASON: Form<NonNullable<Evidence['reason']>> = { ...REFUSAL, step: optional(isWord) };

const GRANT: Form<Grant> = {
  id: isHash,
  capability: isText,
  capability_hash: isHash,
  mode: oneOf('allow', 'ask', 'deny'),
  where: optional(isObject),
  where_hash: optional(isHash),
  args_hash: optional(isHash),
  uses: optional(isCount),
  expires: optional(isCount),
  answer: optional(isHash),
};

/** True for a grant as policies and answers hold it; its hashes are not recomputed. */
export const isGrant: Test = shaped(GRANT);

const ASKED: Form<Extract<ApprovalBody, { event: 'asked' }>> = {
  ...STEP,
  ...CAPABILITY,
  digest: isHash,
  ticket: optional(isCount),
  event: oneOf('asked'),
  effect: isEffect,
  args: isWholeRef,
  nonce: isText,
};
const ANSWERED: Form<Extract<ApprovalBody, { event: 'answered' }>> = {
  ...STEP,
  ...CAPABILITY,
  digest: isHash,
  ticket: optional(isCount),
  event: oneOf('answered'),
  approved: oneOf(true, false),
  via: optional(isVia),
  reason: optional(isWholeRef),
  grant: optional(isGrant),
};

const POWER = { ...STEP, ticket: isCount, power: isText, power_hash: isHash };
const ISSUED: Form<Extract<PowerBody, { event: 'issued' }>> = {
  ...POWER,
  event: oneOf('issued'),
  effect: isEffect,
  args: isWholeRef,
  grant: isHash,
  policy_hash: isHash,
  labels: isLabels,
  now: isCount,
};
const RETURNED: Form<Extract<PowerBody, { event: 'answered' }>> = {
  ...POWER,
  event: oneOf('answered'),
  status: oneOf('success', 'error'),
  answer: isWholeRef,
};
const DECIDED: Form<PowerDecision> = {
  ticket: isCount,
  power: isText,
  power_hash: isHash,
  decision: oneOf(...DECISIONS),
  code: optional(isWord),
  grant: optional(isHash),
};
const isDecided: Test = arrayOf(shaped(DECIDED));

const SOURCE: Form<NonNullable<OperationEvidence['source']>> = { line: isCount, text: optional(isWholeRef) };
const OPERATION: Form<OperationEvidence> = {
  capability_hash: isHash,
  args_hash: isHash,
  reason: optional(shaped(REASON)),
  image_hash: optional(isHash),
  heap_hash: optional(isHashOrRef),
  fuel: optional(isCount),
  ended_by: optional(isWord),
  result_hash: optional(isHash),
  console: optional(isWholeRef),
  power_calls: optional(isWholeRef),
  powers: optional(isDecided),
  expanded: optional(arrayOf(isWholeRef)),
  source: optional(shaped(SOURCE)),
  touched: optional((value) => isTexts(value) || isSaltedRef(value)),
};
const SPENT: Form<NonNullable<Evidence['spent']>> = {
  symbols: isCount,
  sections: isCount,
  bytes: isCount,
  expands: isCount,
};
const REBOUND: Form<ReboundSymbol> = {
  symbol_id: isSymbol,
  from: isHash,
  to: optional(isHash),
};
/** True for a list of symbols that a write has moved. */
export const isReboundList: Test = arrayOf(shaped(REBOUND));
const ASKED_FOR: Form<NonNullable<VerdictBody['operations']>[number]> = {
  type: oneOf('READ', 'WRITE', 'EXECUTE'),
  target: isSymbol,
  ...CAPABILITY,
  args: isWholeRef,
};
const EVIDENCE: Form<Evidence> = {
  ...RULES,
  step: isCount,
  reason: optional(shaped(REASON)),
  proposal: isProposalRef,
  args_hash: optional(isHash),
  capability_hash: optional(isHash),
  image_hash: optional(isHash),
  heap_hash: optional(isHashOrRef),
  policy_hash: isHash,
  fuel: optional(isCount),
  ended_by: optional(isWord),
  power_calls: optional(isWholeRef),
  powers: optional(isDecided),
  console: optional(isWholeRef),
  result_hash: optional(isHash),
  labels: isLabels,
  expanded: optional(arrayOf(isWholeRef)),
  operations: optional(arrayOf(shaped(OPERATION))),
  spent: optional(shaped(SPENT)),
};
const RECEIPT: Form<Bodies['receipt']> = { receipt: isObject, evidence: shaped(EVIDENCE) };

const REVOKED: Form<Bodies['revocation']['revoked'][number]> = { ...CAPABILITY, grant: optional(isHash) };
const UNDONE = { path: isText, before: isHash, after: isHash };
const LOG_SIZE = { size: isCount, root: isHash, found: isCount };
const RUN_HEAD = { run: isUuid4, records: isCount, head: isHash };
const LOG: { readonly [E in LogBody['event']]: Form<Extract<LogBody, { event: E }>> } = {
  lost: { event: oneOf('lost'), ...LOG_SIZE },
  restored: { event: oneOf('restored'), ...LOG_SIZE },
  archived: { event: oneOf('archived'), ...RUN_HEAD, run: isRunId, file: isHash },
  deleted: { event: oneOf('deleted'), ...RUN_HEAD },
  erased: { event: oneOf('erased'), run: isUuid4, payloads: arrayOf(isHash) },
  undone: { event: oneOf('undone'), run: isUuid4, step: isCount, files: arrayOf(shaped(UNDONE)) },
};

const FORMS: { readonly [K in Exclude<RecordKind, 'approval' | 'log' | 'power' | 'receipt'>]: Form<Bodies[K]> } = {
  configuration: {
    ...RULES,
    format: oneOf('sallyport/1'),
    dialect: isDialect,
    registry: isPlainRef,
    policy: isPlainRef,
    policy_hash: isHash,
    powers: optional(isPlainRef),
    powers_hash: optional(isHash),
    limits: shaped({
      steps: isCount,
      refusalsInRow: isCount,
      wallMs: isCount,
      proposalBytes: isCount,
      expandedBytes: optional(isCount),
      answerTokens: optional(isCount),
      contextBytes: optional(isCount),
      modelFailuresInRow: optional(isCount),
    }),
    limits_hash: isHash,
    budgets: shaped({
      max_symbols: isCount,
      max_sections: isCount,
      max_bytes_expanded: isCount,
      max_expands_per_step: isCount,
    }),
    model: isText,
    remote: optional(isText),
    isolation: oneOf('locked', 'unlocked', 'development', 'node'),
    seed: optional(isCount),
    heap_hash: optional(oneOf(true)),
  },
  task: { text: isPlainRef },
  proposal: {
    ...STEP,
    payload: isProposalRef,
    usage: optional(shaped({ input: isCount, output: isCount })),
    finish: optional(oneOf('stop', 'length', 'other')),
  },
  verdict: {
    ...STEP,
    ...RULES,
    accepted: oneOf(true, false),
    kind: optional(oneOf('say', 'call', 'finish', 'work')),
    capability: optional(isText),
    capability_hash: optional(isHash),
    args: optional(isWholeRef),
    operations: optional(arrayOf(shaped(ASKED_FOR))),
    resolved: optional(isWholeRef),
    refusal: optional(shaped(REFUSAL)),
    limits_hash: isHash,
    dialect: isDialect,
  },
  decision: {
    ...STEP,
    ...CAPABILITY,
    decision: oneOf(...DECISIONS),
    code: optional(isWord),
    args_hash: isHash,
    policy_hash: isHash,
    grant: optional(isHash),
    why: optional(isWord),
    labels: isLabels,
    now: isCount,
  },
  consent: {
    event: oneOf('asked', 'answered'),
    origin: isText,
    bytes: isCount,
    bytes_max: isCount,
    digest: isHash,
    approved: optional(oneOf(true, false)),
    via: optional(isVia),
  },
  revocation: { revoked: arrayOf(shaped(REVOKED)), policy_hash: isHash },
  intent: { ...STEP, ...CAPABILITY, args_hash: isHash, effect: isEffect },
  parked: {
    ...STEP,
    image_hash: isHash,
    digest: isHashOrRef,
    nonce: isText,
    labels: isLabels,
    powers: isDecided,
    touched: optional((value) => isHashes(value) || isSaltedRef(value)),
  },
  content: {
    ...STEP,
    path: isText,
    before: isWholeRef,
    after: isWholeRef,
    symbols: (value) => isReboundList(value) || isSaltedRef(value),
  },
  observation: { ...STEP, status: oneOf('success', 'error'), payload: isWholeRef },
  state: {
    event: oneOf('paused', 'resumed', 'interrupted', 'model_failed'),
    reason: optional(isPlainRef),
    after_ms: optional(isCount),
  },
  seal: {
    state: oneOf('completed', 'aborted', 'failed', 'limit'),
    code: optional(isWord),
    steps: isCount,
    message: optional(isPlainRef),
  },
};

const OTHERS: ReadonlySet<string> = new Set<RecordKind>(['approval', 'log', 'power', 'receipt']);

/** True for a kind of record that this version knows. */
export function isKind(value: unknown): value is RecordKind {
  return typeof value === 'string' && (OTHERS.has(value) || Object.hasOwn(FORMS, value));
}
