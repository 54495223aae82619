import type { PowerCall } from '../../capability/call.ts';
import { type Label, withLabels } from '../../capability/guard.ts';
import type { StagedFiles } from '../../content/staged.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import type { StoredRow } from '../effect.ts';
import { readBy } from '../powers/power-calls.ts';
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
 * under this prefix is ever removed.
 */
export function labelPrefix(name: string): string {
  return `labels/${name}/`;
}

/**
 * Last segments of these rows: a segment for each label, and `known`, which marks that labels were stored from the
 * first key on.
 */
export const LABEL_ROWS: readonly (Label | 'known')[] = ['known', 'private', 'untrusted'];

/**
 * Labels that every `store.get` and `store.put` of a capability shows. Keys without a label row came with a
 * restored backup: the data that was read before them is unknown, so they get both labels.
 */
export function storedLabels(rows: readonly StoredValue[], isKept: boolean): readonly Label[] {
  if (rows.length === 0) return isKept ? ['private', 'untrusted'] : [];
  return [...new Set(rows.flatMap(({ labels }) => labels))].sort();
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
 * row also holds the context's labels at that time.
 */
export function rowsOfPuts(state: RunState, at: Executing, calls: readonly PowerCall[]): readonly StoredRow[] {
  const { manifest } = at.charged.capability;
  const labels = [...withLabels(readBy(state, at), manifest.labels ?? [])];
  const rows = new Map<string, StoredRow>();
  for (const { name, args, error } of calls) {
    if (name !== 'store.put' || error !== undefined || !Array.isArray(args)) continue;
    const [key, value = null] = args as readonly JsonValue[];
    if (typeof key !== 'string') continue;
    const row = ownKey(manifest.name, key);
    const kept: StoredValue = { text: canonicalText(value), labels, run: state.facts.run_id };
    rows.set(row, value === null ? { key: row } : { key: row, value: kept });
  }
  return rows.size === 0 ? [] : [...rows.values(), ...labelRows(manifest.name, labels)];
}

function labelRows(name: string, labels: readonly Label[]): readonly StoredRow[] {
  return LABEL_ROWS.flatMap((word) => {
    if (word !== 'known' && !labels.includes(word)) return [];
    const value: StoredValue = { text: 'null', labels: word === 'known' ? [] : [word] };
    return [{ key: labelPrefix(name) + word, value }];
  });
}
