import { SANDBOX_POWERS } from '../../../core/capability/built-in-power.ts';
import type { PowerCall } from '../../../core/capability/call.ts';
import type { Label } from '../../../core/capability/guard.ts';
import { LABEL_ROWS, labelPrefix, ownKey, type StoredValue, storedLabels } from '../../../core/run/commit/storage.ts';
import type { StoredRow } from '../../../core/run/effect.ts';
import { refusalError } from '../../../core/sallyport-error.ts';
import { callPowers, type PowerSources } from '../../../sandbox/index.ts';
import type { Ports } from '../../ports.ts';

/**
 * A power that the runtime itself carries out, for a single call: JSON text of the list of arguments in, JSON text of
 * the result out. A rejection reaches the guest as an error of the same name and message.
 */
export type HostPower = (args: string, ticket: number) => Promise<string>;

/** Powers by the name that the guest calls. Another name belongs to the page, or is refused. */
export type HostPowers = ReadonlyMap<string, HostPower>;

/** The call that the powers serve. */
export interface PowerCaller {
  readonly capability: string;
  /** Receives the labels of a power's result before the guest can receive the result. */
  readonly shows: (labels: readonly Label[]) => void;
  /** Uncommitted storage rows of the call's message, the newest last. */
  readonly kept: readonly StoredRow[];
  /** Answers that a parked call had received. */
  readonly before?: readonly PowerCall[];
}

/**
 * The powers of the runtime. They reach no data outside of the runtime, so the grant of the capability that declares
 * them covers them. The receipt holds each use with its answer, so that a replay can give the same answer.
 */
export function hostPowers(
  { now, random, store }: Pick<Ports, 'now' | 'random' | 'store'>,
  { capability, shows, kept, before = [] }: PowerCaller,
): HostPowers {
  const prefix = ownKey(capability, '');
  const uncommitted = new Map(kept.filter(({ key }) => key.startsWith(prefix)).map(({ key, value }) => [key, value]));
  const sources: PowerSources = {
    clock: now,
    random,
    log: () => undefined,
    async get(key) {
      const row = await rowOf(ownKey(capability, key));
      shows([...(row?.labels ?? []), ...(await labelsNow())]);
      return row?.text;
    },
    async keys(most) {
      const keys = new Set((await rowsBehind(prefix, most + uncommitted.size)).map(([key]) => key));
      shows(await labelsNow());
      for (const [key, value] of uncommitted) {
        if (value === undefined) keys.delete(key);
        else keys.add(key);
      }
      return [...keys].slice(0, most).map((key) => key.slice(prefix.length));
    },
  };
  async function rowOf(key: string): Promise<StoredValue | undefined> {
    if (uncommitted.has(key)) return uncommitted.get(key) as StoredValue | undefined;
    const row = await store.get('kept', key);
    if (!row.ok) throw refusalError(row.refusal);
    return row.value as unknown as StoredValue | undefined;
  }
  async function rowsBehind(start: string, most: number): Promise<readonly (readonly [string, StoredValue])[]> {
    const rows = await store.all('kept', start, most);
    if (!rows.ok) throw refusalError(rows.refusal);
    return rows.value.flatMap(([key, value]) =>
      key.startsWith(start) ? [[key, value as unknown as StoredValue]] : [],
    );
  }
  /** Labels now, read after the rows: labels only grow, so the rows had no further labels. */
  async function labelsNow(): Promise<readonly Label[]> {
    const start = labelPrefix(capability);
    const stored = await rowsBehind(start, LABEL_ROWS.length);
    const staged = kept.flatMap(({ key, value }) => (key.startsWith(start) ? [value as StoredValue] : []));
    const isKept = stored.length === 0 && (await rowsBehind(prefix, 1)).length > 0;
    return [
      ...storedLabels(
        stored.map(([, value]) => value),
        isKept,
      ),
      ...staged.flatMap(({ labels }) => labels),
    ];
  }
  const { carryOut } = callPowers(sources, before);
  return new Map(SANDBOX_POWERS.map((name) => [name, async (args) => (await carryOut(name, args)) ?? 'null'] as const));
}
