import type { GateName, StripGate } from '../../records/gates.ts';
import type { StepGroup } from '../../records/steps.ts';
import { isToolCall } from '../../records/tool-call.ts';
import { count } from '../parts/text.ts';
import { find } from '../run/reply.ts';

/** The evidence of a passed gate. */
export function evidence(gate: StripGate, group: StepGroup): string | undefined {
  return gate.state === 'passed' ? EVIDENCE[gate.name]?.(group) : undefined;
}

const EVIDENCE: { readonly [G in GateName]?: (group: StepGroup) => string | undefined } = {
  parse: (group) => {
    const bytes = find(group, 'proposal')?.body.payload.bytes;
    return bytes === undefined ? undefined : `${count(bytes, 'byte')} of JSON`;
  },
  form: (group) => find(group, 'verdict')?.body.kind,
  capability: (group) => {
    const verdict = find(group, 'verdict')?.body;
    return verdict?.capability ?? verdict?.operations?.map(({ type, target }) => `${type} ${target}`).join(', ');
  },
  authorize: (group) => {
    const grant = find(group, 'decision')?.body.grant;
    return grant === undefined ? undefined : `grant ${grant.slice(0, 12)}… of the policy`;
  },
  execute: (group) => {
    const { evidence: call } = find(group, 'receipt')?.body ?? {};
    if (isToolCall(call ?? {})) return 'carried out by the program, outside the sandbox';
    const fuel = call?.fuel;
    return fuel === undefined ? undefined : `${count(fuel, 'operation')} of fuel used`;
  },
  receipt: (group) => {
    const receipt = find(group, 'receipt');
    return receipt === undefined ? undefined : `record ${receipt.run_seq}, ${receipt.hash.slice(0, 12)}…`;
  },
};
