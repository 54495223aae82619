import type { GateName, StripGate } from '../../records/gates.ts';
import type { StepGroup } from '../../records/steps.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { inspector } from '../../texts/en/inspector.ts';
import { find } from '../run/reply.ts';

/** The evidence of a passed gate. */
export function evidence(gate: StripGate, group: StepGroup): string | undefined {
  return gate.state === 'passed' ? EVIDENCE[gate.name]?.(group) : undefined;
}

const EVIDENCE: { readonly [G in GateName]?: (group: StepGroup) => string | undefined } = {
  parse: (group) => {
    const bytes = find(group, 'proposal')?.body.payload.bytes;
    return bytes === undefined ? undefined : inspector().gates.bytes(bytes);
  },
  form: (group) => find(group, 'verdict')?.body.kind,
  capability: (group) => {
    const verdict = find(group, 'verdict')?.body;
    return verdict?.capability ?? verdict?.operations?.map(({ type, target }) => `${type} ${target}`).join(', ');
  },
  authorize: (group) => {
    const grant = find(group, 'decision')?.body.grant;
    return grant === undefined ? undefined : inspector().gates.grant(grant.slice(0, 12));
  },
  execute: (group) => {
    const { evidence: call } = find(group, 'receipt')?.body ?? {};
    if (isToolCall(call ?? {})) return inspector().gates.byProgram;
    const fuel = call?.fuel;
    return fuel === undefined ? undefined : inspector().gates.fuel(fuel);
  },
  receipt: (group) => {
    const receipt = find(group, 'receipt');
    return receipt === undefined ? undefined : inspector().gates.record(receipt.run_seq, receipt.hash.slice(0, 12));
  },
};
