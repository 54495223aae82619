import { refuse } from '../../../core/errors.ts';
import type { Outcome } from '../../../core/outcome.ts';
import { AlteredData } from '../sql/altered.ts';

/** Another process holds a lock of the file. */
export class BusyFile extends Error {
  override readonly name = 'BusyFile';
}

/** Primary result codes of SQLite. */
const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CONSTRAINT = 19;
const MISMATCH = 20;
const NO_DATABASE = 26;

/** Refusal for an exception of `node:sqlite`. Throws any other exception again: a defect, or a row that is no data. */
export function refusalOf(error: unknown): Outcome<never> {
  if (error instanceof AlteredData) return altered(error.message);
  if (isBusy(error)) return refuse('store_locked', { lock: 'held by another process' });
  const { code } = Object(error) as { readonly code?: unknown };
  const reason = error instanceof Error ? error.message : '';
  // a whole number beyond the safe integers
  if (code === 'ERR_OUT_OF_RANGE') return altered('holds a number that no ledger writes');
  if (code === 'ERR_INVALID_STATE') return refuse('store_lost', { reason });
  const result = resultOf(error);
  if (result === undefined) throw error;
  if (result === FULL) return refuse('store_full', {});
  if ([CORRUPT, CONSTRAINT, MISMATCH, NO_DATABASE].includes(result)) return altered(`is not whole: ${reason}`);
  return refuse('store_lost', { reason });
}

export function altered(what: string): Outcome<never> {
  return refuse('store_damaged', { at: 0, what });
}

export function isBusy(error: unknown): boolean {
  return error instanceof BusyFile || [BUSY, LOCKED].includes(resultOf(error) ?? 0);
}

/** True for a failure of the disk: the contents of the file are unknown until it is opened again. */
export function isDiskFailure(error: unknown): boolean {
  return resultOf(error) === IO_ERROR;
}

/** Primary result code; undefined for an exception that is not SQLite's. */
function resultOf(error: unknown): number | undefined {
  const { code, errcode } = Object(error) as { readonly code?: unknown; readonly errcode?: unknown };
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined;
}
