import type { PowerCall } from '../capability/call.ts';
import type { Capability } from '../capability/capability.ts';
import { type Label, withLabels } from '../capability/guard.ts';
import type { StagedFiles } from '../content/staged.ts';
import { canonicalText } from '../json/canonical.ts';
import type { JsonValue } from '../json/value.ts';
import { executing } from './desk.ts';
import type { KeptRow } from './effect.ts';
import type { RunState } from './state.ts';

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

/** What a successful call has put, in its order: the last of each key stays, and null takes it away. */
export function keptByCall(
  state: RunState,
  { manifest }: Capability,
  calls: readonly PowerCall[],
  shown: readonly Label[],
): readonly KeptRow[] {
  const labels = [...withLabels(withLabels(state.labels, manifest.labels ?? []), shown)];
  const rows = new Map<string, KeptRow>();
  for (const { name, args, error } of calls) {
    if (name !== 'store.put' || error !== undefined || !Array.isArray(args)) continue;
    const [key, value = null] = args as readonly JsonValue[];
    if (typeof key !== 'string') continue;
    const row = ownKey(manifest.name, key);
    const kept: KeptValue = { text: canonicalText(value), labels };
    rows.set(row, value === null ? { key: row } : { key: row, value: kept });
  }
  return [...rows.values()];
}
