import type { EarlierSource } from '../capability/hold.ts';
import type { Grant, Policy } from '../capability/policy.ts';
import { watchId } from '../capability/watch.ts';
import { isHash } from '../hash.ts';
import { isCount, isObject } from '../json/value.ts';
import { arrayOf, type Form, isText, shaped } from '../ledger/form.ts';
import type { PowerDecision } from '../ledger/kinds/power.ts';
import type { LedgerRecord } from '../ledger/record.ts';
import { CALLBACK, COUNT, demand, LIST, OBJECT, type OptionType } from '../option.ts';
import { type Outcome, pass } from '../outcome.ts';
import { restorePolicy } from '../run/resume/facts.ts';
import type { RecordedRun } from './history.ts';

/**
 * Why something is permitted: a program's grant, a rule of a configuration, an *Always* that a person said there, a
 * person's standing answer in a run, or a watch.
 */
export type AllowedBy = 'program' | 'configuration' | 'always' | 'answer' | 'watch';

/** A decision of a run that permitted something. */
export interface PastPermission {
  readonly run_id: string;
  /** Counted from 1. */
  readonly step: number;
  readonly grant: string;
  /** Integer ms since epoch. */
  readonly now: number;
}

/** A person's answer that stands for more than one call. */
export interface PastAnswer {
  readonly run_id: string;
  readonly step: number;
  /** Digest of the question. */
  readonly digest: string;
  readonly grant: Grant;
}

/** What the decisions of runs tell of permissions. */
export interface PastPermissions {
  readonly permissions: readonly PastPermission[];
  readonly answers: readonly PastAnswer[];
  /** Time of the oldest record, ms since epoch; absent without records. */
  readonly since?: number;
}

/** What is permitted now, and why. */
export interface AllowedRow {
  readonly by: AllowedBy;
  /** Names of the capabilities and powers: of a watch all that it lifts, and else one. */
  readonly names: readonly string[];
  readonly grants: readonly Grant[];
  /** What `grants.revoke` takes to take it back. */
  readonly id: string;
  /** The question that a person answered with it. */
  readonly question?: Omit<PastAnswer, 'grant'>;
  readonly uses: number;
  /** Time of the last use, ms since epoch. */
  readonly last?: number;
  /** Ids of the runs that used it, newest first, at most 20. */
  readonly runs: readonly string[];
  readonly runCount: number;
  /** It was not used for 30 days. */
  readonly isUnused?: true;
}

export interface Allowed {
  readonly rows: readonly AllowedRow[];
  /** Sources that were handed held values; `held.clear` takes their names. */
  readonly sources: readonly EarlierSource[];
  /** Time from which on uses are counted, ms since epoch; absent without decisions. */
  readonly since?: number;
  /** The decisions before `since` were too many to count. */
  readonly isCut?: true;
}

export interface AllowedOptions {
  readonly history: PastPermissions;
  /** Clock, ms since epoch. */
  readonly now: number;
  /** Why a grant stands that no person's answer and no watch has made; absent: a program's. */
  readonly by?: (grant: Grant) => AllowedBy;
  readonly sources?: readonly EarlierSource[];
  /** Older decisions were left out of the history. */
  readonly isCut?: boolean;
}

/** Decisions that are counted, the newest first. */
export const DECISIONS_MAX = 100_000;

const UNUSED_MS = 30 * 86_400_000;
const RUNS_MAX = 20;

const GRANT_LIST: OptionType = [
  'a list of grants',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && isHash(each['id'])),
];
const PERMISSION: Form<PastPermission> = { run_id: isText, step: isCount, grant: isHash, now: isCount };
const isPermissions = arrayOf(shaped(PERMISSION));
const ANSWER: Form<Omit<PastAnswer, 'run_id'>> = { step: isCount, digest: isHash, grant: isObject };
const isAnswers = arrayOf(shaped({ run_id: isText, ...ANSWER }));
const isHistory = (value: unknown): boolean =>
  isObject(value) && isPermissions(value['permissions']) && isAnswers(value['answers']);
const HISTORY: OptionType = ['what permissionsIn gives', isHistory];
const HISTORIES: OptionType = [
  'a list of what permissionsIn gives',
  (value) => Array.isArray(value) && value.every(isHistory),
];

/**
 * Lists what these grants permit at `now`, and what is known of their uses. A denial, a grant that has ended and a question
 * that stands for no grant permit nothing, and are left out. Uses of a standing answer are also uses of its parent.
 */
export function allowedNow(grants: readonly Grant[], options: AllowedOptions): Allowed {
  demand('grants', grants, GRANT_LIST);
  demand('options', options, OBJECT);
  const { history, now, by = () => 'program', sources = [], isCut } = options;
  demand('history', history, HISTORY);
  demand('now', now, COUNT);
  demand('by', by, CALLBACK);
  demand('sources', sources, LIST);
  const uses = usesOf(history);
  const { since } = history;
  const live = grants.filter(
    ({ mode, fallback, parent, expires }) =>
      mode !== 'deny' &&
      (mode === 'allow' || fallback !== true || parent !== undefined) &&
      (expires === undefined || now < expires),
  );
  const groups = new Map<string, Grant[]>();
  for (const grant of live) {
    const id = (grant.parent === undefined ? watchId(grant) : undefined) ?? grant.id;
    groups.set(id, [...(groups.get(id) ?? []), grant]);
  }
  const rows = [...groups].flatMap(([id, of]) => rowOf(id, of, { history, now, by, uses }));
  return {
    rows: rows.sort((one, other) => compare(keyOf(one), keyOf(other))),
    sources,
    ...(since !== undefined && { since }),
    ...(isCut && { isCut }),
  };
}

interface Known extends Required<Pick<AllowedOptions, 'history' | 'now' | 'by'>> {
  readonly uses: ReadonlyMap<string, readonly PastPermission[]>;
}

/** The row of a grant, or of a watch with all its grants. */
function rowOf(id: string, grants: readonly Grant[], { history, now, by, uses }: Known): readonly AllowedRow[] {
  const [first] = grants;
  if (first === undefined) return [];
  const why = first.parent !== undefined ? 'answer' : first.watch === undefined ? by(first) : 'watch';
  const question = questionOf(first, why, history.answers);
  const used = grants.flatMap((grant) => uses.get(grant.id) ?? []);
  const newest = used.toSorted((one, other) => other.now - one.now);
  const [last] = newest;
  const runs = [...new Set(newest.map(({ run_id }) => run_id))];
  const known = last?.now ?? history.since;
  return [
    {
      by: why,
      names: [...new Set(grants.map(({ capability }) => capability))].sort(),
      grants,
      id,
      ...(question !== undefined && { question }),
      uses: used.length,
      ...(last !== undefined && { last: last.now }),
      runs: runs.slice(0, RUNS_MAX),
      runCount: runs.length,
      ...(known !== undefined && known <= now - UNUSED_MS && { isUnused: true as const }),
    },
  ];
}

function keyOf({ names, by, id }: AllowedRow): string {
  return `${names.join(' ')}\n${by}\n${id}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** The uses of each grant, with those of its standing answers, by its id. */
function usesOf({ permissions, answers }: PastPermissions): ReadonlyMap<string, readonly PastPermission[]> {
  const parents = new Map(answers.map(({ grant: { id, parent } }) => [id, parent]));
  const uses = new Map<string, PastPermission[]>();
  for (const use of permissions)
    for (const id of [use.grant, parents.get(use.grant)]) {
      if (id === undefined) continue;
      const of = uses.get(id);
      if (of === undefined) uses.set(id, [use]);
      else of.push(use);
    }
  return uses;
}

/** The question of a standing answer; of an *Always*, the newest that a person answered so for its definition. */
function questionOf(
  { answer, capability_hash }: Grant,
  why: AllowedBy,
  answers: readonly PastAnswer[],
): Omit<PastAnswer, 'grant'> | undefined {
  const found = answers.findLast(({ digest, grant }) =>
    answer === undefined
      ? why === 'always' && grant.capability_hash === capability_hash && grant.args_hash === undefined
      : digest === answer,
  );
  return found && { run_id: found.run_id, step: found.step, digest: found.digest };
}

const RECORDS: OptionType = ['a list of records', (value) => Array.isArray(value) && value.every(isObject)];

/** What the records of a run tell of permissions: calls of its steps, and what programs used while they ran. */
export function permissionsIn(records: readonly LedgerRecord[]): PastPermissions {
  demand('records', records, RECORDS);
  const permissions: PastPermission[] = [];
  const answers: PastAnswer[] = [];
  for (const record of records) {
    const { run_id, kind, body } = record;
    const add = (step: number, { decision, grant, now }: Pick<PowerDecision, 'decision' | 'grant' | 'now'>): void => {
      if (decision === 'AUTHORIZED' && grant !== undefined) permissions.push({ run_id, step, grant, now });
    };
    if (kind === 'decision') add(body.step, body);
    if (kind === 'approval' && body.event === 'answered' && body.grant !== undefined)
      answers.push({ run_id, step: body.step, digest: body.digest, grant: body.grant });
    if (kind !== 'receipt') continue;
    const { step, powers = [], operations = [] } = record.body.evidence;
    for (const use of [...powers, ...operations.flatMap((operation) => operation.powers ?? [])]) add(step, use);
  }
  const [first] = records;
  return { permissions, answers, ...(first !== undefined && { since: first.at }) };
}

/** Joins what runs tell, the newest run first, up to 100,000 decisions. */
export function joinedPermissions(runs: readonly PastPermissions[]): PastPermissions & { readonly isCut: boolean } {
  demand('runs', runs, HISTORIES);
  const permissions: PastPermission[] = [];
  const answers: (readonly PastAnswer[])[] = [];
  let since: number | undefined;
  let isCut = false;
  for (const run of runs) {
    isCut = permissions.length >= DECISIONS_MAX;
    if (isCut) break;
    for (const each of run.permissions) permissions.push(each);
    answers.push(run.answers);
    if (run.since !== undefined) since = Math.min(since ?? run.since, run.since);
  }
  // the newest last, as within a run
  const all = answers.toReversed().flat();
  return { permissions, answers: all, isCut, ...(since !== undefined && { since }) };
}

/** The policy that a run began with. `payload_missing`, `facts_altered` */
export function policyIn({ records, find }: RecordedRun): Outcome<Policy | undefined> {
  demand('records', records, LIST);
  demand('find', find, CALLBACK);
  const [first] = records;
  return first?.kind === 'configuration' ? restorePolicy(first.body, find) : pass(undefined);
}
