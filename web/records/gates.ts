import type { Bodies, LedgerRecord, Step } from '../../core/index.ts';

/** The ten gates, in the order a proposal meets them. The first six are FemtoClaw Protocol 10, steps 1 to 6. */
export const GATES = [
  'parse',
  'structure',
  'form',
  'capability',
  'arguments',
  'verdict',
  'authorize',
  'approve',
  'execute',
  'receipt',
] as const;

export type GateName = (typeof GATES)[number];

/** `skipped`: not needed for this proposal; `never`: behind the gate that stopped it; `ahead`: not there yet. */
export type GateState = 'passed' | 'stopped' | 'waiting' | 'running' | 'skipped' | 'never' | 'ahead';

export interface StripGate {
  readonly name: GateName;
  readonly state: GateState;
}

/** The gate at which a refusal is drawn: a breached budget or a lost record stops the execution. */
const DRAWN_AT: { readonly [S in Step]: GateName } = {
  parse: 'parse',
  structure: 'structure',
  form: 'form',
  capability: 'capability',
  arguments: 'arguments',
  authorize: 'authorize',
  approve: 'approve',
  charge: 'execute',
  execute: 'execute',
  record: 'receipt',
};

type States = Record<GateName, GateState>;

/** Reads the strip from the records of a step: the ledger is the only source. */
export function gatesOf(records: readonly LedgerRecord[]): readonly StripGate[] {
  const states = Object.fromEntries(GATES.map((name) => [name, 'ahead'])) as States;
  for (const record of records) apply(states, record);
  return GATES.map((name) => ({ name, state: states[name] }));
}

/** The gate that stopped the proposal, if a gate did. */
export function stoppedAt(gates: readonly StripGate[]): GateName | undefined {
  return gates.find((gate) => gate.state === 'stopped')?.name;
}

function apply(states: States, record: LedgerRecord): void {
  if (record.kind === 'verdict') judge(states, record.body);
  if (record.kind === 'decision') decide(states, record.body.decision);
  if (record.kind === 'approval') ask(states, record.body);
  if (record.kind === 'intent') states.execute = 'running';
  // the reply to a held call says success whatever the call came to
  const isStopped = GATES.some((name) => states[name] === 'stopped');
  if (record.kind === 'observation' && record.body.status === 'success' && states.execute !== 'skipped' && !isStopped)
    pass(states, 'execute');
  if (record.kind === 'receipt') close(states, record.body.evidence.reason?.step, record.body.receipt.status);
}

function judge(states: States, { refusal, kind }: Bodies['verdict']): void {
  if (refusal !== undefined) return stop(states, DRAWN_AT[refusal.step]);
  pass(states, 'verdict');
  if (kind === 'say' || kind === 'finish') skip(states, ['authorize', 'approve', 'execute']);
}

function ask(states: States, body: Bodies['approval']): void {
  if (body.event !== 'answered') states.approve = 'waiting';
  else if (body.approved) pass(states, 'approve');
  else stop(states, 'approve');
}

function decide(states: States, decision: string): void {
  if (decision.startsWith('DENIED')) return stop(states, 'authorize');
  pass(states, 'authorize');
  if (decision === 'REQUIRES_APPROVAL') states.approve = 'waiting';
  else if (states.approve !== 'passed') states.approve = 'skipped';
}

/** The receipt gate is always reached: every proposal ends in exactly one receipt. */
function close(states: States, step: Step | undefined, status: string): void {
  const stopped = GATES.some((name) => states[name] === 'stopped');
  if (!stopped && status === 'FAILURE') stop(states, step === undefined ? 'execute' : DRAWN_AT[step]);
  if (states.receipt !== 'stopped') states.receipt = 'passed';
}

function pass(states: States, upTo: GateName): void {
  for (const name of GATES.slice(0, GATES.indexOf(upTo) + 1)) {
    if (states[name] !== 'skipped') states[name] = 'passed';
  }
}

function skip(states: States, names: readonly GateName[]): void {
  for (const name of names) states[name] = 'skipped';
}

function stop(states: States, at: GateName): void {
  const index = GATES.indexOf(at);
  GATES.forEach((name, i) => {
    if (i < index && states[name] !== 'skipped') states[name] = 'passed';
    if (i === index) states[name] = 'stopped';
    if (i > index && name !== 'receipt') states[name] = 'never';
  });
}
