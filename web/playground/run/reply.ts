import { isObject, type JsonObject, type JsonValue, type LedgerRecord, type PayloadRef } from '../../../core/index.ts';
import type { StepGroup } from '../../records/steps.ts';
import type { RunSession } from './session.ts';

/** The reply to the model about its proposal, read back from the ledger for showing. */
export interface Reply {
  readonly text: string;
  readonly status: string;
  readonly message: string | undefined;
  readonly pointer: string | undefined;
  readonly code: string | undefined;
  readonly details: JsonObject | undefined;
  readonly result: JsonValue | undefined;
}

type RecordOfKind<K extends LedgerRecord['kind']> = Extract<LedgerRecord, { kind: K }>;

export function find<K extends LedgerRecord['kind']>(
  group: StepGroup | undefined,
  kind: K,
): RecordOfKind<K> | undefined {
  return group?.records.find((record): record is RecordOfKind<K> => record.kind === kind);
}

/** Reads inside a view: the text of the bytes a record names, or why it cannot be shown. */
export function textOf(session: RunSession, ref: PayloadRef | undefined): string | undefined {
  if (ref === undefined) return undefined;
  const payload = session.payload(ref);
  return payload.state === 'there' ? new TextDecoder().decode(payload.bytes) : undefined;
}

export function replyOf(session: RunSession, group: StepGroup | undefined): Reply | undefined {
  const text = textOf(session, find(group, 'observation')?.body.payload);
  return text === undefined ? undefined : readReply(text);
}

/** The reply is ours, but it came back from storage, so it is parsed like any input, and only for showing. */
function readReply(text: string): Reply {
  const value = parse(text);
  const own = isObject(value) ? value : {};
  const details = isObject(own['details']) ? own['details'] : undefined;
  return {
    text,
    status: string(own['status']) ?? 'unreadable',
    message: string(own['message']),
    pointer: string(details?.['pointer']),
    code: string(details?.['code']),
    details,
    result: own['result'],
  };
}

function string(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
