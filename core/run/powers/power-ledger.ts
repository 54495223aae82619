import { codeOf, type PolicyDecision } from '../../capability/authorize.ts';
import type { GrantUses } from '../../capability/charge.ts';
import type { PowerBody, PowerDecision } from '../../ledger/kinds/power.ts';

/**
 * The accounts of a step's powers: which uses of grants are counted, and which power calls are open or answered. A run
 * keeps them from its decisions; its restoration and its replay make them again from the records.
 */
export interface PowerLedger {
  /** The first record of each issued power, by ticket. */
  readonly issued: ReadonlyMap<number, IssuedPower>;
  readonly answered: ReadonlyMap<number, AnsweredPower>;
  /** Decisions about the powers of the current operation. */
  readonly decisions: readonly DecidedUse[];
  /** Uses of each grant by the powers of the step. */
  readonly used: GrantUses;
}

export type IssuedPower = Extract<PowerBody, { event: 'issued' }>;
export type AnsweredPower = Extract<PowerBody, { event: 'answered' }>;
export type DecidedUse = Pick<PowerDecision, 'ticket' | 'decision' | 'grant'>;

export const NO_POWERS: PowerLedger = { issued: new Map(), answered: new Map(), decisions: [], used: new Map() };

interface PowerUse {
  readonly ticket: number;
  readonly power: { readonly hash: string; readonly manifest: { readonly name: string } };
}

/** The decision about a power call, for the receipt of its call. */
export function powerDecision({ ticket, power: { hash, manifest } }: PowerUse, decided: PolicyDecision): PowerDecision {
  const code = codeOf(decided);
  return {
    ticket,
    power: manifest.name,
    power_hash: hash,
    decision: decided.decision,
    ...(code === undefined ? {} : { code }),
    ...(decided.decision === 'AUTHORIZED' ? { grant: decided.grant.id } : {}),
  };
}

/** Whether both decisions are about the same use of a grant: a call that was parked may ask again. */
export function isSameUse(one: DecidedUse, other: DecidedUse): boolean {
  return one.ticket === other.ticket && one.grant === other.grant;
}

/** Counts an authorized use of a grant. */
export function counted(used: GrantUses, { decision, grant }: Pick<DecidedUse, 'decision' | 'grant'>): GrantUses {
  if (decision !== 'AUTHORIZED' || grant === undefined) return used;
  return new Map(used).set(grant, (used.get(grant) ?? 0) + 1);
}

interface DecisionAccount<D extends DecidedUse> {
  readonly decisions: readonly D[];
  readonly used: GrantUses;
}

/** Adds a decision and counts its use, once. */
export function withDecision<D extends DecidedUse, A extends DecisionAccount<D>>(account: A, decided: D): A {
  if (account.decisions.some((each) => isSameUse(each, decided))) return account;
  return { ...account, decisions: [...account.decisions, decided], used: counted(account.used, decided) };
}

/**
 * Adds a record to the accounts. Each operation of a message numbers its tickets anew: a ticket that is issued again
 * begins the next operation.
 */
export function withPower(ledger: PowerLedger, body: PowerBody): PowerLedger {
  const { ticket } = body;
  if (body.event === 'answered') return { ...ledger, answered: new Map(ledger.answered).set(ticket, body) };
  if (ledger.issued.has(ticket)) return { ...ledger, decisions: [] };
  return { ...ledger, issued: new Map(ledger.issued).set(ticket, body) };
}

/** Powers that were issued and not answered, oldest first. */
export function unanswered({ issued, answered }: PowerLedger): readonly IssuedPower[] {
  return [...issued.values()].filter(({ ticket }) => !answered.has(ticket));
}
