import { isHash, structureHash } from '../hash.ts';
import { canonicalize } from '../json/canonical.ts';
import { isObject, type JsonValue } from '../json/value.ts';
import { bodyLack, isKind } from './bodies.ts';
import { hashOf, type Parts, partsOf, textOf } from './chain.ts';
import { isCount, isRunId, lack, type Test } from './form.ts';
import type { LedgerRecord } from './record.ts';

/** A stored text read as a record: what it says, and what its hashes are over. */
export interface ReadRecord {
  readonly record: LedgerRecord;
  /** Canonical text of the body. */
  readonly body: string;
  readonly parts: Parts;
}

const RECORD: { readonly [K in keyof LedgerRecord]: Test } = {
  at: isCount,
  body: isObject,
  body_hash: isHash,
  epoch: isCount,
  hash: isHash,
  kind: isKind,
  prev: isHash,
  run_id: isRunId,
  run_seq: isCount,
};

/**
 * Reads a stranger's line as a record, or says in a few words of ours why it is none: not JSON, another member than
 * a record's nine, a body that is not of its kind, a receipt that lacks something, another spelling than the
 * canonical one. Whether its hashes are right is not looked at.
 */
export function readRecord(text: string): ReadRecord | string {
  const value = parseJson(text);
  const what = value === undefined ? 'not JSON' : lack(value, RECORD);
  if (what !== undefined) return what;
  const record = value as unknown as LedgerRecord;
  const body = canonicalize(record.body);
  const parts = partsOf(record);
  if (!body.ok || textOf(parts, body.value, record.hash) !== text) return 'not in canonical form';
  return bodyLack(record) ?? { record, body: body.value, parts };
}

/** The record that a stored text is, if the text is one and all its hashes are right. */
export function readIntact(text: string): LedgerRecord | undefined {
  const read = readRecord(text);
  if (typeof read === 'string') return undefined;
  const { record, body, parts } = read;
  return structureHash('body', body) === record.body_hash && hashOf(parts) === record.hash ? record : undefined;
}

/** The value of a JSON text. Depth and duplicates show when the value is written again. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

export function isCanonical(value: JsonValue, text: string): boolean {
  const written = canonicalize(value);
  return written.ok && written.value === text;
}
