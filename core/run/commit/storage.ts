import type { PowerCall } from '../../capability/call.ts';
import { type Label, withLabels } from '../../capability/guard.ts';
import type { StagedFiles } from '../../content/staged.ts';
import { canonicalText } from '../../json/canonical.ts';
import type { JsonValue } from '../../json/value.ts';
import type { KeptRow } from '../effect.ts';
import { readBy } from '../powers/power-calls.ts';
import type { Executing, RunState } from '../state.ts';
import { executing } from '../step.ts';

/** What a capability keeps under one key, and what the context held when it did: whoever reads it has read that, too. */
export interface KeptValue {
  /** Canonical JSON text. */
  readonly text: string;
  readonly labels: readonly Label[];
}

/**
 * Keys belong to a capability's name, not to its hash: a new version finds what the old one kept, as a program finds its
 * files after an update. That gives away nothing: who bears a name is decided by whoever registers, never by a model,
 * and a changed definition can read nothing before it has a grant of its own.
 */
export function ownKey(name: string, key: string): string {
  return `own/${name}/${key}`;
}

/**
 * Prefix of the rows that hold the labels of all that capabilities of this name have ever kept. Which keys there are, and
 * which are gone, tells of what was read when they were put and taken away, so the labels stay when a key goes: no row
 * under this prefix is ever removed.
 */
export function labelPrefix(name: string): string {
  return `labels/${name}/`;
}

/** Last words of those rows: one for each label, and one that says that labels were kept from the first key on. */
export const LABEL_ROWS: readonly (Label | 'known')[] = ['known', 'private', 'untrusted'];

/**
 * Labels that every `store.get` and `store.put` of a capability shows. Keys without a label row were put before label
 * rows were kept: nobody knows what had been read by then.
 */
export function labelsKept(rows: readonly KeptValue[], isKept: boolean): readonly Label[] {
  if (rows.length === 0) return isKept ? ['private', 'untrusted'] : [];
  return [...new Set(rows.flatMap(({ labels }) => labels))].sort();
}

/** What the operations of a message have done before the one in hand, and the store does not have yet. */
export interface Uncommitted {
  readonly files: StagedFiles;
  /** Newest last. */
  readonly kept: readonly KeptRow[];
}

export function uncommitted(state: RunState): Uncommitted {
  const work = executing(state)?.open.work;
  return { files: work?.staged ?? new Map(), kept: work?.kept ?? [] };
}

/**
 * Rows of what a successful call has put, in its order: the last of each key stays, and null takes it away. The labels
 * of the context at that time are kept beside them.
 */
export function keptByCall(state: RunState, at: Executing, calls: readonly PowerCall[]): readonly KeptRow[] {
  const { manifest } = at.charged.capability;
  const labels = [...withLabels(readBy(state, at), manifest.labels ?? [])];
  const rows = new Map<string, KeptRow>();
  for (const { name, args, error } of calls) {
    if (name !== 'store.put' || error !== undefined || !Array.isArray(args)) continue;
    const [key, value = null] = args as readonly JsonValue[];
    if (typeof key !== 'string') continue;
    const row = ownKey(manifest.name, key);
    const kept: KeptValue = { text: canonicalText(value), labels };
    rows.set(row, value === null ? { key: row } : { key: row, value: kept });
  }
  return rows.size === 0 ? [] : [...rows.values(), ...labelRows(manifest.name, labels)];
}

function labelRows(name: string, labels: readonly Label[]): readonly KeptRow[] {
  return LABEL_ROWS.flatMap((word) => {
    if (word !== 'known' && !labels.includes(word)) return [];
    const value: KeptValue = { text: 'null', labels: word === 'known' ? [] : [word] };
    return [{ key: labelPrefix(name) + word, value }];
  });
}
