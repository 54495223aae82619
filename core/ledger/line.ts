import { isHash, structureHash, structureHashes } from '../hash.ts';
import { canonicalOf } from '../json/canonical.ts';
import { isCount, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { CANONICAL_LIMITS } from '../limits.ts';
import { hashOf, type Parts, partsOf, signedText, textOf } from './chain.ts';
import { isRunId, type Test, violation } from './form.ts';
import type { LedgerRecord } from './record.ts';
import { isKind, recordViolation } from './record.ts';

/** A stored text read as a record, with the texts that its hashes are over. */
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
 * Reads a stranger's line as a record, or returns the reason in a few words of ours: not JSON, another member than a
 * record's nine, a body that is not of its kind, an incomplete receipt, another spelling than the canonical spelling.
 * Hashes are not checked here.
 */
export function readRecord(text: string): ReadRecord | string {
  const value = parseJson(text);
  const what = value === undefined ? 'not JSON' : violation(value, RECORD);
  if (what !== undefined) return what;
  const record = value as unknown as LedgerRecord;
  const parts = partsOf(record);
  const body = bodyIn(text, parts);
  // Around its body the record has a single spelling; repeated or reordered members violate it.
  const isSpelled = text === textOf(parts, body, record.hash) && isCanonical(record.body as unknown as JsonValue, body);
  if (!isSpelled) return 'not in canonical form';
  return recordViolation(record) ?? { record, body, parts };
}

/** True if a record matches its hashes. */
export function isIntact({ record, body, parts }: ReadRecord): boolean {
  return structureHash('body', body) === record.body_hash && hashOf(parts) === record.hash;
}

/**
 * The hash that each record contradicts, its own or its body's; undefined for an intact record. No hash waits for
 * another, because each record says what both are, so a host may compute several at once.
 */
export function alteredParts(lines: readonly ReadRecord[]): readonly ('body' | 'record' | undefined)[] {
  const bodies = lines.map(({ body }) => body);
  const rests = lines.map(({ parts }) => signedText(parts));
  const [bodyHashes, hashes] = [structureHashes('body', bodies), structureHashes('record', rests)];
  return lines.map(({ record }, at) => {
    if (bodyHashes[at] !== record.body_hash) return 'body';
    return hashes[at] === record.hash ? undefined : 'record';
  });
}

/** The value of a JSON text. Depth and duplicates show when the value is written again. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** True if the text is the canonical spelling of the value parsed from it. */
export function isCanonical(value: JsonValue, text: string): boolean {
  return isPlainly(value, text) || canonicalOf(value) === text;
}

/**
 * The fast way to the same answer for nearly every text: the engine's own writer keeps the order of members and else
 * writes as RFC 8785 does. Texts that it writes differently (half a surrogate pair, members named like an index, values
 * beyond our limits) take the slow way.
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
