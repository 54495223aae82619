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
  /** Sides whose file lacks the text, so that its hash stands for it: it was left out or erased. */
  readonly absent?: readonly ('a' | 'b')[];
}

/** Value of a member: a text, or of a payload without its text in the file, the hash. */
export interface MemberValue {
  readonly text: string;
  /** Hash of a payload. */
  readonly sha256?: string;
  /** The file lacks the text of the payload. */
  readonly isAbsent?: true;
}

type Members = ReadonlyMap<string, MemberValue>;

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
  const members = new Map<string, MemberValue>();
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
  readonly members: Map<string, MemberValue>;
  readonly payloads: ExportFile['payloads'];
  readonly isLeftOut: (name: string) => boolean;
}

/** A record's form bounds the depth of its body. */
function collect(value: unknown, path: string, into: Collector): void {
  if (typeof value !== 'object' || value === null) return void into.members.set(path, { text: String(value) });
  if (isObject(value) && isPayloadRef(value))
    return void into.members.set(path, payloadValue(value as unknown as PayloadRef, into.payloads));
  const entries = Object.entries(value).filter(([name]) => Array.isArray(value) || !into.isLeftOut(name));
  if (entries.length === 0) into.members.set(path, { text: Array.isArray(value) ? '[]' : '{}' });
  for (const [name, inner] of entries) collect(inner, pointerTo(path, name), into);
}

/** A payload as its text, or its hash where it is absent or no text. A salted hash tells nothing, so its length stands. */
function payloadValue(ref: PayloadRef, payloads: ExportFile['payloads']): MemberValue {
  const { sha256, salt, bytes: length } = ref;
  const bytes = payloads.get(sha256);
  const text = bytes && decodeUtf8(unsalted(ref, bytes));
  if (text !== undefined) return { text, sha256 };
  const named = salt === undefined ? `sha256:${sha256}` : `secret, ${length - salt} bytes`;
  return { text: named, sha256, ...(bytes === undefined && { isAbsent: true }) };
}

/** True for equal texts. Where a side lacks its text, the hashes are compared: the sender may have left it out. */
export function isSameValue(a: MemberValue | undefined, b: MemberValue | undefined): boolean {
  if (a?.text === b?.text) return true;
  return (a?.isAbsent ?? b?.isAbsent) === true && a?.sha256 !== undefined && a.sha256 === b?.sha256;
}

/** The members that differ, in the order of `a` and then of `b`. */
export function differing(a: Members, b: Members): readonly DifferingMember[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].flatMap((path): readonly DifferingMember[] => {
    const [own, other] = [a.get(path), b.get(path)];
    if (isSameValue(own, other)) return [];
    const absent = [own?.isAbsent === true ? 'a' : [], other?.isAbsent === true ? 'b' : []].flat() as ('a' | 'b')[];
    return [{ path, a: own?.text, b: other?.text, ...(absent.length > 0 && { absent }) }];
  });
}
