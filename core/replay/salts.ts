import { isSecret, type Registry } from '../capability/registry.ts';
import { isPayloadRef } from '../ledger/form.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import { payloadRefs } from '../ledger/payloads.ts';
import type { Bodies, LedgerRecord } from '../ledger/record.ts';
import type { OpenStep } from '../run/open-step.ts';
import { parkedRole, powerRole, reasonRole, stepPayload, touchedRole } from '../run/payload.ts';
import type { PageRecord } from './host/records.ts';
import { inStep, stepBefore, type Tape, textOf } from './tape.ts';

/**
 * Why a record of a call's powers is not of this step, by its salts: a secret step names each payload by a salt that is
 * made of its own, any other step by none. Where the bytes are there, their name is made once more.
 */
export function saltFault(tape: Tape, open: OpenStep, record: PageRecord): string | undefined {
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

interface Named {
  readonly role: string;
  readonly ref: PayloadRef;
}

/** The payloads that a record of a secret step names, and what each is to its step. */
function namedIn(open: OpenStep, { kind, body }: Exclude<PageRecord, { kind: 'revocation' }>): readonly Named[] {
  const named = (role: string, ref: unknown): readonly Named[] =>
    isPayloadRef(ref) ? [{ role, ref: ref as PayloadRef }] : [];
  if (kind === 'parked') return [...named(parkedRole(open), body.digest), ...named(touchedRole(open), body.touched)];
  const { ticket = 0 } = body;
  if (body.event !== 'answered') return named(powerRole(open, ticket, 'asked'), body.args);
  if (kind === 'approval') return named(reasonRole(body.digest), body.reason);
  return named(powerRole(open, ticket, 'answered'), body.answer);
}

/**
 * The same of a record that is believed, because its step cannot be made again: it is salted as its proposal is, and
 * that is as its verdict says.
 */
export function believedFault(registry: Registry, tape: Tape, at: number): string | undefined {
  const record = tape.records[at];
  const proposal = stepBefore(tape, at + 1).find(({ kind }) => kind === 'proposal');
  if (record === undefined || proposal?.kind !== 'proposal' || !OF_STEP.has(record.kind)) return undefined;
  const isSalted = proposal.body.payload.salt !== undefined;
  if (isMixed(record, isSalted)) return MIXED;
  const verdict = record.kind === 'proposal' ? inStep(tape, at, 'verdict') : undefined;
  const wanted = verdict && isSecretBy(registry, verdict);
  return wanted === undefined || wanted === isSalted ? undefined : MIXED;
}

const OF_STEP: ReadonlySet<string> = new Set<LedgerRecord['kind']>([
  'proposal',
  'verdict',
  'decision',
  'approval',
  'intent',
  'power',
  'parked',
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

/** What is refused here calls nothing that is known. */
const BEFORE_CALL: ReadonlySet<string> = new Set(['parse', 'structure']);

/** True for a record that names payloads as the records of the other sort of step do. */
function isMixed(record: LedgerRecord, isSalted: boolean): boolean {
  if (payloadRefs(record).some(({ salt }) => (salt !== undefined) !== isSalted)) return true;
  return isSalted && hiddenIn(record).some((told) => typeof told === 'string' || Array.isArray(told));
}

/** What the record of a secret step tells by a payload, because it could be guessed from. */
function hiddenIn({ kind, body }: LedgerRecord): readonly unknown[] {
  if (kind === 'parked') return [body.digest, body.touched];
  if (kind === 'content') return [body.symbols];
  if (kind !== 'receipt') return [];
  const { heap_hash, operations = [] } = body.evidence;
  return [heap_hash, ...operations.flatMap((each) => [each.heap_hash, each.touched])];
}
