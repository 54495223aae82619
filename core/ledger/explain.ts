import type { ConsoleLine } from '../capability/call.ts';
import type { ReleasedCall } from '../capability/release.ts';
import type { GuestError } from '../errors/details.ts';
import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { parseJson } from './line.ts';
import type { PayloadRef } from './payload-ref.ts';
import type { LedgerRecord } from './record.ts';
import { groupBySteps } from './steps.ts';

/** What a step came to, for the developer of its capability. Its texts are a guest's, and so a stranger's. */
export interface StepExplanation {
  readonly step: number;
  readonly capability?: string;
  /** Code and sentence of the refusal or failure; absent for a success. */
  readonly code?: string;
  readonly message?: string;
  /** The model was told `no_release`, whatever the code says, at the cost of so many bits. */
  readonly release?: ReleasedCall;
  /** The error that the guest threw, with its place in the source. */
  readonly error?: GuestError;
  /** Lines that the guest logged. */
  readonly console: readonly ConsoleLine[];
}

/** Finds the bytes that a record names, without their salt; undefined after erasure. */
type FindPayload = (ref: PayloadRef) => Uint8Array | undefined;

/** The payloads that an explanation of these records reads. */
export function explainedRefs(records: readonly LedgerRecord[]): readonly PayloadRef[] {
  return records.flatMap(({ kind, body }) => {
    if (kind === 'observation') return [body.payload];
    if (kind !== 'receipt') return [];
    const { console, operations = [] } = body.evidence;
    return [console, ...operations.map((operation) => operation.console)].filter((ref) => ref !== undefined);
  });
}

/** Explains each step that did not succeed or in which a guest logged, in order. */
export function explainSteps(records: readonly LedgerRecord[], find: FindPayload): readonly StepExplanation[] {
  const explained: StepExplanation[] = [];
  for (const { step, records: own } of groupBySteps(records)) {
    const receipt = own.find((record) => record.kind === 'receipt')?.body;
    if (step === undefined || receipt === undefined) continue;
    const { reason, console, operations = [], held } = receipt.evidence;
    const logged = [console, ...operations.map((operation) => operation.console)];
    const lines = logged.map((ref) => linesIn(jsonOf(ref, find)));
    if (reason === undefined && lines.every(({ length }) => length === 0)) continue;
    const verdict = own.find((record) => record.kind === 'verdict')?.body;
    const capability = verdict?.capability ?? verdict?.operations?.map((operation) => operation.capability).join(', ');
    const observed = own.find((record) => record.kind === 'observation')?.body.payload;
    explained.push({
      step,
      ...(capability !== undefined && { capability }),
      ...(held?.release && reason && { release: held.release }),
      ...(reason && { code: reason.code, ...repliedIn(jsonOf(observed, find)) }),
      console: lines.flat(),
    });
  }
  return explained;
}

function jsonOf(ref: PayloadRef | undefined, find: FindPayload): JsonValue | undefined {
  const bytes = ref && find(ref);
  const text = bytes && decodeUtf8(bytes);
  return text === undefined ? undefined : parseJson(text);
}

function linesIn(value: JsonValue | undefined): readonly ConsoleLine[] {
  if (!Array.isArray(value)) return [];
  return value.filter((line) => isObject(line) && typeof line['text'] === 'string') as unknown as ConsoleLine[];
}

/** Sentence and guest's error in the reply to the model. */
function repliedIn(reply: JsonValue | undefined): Pick<StepExplanation, 'message' | 'error'> {
  if (!isObject(reply)) return {};
  const { message, details } = reply;
  const error = isObject(details) ? details['error'] : undefined;
  return {
    ...(typeof message === 'string' && { message }),
    ...(isObject(error) && typeof error['message'] === 'string' && { error: error as unknown as GuestError }),
  };
}

/** An explanation as lines of text, the sentence first. Invisible characters are not written out. */
export function explanationLines({ error, console, message, code, release }: StepExplanation): readonly string[] {
  const place =
    error?.line === undefined ? '' : ` (line ${error.line}${error.column === undefined ? '' : `:${error.column}`})`;
  return [
    ...(code === undefined ? [] : [message ?? code]),
    ...(release === undefined ? [] : [`told the model no_release, for ${release.bits} bits`]),
    ...(error === undefined ? [] : [`threw ${error.name}: ${error.message}${place}`]),
    ...console.map(({ level, text }) => `${level}: ${text}`),
  ];
}
