import { HELD_TERMS, type HeldTerm } from '../../capability/grant-terms.ts';
import { type DetailsOf, refuse } from '../../errors.ts';
import { isText, shaped, type Test } from '../../ledger/form.ts';
import type { Refused } from '../../outcome.ts';

type OwnCode = 'capability_disabled' | 'no_grant' | 'grant_denied' | 'read_unasked';
type DenialCode = OwnCode | HeldTerm['code'];

const NAMED = { name: isText };

/** Codes that deny a read of a running call, and the details recorded with each. */
const DENIALS: Readonly<Record<OwnCode, Test>> & { readonly [code: string]: Test } = {
  capability_disabled: shaped(NAMED),
  no_grant: shaped(NAMED),
  grant_denied: shaped(NAMED),
  read_unasked: shaped(NAMED),
  ...Object.fromEntries(HELD_TERMS.map(({ code, details }) => [code, shaped({ ...NAMED, ...details })])),
};

export function isReadDenial(code: string | undefined): code is DenialCode {
  return code !== undefined && Object.hasOwn(DENIALS, code);
}

/**
 * The refusal behind a recorded error of a read. Undefined if the details are malformed: the file may be a stranger's.
 */
export function readDenial(code: string, details: unknown): Refused | undefined {
  if (!isReadDenial(code) || DENIALS[code]?.(details) !== true) return undefined;
  return refuse(code, details as DetailsOf[HeldTerm['code']] & DetailsOf[OwnCode], { step: 'authorize' });
}
