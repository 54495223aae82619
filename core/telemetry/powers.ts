import { CODES, type Code } from '../errors.ts';
import { canonicalText } from '../json/canonical.ts';
import { utf8Length } from '../json/utf8.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import type { Draft } from '../ledger/record.ts';
import { lengthOf } from '../ledger/salt.ts';
import type { RunEffect } from '../run/effect.ts';
import type { RunEvent } from '../run/event.ts';
import { operationIn, powerPayload } from '../run/payload.ts';
import type { OpenPower } from '../run/pending-power-calls.ts';
import { powerOf, soleArgument } from '../run/powers/power-text.ts';
import type { Executing, RunState } from '../run/state.ts';
import { executing } from '../run/step.ts';
import { type AttributesOf, executionId, type TelemetryEvent, tell } from './event.ts';

/** A transition of a run, as `derive` reads it. */
export interface Told {
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
  return [tell('capability_requested', place(at, before), { ...named(power), ticket, ...hash, ...size })];
}

/** What became of the requests of a running call: each is authorized or denied, and each start completed or failed. */
export function ofPowers(told: Told): readonly TelemetryEvent[] {
  const at = executing(told.before);
  if (at === undefined) return [];
  const id = place(at, told.before);
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
      ...{ capability, capability_hash, ticket },
      ...reason('power_interrupted'),
    }),
  );
}

function place({ open }: Executing, { facts }: RunState): string {
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
