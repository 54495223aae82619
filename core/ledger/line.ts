import { isHash, structureHash } from '../hash.ts';
import { canonicalOf } from '../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { CANONICAL_LIMITS } from '../limits.ts';
import { bodyViolation, isKind } from './bodies.ts';
import { hashOf, type Parts, partsOf, textOf } from './chain.ts';
import { isCount, isRunId, type Test, violation } from './form.ts';
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
  const what = value === undefined ? 'not JSON' : violation(value, RECORD);
  if (what !== undefined) return what;
  const record = value as unknown as LedgerRecord;
  const parts = partsOf(record);
  const body = bodyIn(text, parts);
  // Around its body the record has one spelling; members twice, or in another order, are not it.
  const isSpelled = text === textOf(parts, body, record.hash) && isCanonical(record.body as unknown as JsonValue, body);
  if (!isSpelled) return 'not in canonical form';
  return bodyViolation(record) ?? { record, body, parts };
}

/** Whether a record is what its hashes say. */
export function isIntact({ record, body, parts }: ReadRecord): boolean {
  return structureHash('body', body) === record.body_hash && hashOf(parts) === record.hash;
}

/** The value of a JSON text. Depth and duplicates show when the value is written again. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** True if the text is the canonical spelling of what was parsed from it. */
export function isCanonical(value: JsonValue, text: string): boolean {
  return isPlainly(value, text) || canonicalOf(value) === text;
}

/**
 * The short way to the same answer, for nearly every text there is: the engine's own writer keeps the order of members
 * and spells all else as RFC 8785 does. What it treats otherwise (half a surrogate pair, members named like an index,
 * values beyond our limits) goes the long way.
 */
function isPlainly(value: JsonValue, text: string): boolean {
  const isSmall = text.length <= CANONICAL_LIMITS.nodes && !text.includes('\\ud');
  return isSmall && isSorted(value, CANONICAL_LIMITS.depth - 1) && JSON.stringify(value) === text;
}

function isSorted(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0) return false;
  if (Array.isArray(value)) return value.every((member) => isSorted(member as JsonValue, depth - 1));
  const object: JsonObject = value as JsonObject;
  let before = '';
  for (const name in object) {
    if (name < before || !isSorted(object[name] as JsonValue, depth - 1)) return false;
    before = name;
  }
  return true;
}

/** A record's text is canonical: its body stands between parts whose length is known. */
function bodyIn(text: string, [at, middle, rest]: Parts): string {
  const behind = `,${middle}"hash":"",${rest}`.length + HASH_DIGITS;
  return text.slice(`${at}"body":`.length, text.length - behind);
}

const HASH_DIGITS = 64;
