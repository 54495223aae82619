import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, pointerTo } from '../json/value.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import type { PayloadRef } from './payload-ref.ts';
import type { LedgerRecord } from './record.ts';
import { unsalted } from './salt.ts';

/** A member that differs between two records; a side is undefined where its record lacks the member. */
export interface DifferingMember {
  /** Kind of the record and place in its body, as a JSON pointer: `/receipt/evidence/fuel`. */
  readonly path: string;
  readonly a: string | undefined;
  readonly b: string | undefined;
}

type Members = ReadonlyMap<string, string>;

/** Members of a body that differ between any two runs: ids, random numbers, and clocks. */
const OF_ANY_RUN: ReadonlySet<string> = new Set(['run_id', 'step_id', 'nonce', 'digest', 'now', 'payload_ref']);
/** Members of a step that repeat a member of the configuration, or follow from another member of the same step. */
const REPEATED: ReadonlySet<string> = new Set([
  'step',
  'behaviour',
  'dialect',
  'registry_hash',
  'policy_hash',
  'limits_hash',
  'args_hash',
  'result_hash',
]);

/** The members of a group of records, by path. Payloads count as their text, without a salt. */
export function membersOf(records: readonly LedgerRecord[], payloads: ExportFile['payloads']): Members {
  const members = new Map<string, string>();
  const seen = new Map<string, number>();
  for (const { kind, body } of records) {
    const nth = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, nth);
    const isOfStep = 'step' in body || kind === 'receipt';
    const isLeftOut = (name: string): boolean => OF_ANY_RUN.has(name) || (isOfStep && REPEATED.has(name));
    collect(body, pointerTo('', nth === 1 ? kind : `${kind} ${nth}`), { members, payloads, isLeftOut });
  }
  return members;
}

interface Collector {
  readonly members: Map<string, string>;
  readonly payloads: ExportFile['payloads'];
  readonly isLeftOut: (name: string) => boolean;
}

/** A record's form bounds the depth of its body. */
function collect(value: unknown, path: string, into: Collector): void {
  if (typeof value !== 'object' || value === null) return void into.members.set(path, String(value));
  if (isObject(value) && isPayloadRef(value))
    return void into.members.set(path, textOf(value as unknown as PayloadRef, into.payloads));
  const entries = Object.entries(value).filter(([name]) => Array.isArray(value) || !into.isLeftOut(name));
  if (entries.length === 0) into.members.set(path, Array.isArray(value) ? '[]' : '{}');
  for (const [name, inner] of entries) collect(inner, pointerTo(path, name), into);
}

/** Text of a payload, or its hash where it is absent or no text. A salted hash tells nothing, so its length stands. */
function textOf(ref: PayloadRef, payloads: ExportFile['payloads']): string {
  const bytes = payloads.get(ref.sha256);
  const text = bytes && decodeUtf8(unsalted(ref, bytes));
  if (text !== undefined) return text;
  return ref.salt === undefined ? `sha256:${ref.sha256}` : `secret, ${ref.bytes - ref.salt} bytes`;
}

/** The members that differ, in the order of `a` and then of `b`. */
export function differing(a: Members, b: Members): readonly DifferingMember[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].flatMap((path) => (a.get(path) === b.get(path) ? [] : [{ path, a: a.get(path), b: b.get(path) }]));
}
