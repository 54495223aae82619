import { canonicalText } from '../json/canonical.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isCanonical, parseJson } from '../ledger/line.ts';
import type { PayloadRef } from '../ledger/payload-ref.ts';
import type { Draft } from '../ledger/record.ts';
import { saltIn, unsalted } from '../ledger/salt.ts';
import type { Payload } from '../run/effect.ts';
import { withoutSentences } from '../run/observe.ts';
import { bytesOf, storedOf, type Tape } from './tape.ts';

/** A recorded reply whose sentences differ from this build's sentences. */
export interface RewordedReply {
  /** Undefined if the reply is not in the file: then only its status can be compared. */
  readonly recorded: string | undefined;
  readonly again: string;
}

/**
 * Compares the reply of a step without its sentences: status, class, code, step, pointer and details. Any version may
 * improve a sentence, and no decision depends on it. Undefined for replies with any further difference, and for every
 * draft that is no error reply.
 */
export function reworded(
  tape: Tape,
  at: number,
  draft: Draft,
  payloads: readonly Payload[],
): RewordedReply | undefined {
  if (draft.kind !== 'observation' || draft.body.status !== 'error') return undefined;
  const record = tape.records[at];
  if (record?.kind !== 'observation') return undefined;
  const { payload: ref } = draft.body;
  if (canonicalText({ ...record.body, payload: ref }) !== canonicalText(draft.body)) return undefined;
  const made = payloads.find((each) => each.ref.sha256 === ref.sha256);
  if (made === undefined) return undefined;
  const again = decodeUtf8(unsalted(ref, made.bytes));
  if (again === undefined || !isSaltedAlike(tape, record.body.payload, made)) return undefined;
  const bytes = bytesOf(tape, record.body.payload);
  if (bytes === undefined) return { recorded: undefined, again };
  const recorded = decodeUtf8(bytes);
  return recorded !== undefined && isSame(recorded, again) ? { recorded, again } : undefined;
}

/**
 * True if both payloads have the same salt. A reworded reply of a secret step has a different hash, but the same salt.
 */
function isSaltedAlike(tape: Tape, recorded: PayloadRef, { ref, bytes }: Payload): boolean {
  if (recorded.salt !== ref.salt) return false;
  const stored = storedOf(tape, recorded);
  return stored === undefined || saltIn(recorded, stored) === saltIn(ref, bytes);
}

function isSame(recorded: string, again: string): boolean {
  const [was, is] = [parseJson(recorded), parseJson(again)];
  if (was === undefined || is === undefined || !isCanonical(was, recorded)) return false;
  return canonicalText(withoutSentences(was)) === canonicalText(withoutSentences(is));
}
