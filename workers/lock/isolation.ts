import type { Isolation } from '../../core/ledger/kinds/run.ts';
import type { RuntimeInfo } from '../api.ts';

type Probe = RuntimeInfo['probes'][number];

/** What the probes of a worker say about it. */
export function isolationOf(probes: readonly Probe[], development: boolean): Isolation {
  if (development) return 'development';
  return probes.every(({ blocked }) => blocked) ? 'locked' : 'unlocked';
}

/** True where a worker of this isolation may stand beside workers of the isolation `wanted`. */
export function isLockedAs(wanted: Isolation, found: Isolation): boolean {
  return found === 'locked' || found === wanted;
}

/** The probes of two workers as one: an exit is blocked where both workers found it blocked. */
export function bothProbes(one: readonly Probe[], other: readonly Probe[]): readonly Probe[] {
  const open = new Set(other.flatMap(({ name, blocked }) => (blocked ? [] : [name])));
  return one.map(({ name, blocked }) => ({ name, blocked: blocked && !open.has(name) }));
}
