import { decodeUtf8 } from '../json/utf8.ts';
import { isObject, pointerTo } from '../json/value.ts';
import type { ExportFile } from './export.ts';
import { isPayloadRef } from './form.ts';
import { type PayloadRef, unsalted } from './payload-ref.ts';
import type { LedgerRecord } from './record.ts';
import { groupBySteps, type StepRecords } from './steps.ts';

/** Two steps side by side; a side is undefined where its run has no such step. */
export interface StepPair {
  readonly a: StepRecords | undefined;
  readonly b: StepRecords | undefined;
  readonly differences: readonly DifferingMember[];
}

/** Two runs side by side. */
export interface RunComparison {
  /** True if the runs differ only in ids, random numbers and times. */
  readonly same: boolean;
  /** Differences of the records that belong to no step: configuration, task, end. */
  readonly run: readonly DifferingMember[];
  readonly steps: readonly StepPair[];
}

/** True for a pair of steps that differ, also where a run has no such step. */
export function isDifferent({ a, b, differences }: StepPair): boolean {
  return a === undefined || b === undefined || differences.length > 0;
}

/**
 * Compares two runs member by member, without ids, random numbers and times. Steps with equal proposals are paired, in
 * order; the steps between them are paired by their place. The files are strangers' and their hashes are not checked.
 */
export function compareRuns(a: ExportFile, b: ExportFile): RunComparison {
  const [own, other] = [sideOf(a), sideOf(b)];
  const run = differing(membersOf(own.rest, a.payloads), membersOf(other.rest, b.payloads));
  const steps = pairsOf(own, other).map(([left, right]) => ({
    a: left?.group,
    b: right?.group,
    differences: left === undefined || right === undefined ? [] : differing(left.members, right.members),
  }));
  return { same: run.length === 0 && !steps.some(isDifferent), run, steps };
}

interface Step {
  readonly group: StepRecords;
  readonly members: ReadonlyMap<string, MemberValue>;
  /** The proposal, by its text or its hash. */
  readonly proposal: MemberValue | undefined;
}

interface Side {
  readonly rest: readonly LedgerRecord[];
  readonly steps: readonly Step[];
}

type Pair = readonly [Step | undefined, Step | undefined];

function sideOf({ records, payloads }: ExportFile): Side {
  const groups = groupBySteps(records.flatMap((line) => (line === undefined ? [] : [line.record])));
  const steps = groups.filter(({ step }) => step !== undefined);
  return {
    rest: groups.flatMap(({ step, records: own }) => (step === undefined ? own : [])),
    steps: steps.map((group) => {
      const members = membersOf(group.records, payloads);
      return { group, members, proposal: members.get('/proposal/payload') };
    }),
  };
}

/** Steps in pairs. Equal beginnings and ends are paired at once, so that only the middle is searched. */
function pairsOf({ steps: a }: Side, { steps: b }: Side): readonly Pair[] {
  const isEqual = (i: number, j: number): boolean => isSameValue(a[i]?.proposal, b[j]?.proposal);
  const shorter = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < shorter && isEqual(begin, begin)) begin++;
  let end = 0;
  while (end < shorter - begin && isEqual(a.length - 1 - end, b.length - 1 - end)) end++;
  const equal = (from: number, to: number, shift: number): readonly Pair[] =>
    a.slice(from, to).map((step, nth): Pair => [step, b[from + nth + shift]]);
  return [
    ...equal(0, begin, 0),
    ...middlePairs(a.slice(begin, a.length - end), b.slice(begin, b.length - end)),
    ...equal(a.length - end, a.length, b.length - a.length),
  ];
}

/** Cells of the table in which the longest common order of proposals is searched. */
const CELLS_MAX = 4_000_000;

function middlePairs(a: readonly Step[], b: readonly Step[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [i, j] = [0, 0];
  for (const [nextA, nextB] of [...commonOrder(a, b), [a.length, b.length] as const]) {
    pairs.push(...byPlace(a.slice(i, nextA), b.slice(j, nextB)));
    const [left, right] = [a[nextA], b[nextB]];
    if (left !== undefined && right !== undefined) pairs.push([left, right]);
    [i, j] = [nextA + 1, nextB + 1];
  }
  return pairs;
}

function byPlace(a: readonly Step[], b: readonly Step[]): readonly Pair[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, nth): Pair => [a[nth], b[nth]]);
}

/** Places of the longest common subsequence of proposals; empty where the table would be too large. */
function commonOrder(a: readonly Step[], b: readonly Step[]): readonly (readonly [number, number])[] {
  const width = b.length + 1;
  if ((a.length + 1) * width > CELLS_MAX) return [];
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = isSameValue(a[i]?.proposal, b[j]?.proposal)
        ? at(i + 1, j + 1) + 1
        : Math.max(at(i + 1, j), at(i, j + 1));
  const places: (readonly [number, number])[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (isSameValue(a[i]?.proposal, b[j]?.proposal)) places.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return places;
}

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
interface MemberValue {
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
function membersOf(records: readonly LedgerRecord[], payloads: ExportFile['payloads']): Members {
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
function isSameValue(a: MemberValue | undefined, b: MemberValue | undefined): boolean {
  if (a?.text === b?.text) return true;
  return (a?.isAbsent ?? b?.isAbsent) === true && a?.sha256 !== undefined && a.sha256 === b?.sha256;
}

/** The members that differ, in the order of `a` and then of `b`. */
function differing(a: Members, b: Members): readonly DifferingMember[] {
  const paths = new Set([...a.keys(), ...b.keys()]);
  return [...paths].flatMap((path): readonly DifferingMember[] => {
    const [own, other] = [a.get(path), b.get(path)];
    if (isSameValue(own, other)) return [];
    const absent = [own?.isAbsent === true ? 'a' : [], other?.isAbsent === true ? 'b' : []].flat() as ('a' | 'b')[];
    return [{ path, a: own?.text, b: other?.text, ...(absent.length > 0 && { absent }) }];
  });
}
