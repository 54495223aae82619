import { unreachable } from '../../assert.ts';
import type { Authorization } from '../../capability/authorize.ts';
import { codeOf, watchedBy } from '../../capability/authorize.ts';
import type { EndedBy } from '../../capability/call.ts';
import type { Capability } from '../../capability/capability.ts';
import type { Label } from '../../capability/guard.ts';
import type { Registry } from '../../capability/registry.ts';
import type { StagedFile } from '../../content/write.ts';
import type { JsonValue } from '../../json/value.ts';
import { BEHAVIOUR } from '../../ledger/behaviour.ts';
import type { Evidence, HeldEvidence, OperationEvidence } from '../../ledger/kinds/evidence.ts';
import type { PowerDecision } from '../../ledger/kinds/power.ts';
import type { VerdictBody } from '../../ledger/kinds/step.ts';
import type { PayloadRef } from '../../ledger/payload-ref.ts';
import type { Action, Receipt } from '../../ledger/receipt.ts';
import type { Bodies, Draft } from '../../ledger/record.ts';
import type { Refusal } from '../../outcome.ts';
import { DIALECT_VERSIONS } from '../../protocol/dialect.ts';
import type { Payload } from '../effect.ts';
import type { Ending, StoredRow } from '../event.ts';
import { type ExpandedContent, inReceipt } from '../execute/expansions.ts';
import { reason, workDone } from '../execute/operation-result.ts';
import type { OpenStep } from '../open-step.ts';
import { textPayload } from '../payload.ts';
import type { CallEvidence, RunFacts, RunState } from '../state.ts';

/**
 * Constructors of the records of a run. Each body is made here only. Bodies of a step's records are made with their
 * members in canonical order, which spares their sorting.
 */

export function configuration(
  facts: RunFacts,
  registry: PayloadRef,
  policy: PayloadRef,
  powers: PayloadRef | undefined,
): Draft {
  return {
    kind: 'configuration',
    body: {
      format: 'sallyport/1',
      dialect: DIALECT_VERSIONS[facts.dialect],
      behaviour: BEHAVIOUR,
      registry,
      registry_hash: facts.registry.hash,
      policy,
      policy_hash: facts.policy.hash,
      ...(facts.powers && powers ? { powers, powers_hash: facts.powers.hash } : {}),
      limits: facts.limits,
      limits_hash: facts.limits_hash,
      budgets: facts.budgets,
      model: facts.model,
      ...(facts.caller === undefined ? {} : { caller: facts.caller }),
      ...(facts.principal === undefined ? {} : { principal: facts.principal }),
      ...(facts.hold === undefined ? {} : { hold: facts.hold }),
      ...(facts.holding === undefined ? {} : { holding: facts.holding }),
      ...(facts.sources?.length ? { sources: facts.sources } : {}),
      ...(facts.labels?.length ? { labels: facts.labels } : {}),
      ...(facts.carried === undefined ? {} : { carried: facts.carried }),
      ...(facts.beside === undefined ? {} : { beside: facts.beside }),
      ...(facts.undoes === undefined ? {} : { undoes: facts.undoes }),
      ...(facts.remote === undefined ? {} : { remote: facts.remote }),
      isolation: facts.isolation,
      engine: facts.engine,
      ...(facts.seed === undefined ? {} : { seed: facts.seed }),
      ...(facts.heapHash === undefined ? {} : { heap_hash: facts.heapHash }),
    },
  };
}

export function proposal(open: OpenStep, by?: 'person'): Draft {
  const { step, step_id, proposal: payload, answer, goal, providerData, wire, window } = open;
  const { finish, usage } = answer;
  const told = { ...(finish && { finish }), ...(goal && { goal }), ...(window !== undefined && { window }) };
  const data = providerData && { provider_data: providerData.ref };
  return {
    kind: 'proposal',
    body: {
      ...(by && { by }),
      ...told,
      payload,
      ...data,
      step,
      step_id,
      ...(usage && { usage }),
      ...(wire && { wire }),
    },
  };
}

type Judgement =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'say' | 'finish' }
  | { readonly kind: 'work'; readonly operations?: NonNullable<VerdictBody['operations']> }
  | { readonly kind: 'call'; readonly capability: Capability; readonly args: PayloadRef };

export function verdict({ step, step_id, resolved }: OpenStep, facts: RunFacts, judged: Judgement): Draft {
  const { accepted, kind, operations, refusal, args, capability, capability_hash } = judgementOf(judged);
  const body = {
    accepted,
    ...(args && { args }),
    behaviour: BEHAVIOUR,
    ...(capability !== undefined && { capability, capability_hash }),
    dialect: DIALECT_VERSIONS[facts.dialect],
    ...(kind && { kind }),
    limits_hash: facts.limits_hash,
    ...(operations && { operations }),
    ...(refusal && { refusal }),
    registry_hash: facts.registry.hash,
    ...(resolved && { resolved: resolved.ref }),
    step,
    step_id,
  };
  return { kind: 'verdict', body };
}

type JudgementBody = Omit<
  VerdictBody,
  'behaviour' | 'dialect' | 'limits_hash' | 'registry_hash' | 'resolved' | 'step' | 'step_id'
>;

function judgementOf(judged: Judgement): JudgementBody {
  switch (judged.kind) {
    case 'refused': {
      const { class: kind, code, step = 'parse' } = judged.refusal;
      return { accepted: false, refusal: { class: kind, code, step } };
    }
    case 'call': {
      const { hash: capability_hash, manifest } = judged.capability;
      const call = { capability: manifest.name, capability_hash, args: judged.args };
      return { accepted: true, kind: 'call', ...call };
    }
    case 'say':
    case 'finish':
    case 'work':
      return { accepted: true, ...judged };
    default:
      return unreachable(judged);
  }
}

export function decision(
  open: OpenStep,
  state: RunState,
  capability: Capability,
  args_hash: string,
  authorization: Authorization,
  now: number,
  holds = false,
): Draft {
  const code = codeOf(authorization);
  return {
    kind: 'decision',
    body: {
      args_hash,
      capability: capability.manifest.name,
      capability_hash: capability.hash,
      ...(open.charges === undefined ? {} : { charges: open.charges }),
      ...(code === undefined ? {} : { code }),
      decision: authorization.decision,
      ...('grant' in authorization ? { grant: authorization.grant.id } : {}),
      ...heldBy(open, authorization, holds),
      labels: [...state.labels],
      now,
      policy_hash: state.policy.hash,
      step: open.step,
      step_id: open.step_id,
      ...('grant' in authorization ? watchedBy(authorization.grant) : {}),
      ...('why' in authorization ? { why: authorization.why } : {}),
    },
  };
}

/** A call without handles is decided in the open, and holds if it may run; a release is decided like one with handles. */
function heldBy({ held }: OpenStep, { decision }: Authorization, holds: boolean): Pick<Bodies['decision'], 'held'> {
  if (held?.by === 'handles') return { held: 'decision' };
  return holds && decision === 'AUTHORIZED' ? { held: 'outcome' } : {};
}

export function intent(open: OpenStep, capability: Capability, args_hash: string): Draft {
  const { name, effect } = capability.manifest;
  const body = {
    args_hash,
    capability: name,
    capability_hash: capability.hash,
    effect,
    step: open.step,
    step_id: open.step_id,
  };
  return { kind: 'intent', body };
}

export function observation(open: OpenStep, status: 'success' | 'error', payload: PayloadRef): Draft {
  return { kind: 'observation', body: { payload, status, step: open.step, step_id: open.step_id } };
}

/** The outcome of a step, for its receipt. */
export interface StepEnding {
  readonly refusal?: Refusal;
  readonly ended_by?: EndedBy;
  readonly capability?: Capability;
  readonly args_hash?: string;
  /** Present if the call was started and has returned. */
  readonly evidence?: CallEvidence;
  /** The call was started and did not return: it may have had its effect, so it counts as a failed action. */
  readonly cut?: boolean;
  /** The result, and its canonical text. */
  readonly value?: JsonValue;
  readonly resultText?: string;
  /** The call may have had an effect: the receipt is flushed to disk. */
  readonly strict?: boolean;
  readonly result?: PayloadRef;
  readonly answer?: PayloadRef;
  readonly console?: PayloadRef;
  readonly power_calls?: PayloadRef;
  readonly heap?: Evidence['heap_hash'];
  readonly touched?: OperationEvidence['touched'];
  /** Decisions about its power calls, and the labels of the data that they have shown. */
  readonly powers?: readonly PowerDecision[];
  readonly labels?: readonly Label[];
  /** Rows to write and to remove. */
  readonly kept?: readonly StoredRow[];
  /** Content that the call was given. */
  readonly given?: readonly ExpandedContent[];
  /** What the records of a step tell that a crash cut off: it stands in the receipt in place of a work in hand. */
  readonly recovered?: RecoveredStep;
  /** The held outcome of the step. */
  readonly held?: HeldEvidence;
  /** Results of a message in which only non-critical operations failed. */
  readonly partial?: JsonValue;
  /** Content to write with the receipt, and the state to return to if the write is refused. */
  readonly content?: readonly StagedFile[];
  readonly before?: RunState;
}

/** Members of the receipt of a step that was cut off. */
export interface RecoveredStep extends Pick<Receipt, 'actions' | 'expanded'>, Pick<Evidence, 'operations' | 'spent'> {
  /** Content that the call was given, of a step without operations. */
  readonly given: readonly PayloadRef[];
  /** Of a message: the capabilities of its operations, by their hashes. */
  readonly judged?: readonly string[];
}

export function receipt(open: OpenStep, { facts, policy, labels }: RunState, ended: StepEnding): Draft {
  const { refusal, capability, evidence } = ended;
  const started = capability !== undefined && (evidence !== undefined || ended.cut === true);
  const { recovered } = ended;
  const work = open.work === undefined ? undefined : workDone(open.work, ended, started);
  const done = recovered === undefined ? work : { outputs: {}, ...recovered };
  const given = recovered?.given ?? ended.given?.map(({ payload }) => payload.ref) ?? [];
  const receipt: Receipt = {
    actions: done?.actions ?? (started ? [action(capability, ended)] : []),
    expanded: done?.expanded ?? ended.given?.map(inReceipt) ?? [],
    outputs: done?.outputs ?? {},
    run_id: facts.run_id,
    status: ended.partial !== undefined ? 'PARTIAL' : refusal === undefined ? 'SUCCESS' : 'FAILURE',
    step_id: open.step_id,
  };
  const body: Evidence = {
    ...(ended.answer === undefined ? {} : { answer: ended.answer }),
    ...(ended.args_hash === undefined ? {} : { args_hash: ended.args_hash }),
    behaviour: BEHAVIOUR,
    ...(capability === undefined ? {} : { capability_hash: capability.hash }),
    ...(open.charges === undefined ? {} : { charges: open.charges }),
    ...(ended.console === undefined ? {} : { console: ended.console }),
    ...declaredEffects(facts.registry, [{ ...ended, capability_hash: capability?.hash }, ...(done?.operations ?? [])]),
    ...(ended.ended_by === undefined ? {} : { ended_by: ended.ended_by }),
    ...(ended.held === undefined ? {} : { held: ended.held }),
    ...(given.length > 0 ? { expanded: given } : {}),
    ...(evidence === undefined ? {} : cost(evidence, ended.heap)),
    labels: [...labels],
    ...(done?.operations === undefined ? {} : { operations: done.operations }),
    policy_hash: policy.hash,
    ...(ended.power_calls === undefined ? {} : { power_calls: ended.power_calls }),
    ...(ended.powers?.length ? { powers: ended.powers } : {}),
    proposal: open.proposal,
    ...(refusal === undefined ? {} : { reason: reason(refusal) }),
    registry_hash: facts.registry.hash,
    ...toldBy(evidence),
    ...(ended.result === undefined ? {} : { result_hash: ended.result.sha256 }),
    ...(done?.spent === undefined ? {} : { spent: done.spent }),
    step: open.step,
  };
  return { kind: 'receipt', body: { evidence: body, receipt } };
}

interface Used extends Pick<Evidence, 'powers'> {
  readonly capability_hash: string | undefined;
}

/** Of the capabilities and powers of a step, those whose effect a person has declared, by name. */
function declaredEffects({ declared }: Registry, used: readonly Used[]): Pick<Evidence, 'declared_effects'> {
  if (declared.length === 0) return {};
  const hashes = new Set(
    used.flatMap(({ capability_hash, powers = [] }) => [capability_hash, ...powers.map((each) => each.power_hash)]),
  );
  const declared_effects = declared.filter(({ capability_hash }) => hashes.has(capability_hash));
  return declared_effects.length === 0 ? {} : { declared_effects };
}

/** What a tool tells beside its answer, for the receipt. */
export function toldBy(evidence: CallEvidence | undefined): Pick<Evidence, 'repeated' | 'answer_labels'> {
  const { repeated, labels } = evidence?.told ?? {};
  return { ...(repeated !== undefined && { repeated }), ...(labels && { answer_labels: labels }) };
}

/** The image and the fuel of a call, for its receipt. */
export function cost(
  { image_hash, fuel }: CallEvidence,
  heap_hash: Evidence['heap_hash'],
): Pick<Evidence, 'image_hash' | 'heap_hash' | 'fuel'> {
  return { fuel, ...(heap_hash === undefined ? {} : { heap_hash }), image_hash };
}

function action(capability: Capability, ended: StepEnding): Action {
  const target = `@TOOLS/${capability.manifest.name}`;
  const status = ended.refusal === undefined ? 'SUCCESS' : 'FAILURE';
  return { result: ended.result ?? {}, status, target, type: 'EXECUTE' };
}

export function seal(ending: Ending, steps: number): { draft: Draft; payloads: readonly Payload[] } {
  const message = ending.message === undefined ? undefined : textPayload(ending.message);
  const { state, code } = ending;
  const body = {
    state,
    ...(code === undefined ? {} : { code }),
    steps,
    ...(message === undefined ? {} : { message: message.ref }),
  };
  return { draft: { kind: 'seal', body }, payloads: message === undefined ? [] : [message] };
}
