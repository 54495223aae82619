import { type DetailsOf, refuse } from '../../errors.ts';
import { isCount } from '../../json/value.ts';
import { isText, shaped, type Test } from '../../ledger/form.ts';
import type { Refused } from '../../outcome.ts';

type DenialCode =
  | 'capability_disabled'
  | 'no_grant'
  | 'grant_denied'
  | 'grant_constraint'
  | 'grant_used_up'
  | 'grant_expired'
  | 'read_unasked';

const NAMED = { name: isText };

/** Codes that deny a read of a running call, and the details recorded with each. */
const DENIALS: Readonly<Record<DenialCode, Test>> = {
  capability_disabled: shaped(NAMED),
  no_grant: shaped(NAMED),
  grant_denied: shaped(NAMED),
  grant_constraint: shaped(NAMED),
  grant_used_up: shaped({ ...NAMED, uses: isCount }),
  grant_expired: shaped({ ...NAMED, expires: isCount }),
  read_unasked: shaped(NAMED),
};

export function isReadDenial(code: string | undefined): code is DenialCode {
  return code !== undefined && Object.hasOwn(DENIALS, code);
}

/**
 * The refusal behind a recorded error of a read. Undefined if the details are malformed: the file may be a stranger's.
 */
export function readDenial(code: string, details: unknown): Refused | undefined {
  if (!isReadDenial(code) || !DENIALS[code](details)) return undefined;
  return refuse(code, details as DetailsOf['grant_used_up'] & DetailsOf['grant_expired'], { step: 'authorize' });
}
