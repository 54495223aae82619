import { isSecret, type Registry } from '../capability/registry.ts';
import { isPayloadRef } from '../ledger/form.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { payloadRefs } from '../ledger/payloads.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import type { OpenStep } from '../run/open-step.ts';
import { parkedRole, powerRole, readsRole, reasonRole, stepPayload, touchedRole } from '../run/payload.ts';
import type { RunFacts } from '../run/state.ts';
import type { HostRecord } from './host/facts.ts';
import { inStep, stepBefore, type Tape, textOf } from './tape.ts';

/**
 * Reason why the salts of a record of a call's powers do not fit this step: a secret step names each payload with a
 * salt derived from its own, every other step without a salt. If the bytes are present, the name is derived again.
 */
export function saltFault(tape: Tape, open: OpenStep, record: HostRecord): string | undefined {
  if (record.kind === 'revocation') return undefined;
  if (isMixed(record, open.salt !== undefined)) return MIXED;
  if (open.salt === undefined) return undefined;
  const isOther = namedIn(open, record).some(({ role, ref }) => {
    const text = textOf(tape, ref);
    return text !== undefined && stepPayload(open, role, text).ref.sha256 !== ref.sha256;
  });
  return isOther ? 'its salt is another' : undefined;
}

const MIXED = 'a secret step names its payloads with a salt, and no other step does';

interface NamedPayload {
  readonly role: string;
  readonly ref: PayloadRef;
}

/** The payloads that a record of a secret step names, each with its role in the step. */
function namedIn(open: OpenStep, { kind, body }: Exclude<HostRecord, { kind: 'revocation' }>): readonly NamedPayload[] {
  const named = (role: string, ref: unknown): readonly NamedPayload[] =>
    isPayloadRef(ref) ? [{ role, ref: ref as PayloadRef }] : [];
  if (kind === 'progress') return named(readsRole(open, body.tickets[0]), body.calls);
  if (kind === 'parked') return [...named(parkedRole(open), body.digest), ...named(touchedRole(open), body.touched)];
  if (body.event === 'part') return [];
  const { ticket = 0 } = body;
  if (body.event !== 'answered') return named(powerRole(open, ticket, 'asked'), body.args);
  if (kind === 'approval') return named(reasonRole(body.digest), body.reason);
  return named(powerRole(open, ticket, 'answered'), body.answer);
}

/**
 * The same check for an accepted record, whose step cannot be replayed. Its salts must fit its proposal, and its
 * proposal must fit its verdict.
 */
export function acceptedFault(
  { registry, holding }: Pick<RunFacts, 'registry' | 'holding'>,
  tape: Tape,
  at: number,
): string | undefined {
  const record = tape.records[at];
  const proposal = stepBefore(tape, at + 1).find(({ kind }) => kind === 'proposal');
  if (record === undefined || proposal?.kind !== 'proposal' || !OF_STEP.has(record.kind)) return undefined;
  const isSalted = proposal.body.payload.salt !== undefined;
  if (isMixed(record, isSalted)) return MIXED;
  const verdict = record.kind === 'proposal' ? inStep(tape, at, 'verdict') : undefined;
  const wanted = verdict && isSecretBy(registry, verdict);
  // a call that may hold is secret, too, and whether it may follows from earlier steps
  const fits = wanted === undefined || wanted === isSalted || (holding === true && isSalted);
  return fits ? undefined : MIXED;
}

const OF_STEP: ReadonlySet<string> = new Set<LedgerRecord['kind']>([
  'proposal',
  'verdict',
  'decision',
  'approval',
  'intent',
  'power',
  'parked',
  'progress',
  'content',
  'observation',
  'receipt',
]);

/** Whether the step is secret, as far as its verdict tells. */
function isSecretBy(
  { hasSecrets, capabilities }: Registry,
  { accepted, capability, operations = [], refusal }: Bodies['verdict'],
): boolean | undefined {
  if (!hasSecrets) return false;
  if (!accepted) return refusal !== undefined && BEFORE_CALL.has(refusal.step) ? true : undefined;
  const called = [...(capability === undefined ? [] : [capability]), ...operations.map((each) => each.capability)];
  return called.some((name) => {
    const found = capabilities.get(name);
    return found === undefined || isSecret(found);
  });
}

/** Gates before binding: a proposal refused here calls no known capability. */
const BEFORE_CALL: ReadonlySet<string> = new Set(['parse', 'structure']);

/** True for a record that names payloads in the manner of the other sort of step. */
function isMixed(record: LedgerRecord, isSalted: boolean): boolean {
  if (payloadRefs(record).some(({ salt }) => (salt !== undefined) !== isSalted)) return true;
  return isSalted && hiddenIn(record).some((told) => typeof told === 'string' || Array.isArray(told));
}

/** Members that a record of a secret step hides in payloads, because they could be guessed. */
function hiddenIn({ kind, body }: LedgerRecord): readonly unknown[] {
  if (kind === 'parked') return [body.digest, body.touched];
  if (kind === 'content') return [body.symbols];
  if (kind === 'progress') return body.event === 'reads' ? [] : [body.evidence.heap_hash, body.evidence.touched];
  if (kind !== 'receipt') return [];
  const { heap_hash, operations = [] } = body.evidence;
  return [heap_hash, ...operations.flatMap((each) => [each.heap_hash, each.touched])];
}
