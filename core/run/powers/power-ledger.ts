import { codeOf, type PolicyDecision, watchedBy } from '../../capability/authorize.ts';
import { withUse } from '../../capability/charge.ts';
import type { GrantUses } from '../../capability/grant-terms.ts';
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
  /** Uses of each grant by the powers of the step; those of standing answers count for themselves alone. */
  readonly used: GrantUses;
}

export type IssuedPower = Extract<PowerBody, { event: 'issued' }>;
export type AnsweredPower = Extract<PowerBody, { event: 'answered' }>;
export type DecidedUse = Pick<PowerDecision, 'ticket' | 'decision' | 'grant' | 'now'>;

export const NO_POWERS: PowerLedger = { issued: new Map(), answered: new Map(), decisions: [], used: new Map() };

interface PowerUse {
  readonly ticket: number;
  /** Integer ms of the decision. */
  readonly now: number;
  readonly power: { readonly hash: string; readonly manifest: { readonly name: string } };
}

/** The decision about a power call, for the receipt of its call. */
export function powerDecision(
  { ticket, now, power: { hash, manifest } }: PowerUse,
  decided: PolicyDecision,
): PowerDecision {
  const code = codeOf(decided);
  return {
    ticket,
    power: manifest.name,
    power_hash: hash,
    decision: decided.decision,
    ...(code === undefined ? {} : { code }),
    ...(decided.decision === 'AUTHORIZED' ? { grant: decided.grant.id, ...watchedBy(decided.grant) } : {}),
    now,
  };
}

/** Whether both decisions are about the same use of a grant: a call that was parked may ask again. */
export function isSameUse(one: DecidedUse, other: DecidedUse): boolean {
  return one.ticket === other.ticket && one.grant === other.grant;
}

/** Counts an authorized use of a grant, and of its parent. */
export function counted(
  used: GrantUses,
  { decision, grant: id, now }: Pick<DecidedUse, 'decision' | 'grant' | 'now'>,
  parents: ReadonlyMap<string, string> = NO_PARENTS,
): GrantUses {
  if (decision !== 'AUTHORIZED' || id === undefined) return used;
  const parent = parents.get(id);
  return withUse(used, parent === undefined ? { id } : { id, parent }, now);
}

const NO_PARENTS: ReadonlyMap<string, string> = new Map();

interface DecisionAccount<D extends DecidedUse> {
  readonly decisions: readonly D[];
  readonly used: GrantUses;
}

/** Adds a decision and counts its use, once. */
export function withDecision<D extends DecidedUse, A extends DecisionAccount<D>>(
  account: A,
  decided: D,
  parents?: ReadonlyMap<string, string>,
): A {
  if (account.decisions.some((each) => isSameUse(each, decided))) return account;
  return { ...account, decisions: [...account.decisions, decided], used: counted(account.used, decided, parents) };
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
