import type { PayloadRef } from '../../ledger/payload-ref.ts';
import type { Draft } from '../../ledger/record.ts';
import type { Payload } from '../effect.ts';
import type { RunEvent } from '../event.ts';
import type { OpenStep } from '../open-step.ts';
import { hidden, parkedRole, touchedRole } from '../payload.ts';
import type { OpenPower, PendingPowerCalls } from '../pending-power-calls.ts';
import type { RunState } from '../state.ts';

/** Constructors of the records of power calls. Each body is made here only. */

function place({ step, step_id }: OpenStep, { ticket, power }: OpenPower) {
  return { step, step_id, ticket, power: power.manifest.name, power_hash: power.hash };
}

export function issued(step: OpenStep, state: RunState, open: OpenPower, grant: string): Draft {
  const { effect } = open.power.manifest;
  const decided = { grant, policy_hash: state.policy.hash, labels: [...state.labels], now: open.now };
  return { kind: 'power', body: { ...place(step, open), event: 'issued', effect, args: open.args.ref, ...decided } };
}

export function returned(step: OpenStep, open: OpenPower, ok: boolean, answer: PayloadRef): Draft {
  const status = ok ? 'success' : 'error';
  return { kind: 'power', body: { ...place(step, open), event: 'answered', status, answer } };
}

export function parked(
  open: OpenStep,
  event: Extract<RunEvent, { type: 'parked' }>,
  { labels, decisions }: PendingPowerCalls,
): { readonly draft: Draft; readonly payloads: readonly Payload[] } {
  const { step, step_id, nonce } = open;
  const { image_hash } = event;
  const digest = hidden(open, parkedRole(open), event.digest);
  const touched = event.touched.length > 0 ? hidden(open, touchedRole(open), event.touched) : undefined;
  const body = {
    step,
    step_id,
    image_hash,
    digest: digest.told,
    nonce,
    labels: [...labels],
    powers: [...decisions],
    ...(touched && { touched: touched.told }),
  };
  const payloads = [digest.payload, touched?.payload].filter((payload) => payload !== undefined);
  return { draft: { kind: 'parked', body }, payloads };
}
