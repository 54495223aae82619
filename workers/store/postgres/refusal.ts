import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { AlteredData } from '../sql/frames.ts';

/** Codes of Node such as `DEPTH_ZERO_SELF_SIGNED_CERT` and `UNABLE_TO_VERIFY_LEAF_SIGNATURE`. */
const UNTRUSTED = /CERT|SIGNATURE/;

/** Exception of the driver or the server, apart from the exceptions of our own code. */
export class DatabaseFailure extends Error {
  override readonly name = 'DatabaseFailure';
  /** SQLSTATE; undefined where the connection failed and the server told no reason. */
  readonly state: string | undefined;
  /** True for a certificate that the driver does not trust: the next connection has the same. */
  readonly isUntrusted: boolean;

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message || cause.name : String(cause), { cause });
    const { code } = Object(cause) as { readonly code?: unknown };
    this.isUntrusted = typeof code === 'string' && UNTRUSTED.test(code);
    this.state = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code) ? code : undefined;
  }
}

/** A transaction that relied on the known end of a run met the batch of another store behind it. */
export class StaleEnds extends DatabaseFailure {}

/** SQLSTATE of the failures that have a code of their own here. */
const READ_ONLY = '25006';
const DENIED = '42501';
const LOCK_TIMEOUT = '55P03';
/** A database that is not there, and a login that the server refuses. */
const UNOPENED = ['3D000', '28P01', '28000'];
const FULL = ['53100', '53400'];
/** A key that another row has. */
const TAKEN = '23505';
/** Missing or different tables, and values that our tables cannot hold. */
const OTHER_TABLES = ['3F000', '42P01', '42703', '42804', '42883', '22P02', '22003', TAKEN, '23514', '23502'];
/** Data that the server itself calls damaged. */
const DAMAGED = ['XX001', 'XX002'];

/** A statement that a session no longer has, or has already. The next try does not prepare it. */
const LOST_STATEMENT = ['26000', '42P05'];

/**
 * Failures that end by themselves: a server that starts, stops or takes no connection; an idle session or a transaction
 * that the server has ended, in favour of a concurrent transaction or because this process paused.
 */
const PASSING = ['57P01', '57P02', '57P03', '57P05', '53300', '40001', '40P01', '25P03'];

/** True for a row whose key is there. */
export function isTaken(error: unknown): error is DatabaseFailure {
  return error instanceof DatabaseFailure && error.state === TAKEN;
}

/** True for a failure behind which the connection is of no use. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure) || error instanceof StaleEnds) return false;
  return error.state === undefined || isPassing(error);
}

/** True for a session without the statement that was prepared in it, or with another of its name. */
export function isStatementLost({ state = '' }: DatabaseFailure): boolean {
  return LOST_STATEMENT.includes(state);
}

/** True for a failure after which the same transaction may succeed: over a new connection, or with other ends. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return false;
  const { state, isUntrusted } = error;
  if (isUntrusted) return false;
  if (error instanceof StaleEnds) return true;
  return state === undefined || state.startsWith('08') || PASSING.includes(state) || isStatementLost(error);
}

/** Refusal for an exception of the driver or the server. Throws any other exception again. */
export function refusalOf(error: unknown): Outcome<never> {
  if (error instanceof AlteredData) return altered(error.message);
  if (!(error instanceof DatabaseFailure)) throw error;
  const { state = '', message: reason, isUntrusted } = error;
  if (state === READ_ONLY) return refuse('store_readonly', {});
  if (state === DENIED) return refuse('store_denied', { reason });
  if (state === LOCK_TIMEOUT) return refuse('store_locked', { lock: 'held by another process' });
  if (isUntrusted || UNOPENED.includes(state)) return refuse('store_unopened', { reason });
  if (FULL.includes(state)) return refuse('store_full', {});
  if (OTHER_TABLES.includes(state) || DAMAGED.includes(state)) return altered(`is not whole: ${reason}`);
  return refuse('store_lost', { reason });
}

export function altered(what: string): Outcome<never> {
  return refuse('store_damaged', { at: 0, what, place: 'database' });
}
