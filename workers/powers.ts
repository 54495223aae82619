import { type KeptValue, type Label, ownKey, type PowerCall, SANDBOX_POWERS } from '../core/inner.ts';
import { callPowers, type PowerSources } from '../sandbox/index.ts';
import type { Ports } from './ports.ts';

/**
 * A power that the runtime itself carries out, for one call: JSON text of the list of arguments in, JSON text of the
 * result out. A rejection reaches the guest as an error of the same name and message.
 */
export type HostPower = (args: string) => Promise<string>;

/** By the name the guest calls it by. A name that is not here is one of the page's, or refused. */
export type HostPowers = ReadonlyMap<string, HostPower>;

/** The call that powers are for. */
export interface PowersFor {
  readonly capability: string;
  /** Told what reading a power's result does to the context, before the guest can hear the result. */
  readonly shows: (labels: readonly Label[]) => void;
  /** What a call that was parked had been answered. */
  readonly before?: readonly PowerCall[];
}

/**
 * The powers that come with the runtime. They reach nothing outside of it, so the grant of the capability that declares
 * them covers them; each use is in its receipt with its answer, so that a replay can give the same.
 */
export function hostPowers(
  { now, random, store }: Pick<Ports, 'now' | 'random' | 'store'>,
  { capability, shows, before = [] }: PowersFor,
): HostPowers {
  const sources: PowerSources = {
    clock: now,
    random,
    log: () => undefined,
    async get(key) {
      const row = await store.get('kept', ownKey(capability, key));
      if (!row.ok) throw new Error(row.refusal.message);
      const kept = row.value as unknown as KeptValue | undefined;
      if (kept !== undefined) shows(kept.labels);
      return kept?.text;
    },
    async keys(most) {
      const prefix = ownKey(capability, '');
      const rows = await store.all('kept', prefix, most);
      if (!rows.ok) throw new Error(rows.refusal.message);
      return rows.value.flatMap(([key]) => (key.startsWith(prefix) ? [key.slice(prefix.length)] : []));
    },
  };
  const { carryOut } = callPowers(sources, before);
  return new Map(SANDBOX_POWERS.map((name) => [name, async (args) => (await carryOut(name, args)) ?? 'null'] as const));
}
