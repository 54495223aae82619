import type { PowerCall } from '../../capability/call.ts';
import type { Capability } from '../../capability/capability.ts';
import { joined, LABELS, type Label, withLabels } from '../../capability/guard.ts';
import { declaredLabels, type EarlierSource, labelsBesideStore, storeIn, storeSource } from '../../capability/hold.ts';
import type { StagedFiles } from '../../content/staged.ts';
import { sha256Text } from '../../hash.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import type { StoredRow } from '../event.ts';
import type { HeldStep } from '../open-step.ts';
import type { Executing, RunState } from '../state.ts';
import { executing } from '../step.ts';

/**
 * A value that a capability stores under a key, with the context's labels at that time: a reader of the value gets
 * these labels.
 */
export interface StoredValue {
  /** Canonical JSON text. */
  readonly text: string;
  readonly labels: readonly Label[];
  /** The run that was the last to put it. */
  readonly run?: string;
  /** A held call has put it. */
  readonly held?: true;
}

/** Prefix of the row keys of all values that capabilities have stored. */
export const OWN_ROWS = 'own/';

/**
 * Row key of a capability's value. Keys belong to the capability's name, not to its hash: a new version finds the
 * values of the old version, as a program finds its files after an update. This grants no access: the program assigns
 * names, never a model, and a changed definition can read no value without a grant of its own.
 */
export function ownKey(name: string, key: string): string {
  return `${OWN_ROWS}${name}/${key}`;
}

/**
 * Prefix of the rows that hold the labels of every value that capabilities of this name have ever stored. The presence
 * and absence of keys reveals data that was read when they were put and removed. So labels outlive their keys: no row
 * under this prefix is ever removed, but for `held`, which a person takes back.
 */
export function labelPrefix(name: string): string {
  return `${ALL_LABELS}${name}/`;
}

/** Prefix of the label rows of all stores and sources. */
export const ALL_LABELS = 'labels/';

/**
 * Last segments of these rows: a segment for each label; `known`, which marks that labels were stored from the first key
 * on; and `held`, which marks that a held call may have put or removed a key.
 */
export const LABEL_ROWS: readonly LabelRow[] = ['held', 'known', 'private', 'untrusted'];
type LabelRow = Label | 'known' | 'held';

/**
 * A row that names a source that was handed held values: a tool's origin, or the program itself. These rows stand beside
 * those of the stores, where no capability has a name: `held` for every source, and a row for each label.
 */
export interface SourceRow extends StoredValue {
  readonly source: string;
}

/** Words of the rows of a source. */
export const SOURCE_WORDS: readonly SourceWord[] = ['held', ...LABELS];
type SourceWord = Label | 'held';

/** Key of a row of a source. It holds the hash of the source, because a key is limited in length. */
export function sourceKey(source: string, word: SourceWord): string {
  return `${labelPrefix('')}${word}/${sha256Text(source)}`;
}

/** Rows that say that a source was handed held values with these labels. */
export function sourceRows(source: string, labels: readonly Label[]): readonly StoredRow[] {
  const row = (word: SourceWord): StoredRow => {
    const value: SourceRow = { text: 'null', labels: word === 'held' ? [] : [word], source };
    return { key: sourceKey(source, word), value };
  };
  return [row('held'), ...labels.map(row)];
}

/**
 * Labels that every `store.get` and `store.put` of a capability shows. Keys without a label row came with a
 * restored backup: the data that was read before them is unknown, so they get both labels.
 */
export function storedLabels(rows: readonly StoredValue[], isKept: boolean): readonly Label[] {
  if (rows.length === 0) return isKept ? ['private', 'untrusted'] : [];
  return [...new Set(rows.flatMap(({ labels }) => labels))].sort();
}

/** Key of the row that a source has as long as it counts as handed a held value. */
export function heldKey(source: string): string {
  const name = storeIn(source);
  return name === undefined ? sourceKey(source, 'held') : `${labelPrefix(name)}held`;
}

/** The sources that were handed held values, by name, from all rows behind `ALL_LABELS`. */
export function sourcesIn(rows: readonly (readonly [key: string, value: unknown])[]): readonly EarlierSource[] {
  const known = new Map<string, readonly Label[]>();
  const held = new Set<string>();
  for (const [key, value] of rows) {
    const { source: named, labels } = value as Pick<SourceRow, 'labels'> & Partial<SourceRow>;
    const source = named ?? storeSource(nameIn(key));
    if (key === heldKey(source)) held.add(source);
    known.set(source, joined(known.get(source) ?? [], labels));
  }
  const found = [...known].filter(([source]) => held.has(source)).sort(([one], [other]) => (one < other ? -1 : 1));
  return found.map(([source, labels]) => {
    return { source, labels, ...(storeIn(source) !== undefined && { held: true as const }) };
  });
}

/** The capability whose store a label row is of: no name has a slash. */
function nameIn(key: string): string {
  return key.slice(ALL_LABELS.length, key.indexOf('/', ALL_LABELS.length));
}

/** Changes by earlier operations of the message that the store does not have yet. */
export interface UncommittedChanges {
  readonly files: StagedFiles;
  /** Newest last. */
  readonly kept: readonly StoredRow[];
}

export function uncommittedChanges(state: RunState): UncommittedChanges {
  const work = executing(state)?.open.work;
  return { files: work?.staged ?? new Map(), kept: work?.kept ?? [] };
}

/**
 * Rows for the puts of a successful call, in their order: the last put of a key counts, and null removes the key. Each
 * row also holds the labels of the data that was read by then.
 */
export function rowsOfPuts(
  state: RunState,
  at: Executing,
  calls: readonly PowerCall[],
  read: RunState['labels'],
): readonly StoredRow[] {
  const { manifest } = at.charged.capability;
  const { held } = at.open;
  const labels =
    held === undefined ? [...withLabels(read, manifest.labels ?? [])] : keptLabels(state, held, at.charged.capability);
  const rows = new Map<string, StoredRow>();
  for (const { name, args, error } of calls) {
    if (name !== 'store.put' || error !== undefined || !Array.isArray(args)) continue;
    const [key, value = null] = args as readonly JsonValue[];
    if (typeof key !== 'string') continue;
    const row = ownKey(manifest.name, key);
    const kept = { text: canonicalText(value), labels, run: state.facts.run_id, ...(held && { held: true }) };
    rows.set(row, value === null ? { key: row } : { key: row, value: kept });
  }
  // what a held call leaves beside its values does not depend on them: its step writes it, whatever was put
  if (held !== undefined) return [...rows.values()];
  return rows.size === 0 ? [] : [...rows.values(), ...labelRows(manifest.name, labels)];
}

/**
 * Labels of what a call of a held step stores: the context's, and those of all that it may have been given beside its
 * store. An operation of a message is made or not by the held ones before it, so that theirs count too. No value takes
 * part.
 */
export function keptLabels(state: RunState, { places, message }: HeldStep, capability: Capability): readonly Label[] {
  const { capabilities = [], labels = [] } = message ?? {};
  const before = capabilities.slice(0, Math.max(0, capabilities.lastIndexOf(capability)));
  const others = before.flatMap((each) => (each === capability ? [] : declaredLabels(state, each)));
  const given = places.flatMap((place) => place.labels);
  return joined([...state.labels], labels, labelsBesideStore(state, capability), others, given);
}

/** Rows of the labels of a name's store, and of its mark where a held call may have put values. */
export function labelRows(name: string, labels: readonly Label[], isHeld = false): readonly StoredRow[] {
  return LABEL_ROWS.flatMap((word) => {
    const isThere = word === 'known' || (word === 'held' ? isHeld : labels.includes(word));
    if (!isThere) return [];
    const value: StoredValue = { text: 'null', labels: word === 'known' || word === 'held' ? [] : [word] };
    return [{ key: labelPrefix(name) + word, value }];
  });
}
