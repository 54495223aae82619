import { encodeText, formatExport, type LedgerRecord, parseExport, sha256Hex } from '../../../core/index.ts';
import { limitsHash } from '../../../core/run/state.ts';
import { forgeTexts } from '../ledger/forge.ts';

/** A change of a file whose author makes every hash anew. */
export interface Change {
  /** The changed fact: kind and event of its record, and its place in the body; of a payload the place of its name. */
  readonly leaf: string;
  readonly how: string;
  /** The changed file; undefined where no change follows. */
  readonly make: () => string | undefined;
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };
type Path = readonly (string | number)[];
type Body = { readonly [member: string]: Json };

interface File {
  readonly run_id: string;
  readonly records: readonly LedgerRecord[];
  readonly payloads: ReadonlyMap<string, Uint8Array>;
}

/** Every change of one fact of a run: of a record, of its place in time and in the list, of a payload, of the whole. */
export function changesOf(text: string, others: OtherValues): readonly Change[] {
  const file = fileOf(text);
  const { records } = file;
  const all = [
    ...records.flatMap((record, at) => changesAt(file, record, at, others)),
    ...records.flatMap((record, at) => changesOfList(file, record, at)),
    ...[...file.payloads.keys()].flatMap((sha256) => changesIn(file, sha256)),
    ...forgeries(file),
  ];
  const same = written(file);
  return all.map(({ make, ...change }) => ({ ...change, make: () => otherThan(same, make()) }));
}

/** A list of one entry in turned order is no change. */
function otherThan(same: string, text: string | undefined): string | undefined {
  return text === same ? undefined : text;
}

function fileOf(text: string): File {
  const { run_id = '', records, payloads } = parseExport(text);
  return { run_id, records: records.flatMap((line) => (line ? [line.record] : [])), payloads };
}

/** Name of a record's kind, with its event. */
export function nameOf({ kind, body }: LedgerRecord): string {
  return 'event' in body ? `${kind}.${body.event}` : kind;
}

/** Values that records of other runs have in the same place, and the members that they have. */
export interface OtherValues {
  readonly at: ReadonlyMap<string, ReadonlySet<Json>>;
  readonly members: ReadonlyMap<string, ReadonlyMap<string, Json>>;
}

export function otherValuesOf(texts: Iterable<string>): OtherValues {
  const at = new Map<string, Set<Json>>(Object.entries(WORDS).map(([leaf, words]) => [leaf, new Set(words)]));
  const members = new Map<string, Map<string, Json>>();
  for (const text of texts)
    for (const record of fileOf(text).records) {
      const name = nameOf(record);
      const body = record.body as unknown as Body;
      const own = members.get(name) ?? new Map<string, Json>();
      members.set(name, own);
      for (const [member, value] of Object.entries(body)) own.set(member, value);
      for (const [path, value] of leavesOf(body)) {
        if (typeof value !== 'string') continue;
        const leaf = `${name} ${placeOf(path)}`;
        at.set(leaf, (at.get(leaf) ?? new Set()).add(value));
      }
    }
  return { at, members };
}

/** Words of closed lists that few runs have. */
const WORDS: { readonly [leaf: string]: readonly string[] } = {
  'seal state': ['completed', 'aborted', 'failed', 'limit'],
  'approval.answered via': ['gesture', 'program', 'authorizer', 'nobody', 'later', 'failed'],
  'consent.answered via': ['gesture', 'program'],
  'configuration isolation': ['locked', 'unlocked', 'development', 'node'],
  'proposal finish': ['stop', 'length', 'other'],
};

function changesAt(file: File, record: LedgerRecord, at: number, others: OtherValues): readonly Change[] {
  const { records } = file;
  const put = (changed: object) => () =>
    written({ ...file, records: records.with(at, { ...record, ...changed } as LedgerRecord) });
  const name = nameOf(record);
  const body = record.body as unknown as Body;
  const ofRecord = (['at', 'epoch'] as const).flatMap((member) =>
    changed(record[member], []).flatMap(([how, value]) =>
      value === GONE
        ? []
        : {
            leaf: `${record.kind === 'log' ? 'log' : 'record'} ${member}`,
            how,
            make: put({ [member]: value }),
          },
    ),
  );
  const inBody = [...leavesOf(body)].flatMap(([path, value]) => {
    const leaf = `${name} ${placeOf(path)}`;
    return changed(value, [...(others.at.get(leaf) ?? [])]).map(([how, other]) => ({
      leaf,
      how,
      make: put({ body: withValue(body, path, other) }),
    }));
  });
  const added = [...(others.members.get(name) ?? [])].flatMap(([member, value]) =>
    member in body
      ? []
      : [{ leaf: `${name} ${member}`, how: 'added', make: put({ body: { ...body, [member]: value } }) }],
  );
  return [...ofRecord, ...inBody, ...added];
}

/**
 * The record left out, written twice, and in the place of the next one, each with the times of the places. Where the next
 * one is a rejection, the change is one of the rejection: when it comes, beside a run that goes on, is chance.
 */
function changesOfList(file: File, record: LedgerRecord, at: number): readonly Change[] {
  const { records } = file;
  const made = (leaf: string, how: string, changed: readonly LedgerRecord[]): Change => ({
    leaf: `${leaf} record`,
    how,
    make: () => written({ ...file, records: changed }),
  });
  const name = nameOf(record);
  const next = records[at + 1];
  const removed = made(name, 'removed', records.toSpliced(at, 1));
  const doubled = made(name, 'doubled', records.toSpliced(at, 0, record));
  if (next === undefined) return [removed, doubled];
  const pair = [
    { ...next, at: record.at, epoch: record.epoch },
    { ...record, at: next.at, epoch: next.epoch },
  ];
  const turned = records.toSpliced(at, 2, ...(pair as LedgerRecord[]));
  const nextName = nameOf(next);
  const isRejection = nextName.startsWith('rejection.');
  return [
    removed,
    doubled,
    isRejection ? made(nextName, `before ${name}`, turned) : made(name, `behind ${nextName}`, turned),
  ];
}

/** Changes of a payload, with a new name in all records. */
function changesIn(file: File, sha256: string): readonly Change[] {
  const bytes = file.payloads.get(sha256) ?? new Uint8Array();
  const [place, ref] = nameIn(file, sha256);
  const { salt = 0 } = ref;
  const text = new TextDecoder().decode(bytes.subarray(salt));
  const put = (content: string) => () => {
    const stored = new Uint8Array([...bytes.subarray(0, salt), ...encodeText(content)]);
    return content === text ? undefined : written(renamed(file, new Map([[sha256, stored]])));
  };
  const value = valueOf(text);
  if (value === null || typeof value !== 'object')
    return [{ leaf: `${place} text`, how: 'other', make: put(`${text}x`) }];
  return [...leavesOf(value)].flatMap(([path, leaf]) =>
    changed(leaf, []).map(([how, other]) => ({
      leaf: `${place} text ${placeOf(path)}`,
      how,
      make: put(JSON.stringify(withValue(value, path, other))),
    })),
  );
}

/** The first place of the records that names a payload. */
function nameIn({ records }: File, sha256: string): readonly [string, { readonly salt?: number }] {
  for (const record of records)
    for (const [path, value] of leavesOf(record.body as unknown as Body))
      if (value !== null && typeof value === 'object' && (value as Body)['sha256'] === sha256)
        return [`${nameOf(record)} ${placeOf(path)}`, value as { readonly salt?: number }];
  return ['no record', {}];
}

/** Forgeries of the whole file: each fact that follows from another is made anew, as its author would. */
function forgeries(file: File): readonly Change[] {
  const forged = (leaf: string, make: () => File | undefined): Change => ({
    leaf: `file ${leaf}`,
    how: 'forged',
    make: () => {
      const made = make();
      return made && written(made);
    },
  });
  const words = (leaf: string, from: string, to: string) => forged(leaf, () => reworded(file, from, to));
  return [
    words('model', '"goal":"try"', '"goal":"lie"'),
    forged('limits', () => otherLimits(file)),
    forged('time', () => later(file, 3_600_000)),
  ];
}

/** The file with a text in the place of another in each payload. A step is named by its proposal. */
function reworded(file: File, from: string, to: string): File | undefined {
  const changes = new Map(
    [...file.payloads].flatMap(([sha256, bytes]) => {
      const text = new TextDecoder().decode(bytes);
      return text.includes(from) ? [[sha256, encodeText(text.replaceAll(from, to))] as const] : [];
    }),
  );
  if (changes.size === 0) return undefined;
  const made = renamed(file, changes);
  const ids = made.records.flatMap(({ kind, body }) =>
    kind === 'proposal' ? [[body.step_id, stepId(made.run_id, body.step, body.payload.sha256)] as const] : [],
  );
  return replaced(made, ids);
}

function stepId(run_id: string, step: number, proposal: string): string {
  const hex = sha256Hex(encodeText(`sallyport/step/1\n${run_id}:${step}:${proposal}`));
  const variant = (8 | (Number.parseInt(hex.charAt(16), 16) & 3)).toString(16);
  const ends = [`8${hex.slice(13, 16)}`, `${variant}${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return [hex.slice(0, 8), hex.slice(8, 12), ...ends].join('-');
}

function otherLimits(file: File): File | undefined {
  const [first] = file.records;
  if (first?.kind !== 'configuration') return undefined;
  const { limits, budgets, limits_hash } = first.body;
  const body = { ...first.body, limits: { ...limits, steps: limits.steps + 1 } };
  const made = { ...file, records: [{ ...first, body }, ...file.records.slice(1)] };
  return replaced(made, [[limits_hash, limitsHash({ limits: body.limits, budgets })]]);
}

/** The file with all of its times later. */
function later(file: File, ms: number): File {
  const moved = (value: Json, name?: string): Json => {
    if (name === 'now' && typeof value === 'number') return value + ms;
    if (Array.isArray(value)) return value.map((each) => moved(each as Json));
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value as Body).map(([member, each]) => [member, moved(each, member)]));
  };
  const records = file.records.map((record) => ({
    ...record,
    at: record.at + ms,
    body: moved(record.body as unknown as Body),
  }));
  return { ...file, records: records as unknown as readonly LedgerRecord[] };
}

/** The file with other bytes of these payloads, and their names in all records. */
function renamed(file: File, changes: ReadonlyMap<string, Uint8Array>): File {
  const payloads = new Map<string, Uint8Array>();
  const hashes = new Map<string, readonly [string, number]>();
  for (const [sha256, bytes] of file.payloads) {
    const other = changes.get(sha256);
    const name = other === undefined ? sha256 : sha256Hex(other);
    payloads.set(name, other ?? bytes);
    if (other !== undefined) hashes.set(sha256, [name, other.length]);
  }
  const rename = (value: Json): Json => {
    if (typeof value === 'string') return hashes.get(value)?.[0] ?? value;
    if (Array.isArray(value)) return value.map(rename);
    if (value === null || typeof value !== 'object') return value;
    const [, bytes] = hashes.get(String((value as Body)['sha256'])) ?? [];
    const made = Object.fromEntries(Object.entries(value as Body).map(([member, each]) => [member, rename(each)]));
    return bytes === undefined ? made : { ...made, bytes };
  };
  const records = file.records.map((record) => ({ ...record, body: rename(record.body as unknown as Body) }));
  return { ...file, payloads, records: records as unknown as readonly LedgerRecord[] };
}

function replaced(file: File, pairs: readonly (readonly [string, string])[]): File {
  const replace = (text: string) => pairs.reduce((done, [from, to]) => done.replaceAll(from, to), text);
  const records = file.records.map((record) => ({ ...record, body: JSON.parse(replace(JSON.stringify(record.body))) }));
  return { ...file, records: records as readonly LedgerRecord[] };
}

/** The export with every hash of its records made anew, and the payloads that they name. */
function written({ run_id, records, payloads }: File): string {
  const texts = forgeTexts(
    run_id,
    records.map(({ kind, body, at, epoch }) => ({ kind, body, at, epoch })),
  );
  const all = texts.join();
  const named = [...payloads].filter(([sha256]) => all.includes(sha256));
  return formatExport(
    run_id,
    texts,
    named.map(([sha256, bytes]) => ({ sha256, bytes })),
  );
}

function valueOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** Each value inside, and each list and object, with its place. */
function* leavesOf(value: Json, path: Path = []): Generator<readonly [Path, Json]> {
  if (path.length > 0) yield [path, value];
  if (value === null || typeof value !== 'object') return;
  const members: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((each, at) => [at, each as Json])
    : Object.entries(value as Body);
  for (const [name, each] of members) yield* leavesOf(each, [...path, name]);
}

/** A path without the places in lists: `receipt.actions.status`. */
function placeOf(path: Path): string {
  return path.filter((each) => typeof each === 'string').join('.');
}

const GONE = Symbol('gone');

/** Other values in the place of this one, each with a word for it. */
function changed(value: Json, others: readonly Json[]): readonly (readonly [string, Json | typeof GONE])[] {
  const gone = ['gone', GONE] as const;
  if (typeof value === 'number') return [['near', value + 1], ['far', value + 10 ** 12], ['none', 0], gone];
  if (typeof value === 'boolean') return [['other', !value], gone];
  if (typeof value === 'string') {
    const words = others.filter((other) => other !== value).slice(0, 6);
    const hash = /^[0-9a-f]{64}$/.test(value) ? 'a'.repeat(64) : `${value}x`;
    return [['other', hash], ...words.map((word) => ['another', word] as const), gone];
  }
  if (!Array.isArray(value)) return [gone];
  return [['empty', []], ['doubled', [...value, ...value]], ['turned', value.toReversed()], gone];
}

function withValue(value: Json, [first, ...rest]: Path, other: Json | typeof GONE): Json {
  if (Array.isArray(value)) {
    const at = Number(first);
    if (rest.length === 0 && other === GONE) return value.toSpliced(at, 1) as readonly Json[];
    return value.with(at, rest.length === 0 ? other : withValue(value[at] as Json, rest, other)) as readonly Json[];
  }
  const { [String(first)]: inside = null, ...others } = value as Body;
  if (rest.length === 0) return other === GONE ? others : { ...others, [String(first)]: other as Json };
  return { ...others, [String(first)]: withValue(inside, rest, other) };
}
