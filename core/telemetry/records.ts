import { unreachable } from '../assert.ts';
import { CODES, type Code } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { utf8Length } from '../json/utf8.ts';
import { NO_CODES, type StepRef } from '../ledger/kinds/parts.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import { lengthOf, type PayloadRef } from '../ledger/payload-ref.ts';
import type { Bodies, Draft } from '../ledger/record.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import { operationIn, powerPayload } from '../run/payload.ts';
import type { OpenPower } from '../run/pending-power-calls.ts';
import { powerOf, soleArgument } from '../run/powers/power-text.ts';
import type { Executing, RunState } from '../run/state.ts';
import { executing } from '../run/step.ts';
import { type AttributesOf, type EventStatus, executionId, type TelemetryEvent, tell } from './event.ts';

/**
 * Events of a record that a transition made, in order. A record that only the ledger needs yields no event. Hashes of a
 * secret step's payloads, which the records name with a salt, are not included.
 */
export function eventsOf(run_id: string, draft: Draft): readonly TelemetryEvent[] {
  switch (draft.kind) {
    case 'configuration': {
      const { dialect, model, isolation, registry_hash, policy_hash } = draft.body;
      return [tell('run_started', run_id, { dialect, model, isolation, registry_hash, policy_hash })];
    }
    case 'proposal': {
      const { step, payload, usage, finish, by } = draft.body;
      const hash = payload.salt === undefined ? { proposal_hash: payload.sha256 } : {};
      const tokens = usage && { input_tokens: usage.input, output_tokens: usage.output };
      const proposal = {
        step,
        ...hash,
        proposal_bytes: lengthOf(payload),
        ...tokens,
        ...(finish && { finish }),
        ...(by && { by }),
      };
      return [tell('protocol_received', place(run_id, draft.body), proposal)];
    }
    case 'verdict':
      return verdict(place(run_id, draft.body), draft.body);
    case 'decision':
      return decision(place(run_id, draft.body), draft.body);
    case 'approval':
      return approval(place(run_id, draft.body), draft.body);
    case 'consent':
      return consent(run_id, draft.body);
    case 'revocation': {
      const { revoked, policy_hash } = draft.body;
      return revoked.map((each) => tell('permission_revoked', run_id, { ...each, policy_hash }));
    }
    case 'rejection':
      return rejection(run_id, draft.body);
    case 'receipt':
      return [...expansions(draft.body), ...contentFailures(draft.body)];
    case 'state': {
      const { event, after_ms } = draft.body;
      const later = after_ms === undefined ? {} : { after_ms };
      if (event === 'model_failed') return [tell('model_failed', run_id, { class: 'run', code: event, ...later })];
      return event === 'resumed' || event === 'interrupted' ? [tell('run_resumed', run_id, {})] : [];
    }
    case 'task':
    case 'content':
    case 'intent':
    case 'power':
    case 'parked':
    case 'progress':
    case 'observation':
    case 'log':
    case 'seal':
      return [];
    default:
      return unreachable(draft);
  }
}

function rejection(run_id: string, body: Bodies['rejection']): readonly TelemetryEvent[] {
  // The step tells its own outcome.
  if (body.event === 'taken') return [];
  if (body.event === 'flood') return body.counts.map((row) => tell('message_rejected', run_id, row));
  return [tell('message_rejected', run_id, { class: body.class, code: body.code })];
}

function place(run_id: string, { step_id }: StepRef): string {
  return executionId(run_id, step_id);
}

function verdict(id: string, body: Bodies['verdict']): readonly TelemetryEvent[] {
  const { refusal, kind, capability, capability_hash, args } = body;
  if (refusal !== undefined) {
    const { step: gate, ...reason } = refusal;
    return [tell('protocol_rejected', id, { ...reason, gate })];
  }
  const validated = kind === undefined ? [] : [tell('protocol_validated', id, { kind })];
  if (body.operations !== undefined) {
    const asked = body.operations.map(({ capability, capability_hash, args }) =>
      tell('capability_requested', id, { capability, capability_hash, ...argsOf(args) }),
    );
    return [...validated, ...asked];
  }
  if (capability === undefined || capability_hash === undefined || args === undefined) return validated;
  const call = { capability, capability_hash, ...argsOf(args) };
  return [...validated, tell('capability_requested', id, call)];
}

function argsOf(args: PayloadRef): { readonly args_hash?: string; readonly args_bytes: number } {
  return { ...(args.salt === undefined ? { args_hash: args.sha256 } : {}), args_bytes: lengthOf(args) };
}

/** Events of a decision. The question, which is written with it, tells a decision to ask. */
function decision(id: string, body: Bodies['decision']): readonly TelemetryEvent[] {
  const { decision: said, capability, capability_hash, policy_hash, code } = body;
  if (said === 'REQUIRES_APPROVAL') return [];
  if (said === 'AUTHORIZED') {
    return [tell('capability_authorized', id, { capability, capability_hash, decision: said, policy_hash })];
  }
  const reason = { class: 'authorization', code: code ?? 'no_grant' } as const;
  return [tell('capability_denied', id, { capability, capability_hash, decision: said, ...reason })];
}

function approval(id: string, body: Bodies['approval']): readonly TelemetryEvent[] {
  const { capability, capability_hash, ticket } = body;
  const call = { capability, capability_hash, ...(ticket !== undefined && { ticket }) };
  if (body.event === 'asked') {
    return [tell('approval_asked', id, { ...call, decision: 'REQUIRES_APPROVAL', effect: body.effect })];
  }
  // the question stays open
  if (body.event === 'part') return [];
  const { approved } = body;
  const status: EventStatus = approved ? 'ok' : 'refused';
  const answered = tell('approval_answered', id, { ...call, approved }, status);
  if (approved) return [answered];
  const code = NO_CODES[body.via ?? 'program'];
  return [answered, tell('capability_denied', id, { ...call, class: 'authorization', code })];
}

function consent(run_id: string, body: Bodies['consent']): readonly TelemetryEvent[] {
  const terms = { origin: body.origin, context_units: body.bytes };
  if (body.event === 'asked') return [tell('consent_asked', run_id, terms)];
  const { approved = false } = body;
  return [tell('consent_answered', run_id, { ...terms, approved }, approved ? 'ok' : 'refused')];
}

/** Failed READs and WRITEs: they start no call, so no call event tells their failure. */
function contentFailures({ receipt, evidence }: Bodies['receipt']): readonly TelemetryEvent[] {
  const id = executionId(receipt.run_id, receipt.step_id);
  return receipt.actions.flatMap(({ type: operation, target, status }, nth) => {
    const reason = evidence.operations?.[nth]?.reason;
    if (operation === 'EXECUTE' || status === 'SUCCESS' || reason === undefined) return [];
    return [tell('content_failed', id, { operation, target, class: reason.class, code: reason.code })];
  });
}

/** Events of a step's end: the spent budgets of a message, and each reason of a receipt that is no SUCCESS. */
export function endOf({ receipt, evidence }: Bodies['receipt']): readonly TelemetryEvent[] {
  const id = executionId(receipt.run_id, receipt.step_id);
  const { spent, reason } = evidence;
  const told =
    spent === undefined
      ? []
      : [
          tell('budget_spent', id, {
            symbols: spent.symbols,
            sections: spent.sections,
            bytes_expanded: spent.bytes,
            expansions: spent.expands,
          }),
        ];
  if (reason === undefined || receipt.status === 'SUCCESS') return told;
  const { step: gate, ...why } = reason;
  const over = why.class === 'budget' ? [tell('budget_exceeded', id, why)] : [];
  const failed = { ...why, ...(gate === undefined ? {} : { gate }), outcome: receipt.status };
  return [...told, ...over, tell('step_failed', id, failed)];
}

/** The content hash of a secret step is salted, and is not told either. */
function expansions({ receipt, evidence }: Bodies['receipt']): readonly TelemetryEvent[] {
  const { run_id, step_id, expanded } = receipt;
  const isSecret = evidence.proposal.salt !== undefined;
  return expanded.map(({ symbol_or_section_id: target, slice, content_hash }) =>
    tell('content_expanded', executionId(run_id, step_id), { target, slice, ...(!isSecret && { content_hash }) }),
  );
}

/** A transition of a run, as `derive` reads it. */
interface Told {
  readonly before: RunState;
  readonly event: RunEvent | undefined;
  readonly after: RunState;
  readonly effects: readonly RunEffect[];
  readonly drafts: readonly Draft[];
}

/** The request of a running call for a tool or a power of the page. Repeating it after a pause is no other request. */
export function askedPower({ before, event }: Told): readonly TelemetryEvent[] {
  const at = executing(before);
  if (at === undefined || event?.type !== 'power_asked') return [];
  const { ticket, name, args } = event;
  const power = powerOf(before, at, name);
  if (power === undefined || at.pendingCalls.open.has(ticket) || at.pendingCalls.answered.has(ticket)) return [];
  const argument = soleArgument(args);
  const ref = argument && powerPayload(at.open, ticket, 'asked', canonicalText(argument.value)).ref;
  const hash = ref === undefined || ref.salt !== undefined ? {} : { args_hash: ref.sha256 };
  const size = { args_bytes: ref === undefined ? utf8Length(args) : lengthOf(ref) };
  return [tell('capability_requested', placeOfCall(at, before), { ...named(power), ticket, ...hash, ...size })];
}

/** What became of the requests of a running call: each is authorized or denied, and each start completed or failed. */
export function ofPowers(told: Told): readonly TelemetryEvent[] {
  const at = executing(told.before);
  if (at === undefined) return [];
  const id = placeOfCall(at, told.before);
  const ended = answered(told, at, id);
  const started = told.effects.flatMap((effect) =>
    effect.type === 'power'
      ? [
          tell('capability_started', id, {
            ...named(effect.power),
            ticket: effect.ticket,
            effect: effect.power.manifest.effect,
          }),
        ]
      : [],
  );
  return [...decided(told, at, id), ...started, ...ended, ...left(told, at, id)];
}

/** Starts of an earlier process whose answers are lost with it. */
export function lostPowers({ after, effects }: Told): readonly TelemetryEvent[] {
  const lost = effects.flatMap((effect) => (effect.type === 'append' ? (effect.lost ?? []) : []));
  return lost.map(({ step_id, power: capability, power_hash: capability_hash, ticket }) =>
    tell('capability_failed', executionId(after.facts.run_id, step_id), {
      capability,
      capability_hash,
      ticket,
      ...reason('power_interrupted'),
    }),
  );
}

function placeOfCall({ open }: Executing, { facts }: RunState): string {
  return executionId(facts.run_id, open.step_id);
}

function named({ hash, manifest }: OpenPower['power']): {
  readonly capability: string;
  readonly capability_hash: string;
} {
  return { capability: manifest.name, capability_hash: hash };
}

/** The same call after the transition; undefined where it has ended. */
function goesOn(at: Executing, after: RunState): Executing | undefined {
  const next = executing(after);
  const isSame = next?.open.step === at.open.step && operationIn(next.open) === operationIn(at.open);
  return isSame ? next : undefined;
}

/** Decisions about tools and powers of the page. A decision about content is told by what it expands. */
function decided(told: Told, at: Executing, id: string): readonly TelemetryEvent[] {
  const { before, after } = told;
  const known = new Set(at.pendingCalls.decisions);
  const all = goesOn(at, after)?.pendingCalls.decisions ?? recorded(told);
  return all.flatMap((one) => {
    if (known.has(one) || powerOf(before, at, one.power) === undefined) return [];
    const { power: capability, power_hash: capability_hash, ticket, decision, code } = one;
    const call = { capability, capability_hash, ticket };
    if (code === undefined)
      return [tell('capability_authorized', id, { ...call, decision, policy_hash: after.policy.hash })];
    return [tell('capability_denied', id, { ...call, decision, ...reason(code) })];
  });
}

/** The decisions in the receipt of a call that has ended with this transition. */
function recorded({ drafts }: Told): readonly PowerDecision[] {
  const receipt = drafts.find((draft) => draft.kind === 'receipt')?.body;
  return receipt?.evidence.powers ?? receipt?.evidence.operations?.at(-1)?.powers ?? [];
}

function reason(code: Code): AttributesOf['memory_failed'] {
  return { class: CODES[code].class, code };
}

/** The answer to a power that was carried out. Its text is checked before: the guest gets what is told here. */
function answered({ event, after, effects }: Told, at: Executing, id: string): readonly TelemetryEvent[] {
  if (event?.type !== 'power_answered') return [];
  const { ticket } = event;
  const open = at.pendingCalls.open.get(ticket);
  if (open?.stage !== 'issued') return [];
  const writes = goesOn(at, after)?.pendingCalls.writes ?? [];
  const given = effects.find((effect) => effect.type === 'answer_power' && effect.ticket === ticket);
  const write = writes.findLast((each) => each.then === 'answer' && each.ticket === ticket);
  const answer = given?.type === 'answer_power' ? given.answer : write?.then === 'answer' ? write.answer : undefined;
  if (answer === undefined) return [];
  const call = { ...named(open.power), ticket };
  if (!answer.ok) {
    const { name } = answer.error;
    const code = Object.hasOwn(CODES, name) ? (name as Code) : 'power_failed';
    return [tell('capability_failed', id, { ...call, ...reason(code) })];
  }
  const hash =
    at.open.salt === undefined
      ? { result_hash: powerPayload(at.open, ticket, 'answered', answer.text).ref.sha256 }
      : {};
  const result_bytes = utf8Length(answer.text);
  return [tell('capability_completed', id, { ...call, fuel: 0, image_hash: '', ...hash, result_bytes })];
}

/** Requests that the end of their call has left without a decision, and starts without an answer. */
function left(told: Told, at: Executing, id: string): readonly TelemetryEvent[] {
  if (goesOn(at, told.after) !== undefined) return [];
  const receipt = told.drafts.find((draft) => draft.kind === 'receipt')?.body;
  const why = reason(receipt?.evidence.reason?.code ?? 'power_interrupted');
  return [...at.pendingCalls.open.values()].flatMap(({ ticket, power, stage }) => {
    const call = { ...named(power), ticket };
    if (stage === 'issued') return [tell('capability_failed', id, { ...call, ...reason('power_interrupted') })];
    const isDecided = at.pendingCalls.decisions.some((one) => one.ticket === ticket);
    return isDecided ? [] : [tell('capability_denied', id, { ...call, ...why })];
  });
}
