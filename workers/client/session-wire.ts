/** What a session sends and reads: its proposals, the results in its receipts, and the capabilities that it offers. */
import { handleOf } from '../../core/capability/hold.ts';
import { CONTENT_CAPABILITIES } from '../../core/content/built-in.ts';
import { type Code, refuse } from '../../core/errors.ts';
import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode.ts';
import { decodeUtf8, encodeText } from '../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../core/json/value.ts';
import { isPayloadRef } from '../../core/ledger/form.ts';
import { parseJson } from '../../core/ledger/line.ts';
import { type PayloadRef, unsalted } from '../../core/ledger/payload-ref.ts';
import type { Bodies, LedgerRecord } from '../../core/ledger/record.ts';
import type { RunLimits } from '../../core/limits.ts';
import type { Refusal } from '../../core/outcome.ts';
import { placedInArguments } from '../../core/protocol/call-text.ts';
import type { Payload } from '../../core/run/effect.ts';
import { refusalIn } from '../../core/run/observe.ts';
import { refusalError, unwrap } from '../../core/sallyport-error.ts';
import type { Called, CapabilityRow, OpenCalled, RawJson, RunEnd, ToolRow } from '../api.ts';
import type { Kernel } from '../kernel/api.ts';
import { rawBytes } from './raw-json.ts';

/** The proposal of a call in the form `femtoclaw`. Throws `not_json` and its like for arguments outside of JSON. */
export function proposalOf(name: string, args: JsonValue | RawJson): Uint8Array {
  const bytes = rawBytes(args);
  if (bytes === undefined) return wrapped(name, encodeText(unwrap(canonicalize(args))));
  const whole = wrapped(name, bytes);
  // Text that is no JSON by itself could close the member that holds it, and open another.
  return decode(bytes).ok || !decode(whole).ok ? whole : bytes;
}

function wrapped(name: string, args: Uint8Array): Uint8Array {
  const [head, tail] = [encodeText(`{"tool_call":{"tool":${JSON.stringify(name)},"args":`), encodeText('}}')];
  const whole = new Uint8Array(head.length + args.length + tail.length);
  whole.set(head);
  whole.set(args, head.length);
  whole.set(tail, head.length + args.length);
  return whole;
}

/**
 * The result or the refusal of a receipt. Payloads that did not come with it are read from the ledger. Where results can be
 * held, the place of the record is left out: how many records stand before it may follow from what was held.
 */
export async function readCalled(
  kernel: Kernel,
  { run_id, run_seq, hash, body }: Extract<LedgerRecord, { kind: 'receipt' }>,
  observed: Bodies['observation'] | undefined,
  texts: readonly Payload[],
  isHolding: boolean,
): Promise<Called> {
  const json = async (ref: PayloadRef): Promise<JsonValue | undefined> => {
    const told = texts.find((each) => each.ref.sha256 === ref.sha256);
    const bytes = told?.bytes ?? unwrap(await kernel.payload(run_id, ref.sha256));
    return bytes && parseJson(decodeUtf8(unsalted(ref, bytes)) ?? '');
  };
  const { receipt, evidence } = body;
  if (evidence.held?.release !== undefined) {
    const reply = observed && (await json(observed.payload));
    const value = (isObject(reply) ? reply['result'] : undefined) ?? null;
    return { ok: true, released: true, value, labels: evidence.labels, receipt: { run_id, step_id: receipt.step_id } };
  }
  // what a person has put in the place of the call is told as an error, also where it is held or has succeeded
  const isGood = observed?.status !== 'error';
  if (evidence.held !== undefined && isGood)
    return { ok: true, held: handleOf(evidence.step), receipt: { run_id, step_id: receipt.step_id } };
  // the answer to a held call is held, too, where a person has edited the call
  const answer = evidence.held === undefined && evidence.answer && (await answerOf(evidence.answer, json));
  const place = { run_id, ...(!isHolding && { run_seq, hash }), step_id: receipt.step_id };
  const told = { receipt: place, labels: evidence.labels, ...(answer && { answer }) };
  const result = receipt.actions[0]?.result;
  if (evidence.reason === undefined && isGood && isPayloadRef(result))
    return { ...told, ok: true, value: (await json(result as PayloadRef)) ?? null };
  const reply = observed && (await json(observed.payload));
  return { ...told, ok: false, refusal: refusalIn(reply) ?? refuse('interrupted', {}).refusal };
}

async function answerOf(
  ref: PayloadRef,
  json: (ref: PayloadRef) => Promise<JsonValue | undefined>,
): Promise<NonNullable<OpenCalled['answer']>> {
  const value = ref.kept === 0 ? undefined : await json(ref);
  return { sha256: ref.sha256, bytes: ref.bytes, ...(value !== undefined && { value }) };
}

/**
 * The refusal of a call with its place in the arguments that the caller wrote. The record counts in the proposal, which
 * holds the arguments and which the caller never saw.
 */
export function placedIn(args: JsonValue | RawJson, refusal: Refusal): Refusal {
  const bytes = rawBytes(args);
  const own = bytes && decode(bytes);
  const isOwn = own?.ok === false && own.refusal.code === refusal.code;
  return isOwn ? own.refusal : placedInArguments('femtoclaw', refusal);
}

/** The error of a call to a session that has ended. */
export function endOf(end: RunEnd): Error {
  const limit = end.state === 'limit' ? LIMITS.get(end.code) : undefined;
  return refusalError((limit === undefined ? refuse('run_sealed', {}) : refuse('session_limited', { limit })).refusal);
}

/** The limit of a session that a code of its end names. */
const LIMITS: ReadonlyMap<unknown, string> = new Map<Code, keyof RunLimits>([
  ['limit_steps', 'steps'],
  ['limit_tokens', 'tokens'],
  ['limit_refusals', 'refusalsInRow'],
  ['limit_wall', 'wallMs'],
]);

/** READ and WRITE are operations of a Catalytic message, and no calls. */
const OPERATIONS: ReadonlySet<string> = new Set(CONTENT_CAPABILITIES.map(({ manifest }) => manifest.name));

/** The capabilities that the session began with, and that are enabled still. */
export function rowsOf(
  begun: readonly CapabilityRow[],
  now: readonly CapabilityRow[],
  offer: readonly string[] | undefined,
): readonly ToolRow[] {
  const enabled = new Set(now.flatMap((row) => (row.enabled ? row.hash : [])));
  const isOffered = ({ name, hash }: CapabilityRow): boolean =>
    enabled.has(hash) && !OPERATIONS.has(name) && (offer === undefined || offer.includes(name));
  return begun.filter(isOffered).map(toolRow);
}

/** A capability as a caller is offered it. */
export function toolRow({
  name,
  version,
  description,
  args,
  result,
  effect,
  labels,
  hash,
  host,
}: CapabilityRow): ToolRow {
  return {
    name,
    version,
    description,
    args,
    effect,
    labels,
    hash,
    ...(result !== undefined && { result }),
    ...(host?.origin !== undefined && { origin: host.origin }),
  };
}
