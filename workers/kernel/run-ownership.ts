import { refuse } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { orAborted } from '../async.ts';
import type { Ports } from '../ports.ts';
import type { Peers } from '../store/peer-channel.ts';
import type { ReleaseClaim } from '../store/shared-store.ts';
import type { RunLoop } from './run/run-loop.ts';

/**
 * Interval of retries: a message about new records may be lost, an owner may miss a request, and a crashed owner sends
 * no message.
 */
export const LOOK_MS = 2_000;

/**
 * Runs `act` as the only writer of the run. `run_open` where another kernel writes the run, or a loop here drives it.
 */
export type Alone = <T>(run_id: string, act: () => Promise<Outcome<T>>, signal?: AbortSignal) => Promise<Outcome<T>>;

/** The runs that this kernel writes, and how it claims and releases them. */
export interface Ownership {
  readonly alone: Alone;
  /** As `alone`, but first asks the owner to release the run, and waits for the release or for the signal. */
  readonly takeOver: Alone;
  /**
   * Releases the run at another kernel's request. A run that is being opened here stays; the other kernel repeats its
   * request.
   */
  handOver(run_id: string): Promise<void>;
  /** Releases the claim on the run. */
  free(run_id: string): void;
  /** As `free`, unless an act of `alone` needs the claim. */
  release(run_id: string): void;
  /** Runs that other kernels write. */
  others(): Promise<ReadonlySet<string>>;
  /** True if any kernel writes the run, this kernel included. */
  isWritten(run_id: string): Promise<boolean>;
}

export function makeOwnership(
  ports: Pick<Ports, 'claim' | 'held'>,
  loops: Map<string, RunLoop>,
  peers: Pick<Peers, 'broadcast'> | undefined,
): Ownership {
  const mine = new Map<string, ReleaseClaim>();
  const busy = new Set<string>();

  /** A finished run stays in `loops` so that its result can still be read; it does not count as active. */
  const isDriven = (run_id: string): boolean => loops.get(run_id)?.isFinal === false;

  const alone: Alone = async (run_id, act, signal) => {
    if (busy.has(run_id) || isDriven(run_id)) return refuse('run_open', { run_id });
    busy.add(run_id);
    try {
      const release = mine.get(run_id) ?? (await ports.claim(run_id, signal));
      if (release === undefined) return refuse('run_open', { run_id });
      mine.set(run_id, release);
      return await act();
    } finally {
      busy.delete(run_id);
      if (!isDriven(run_id)) free(run_id);
    }
  };

  function free(run_id: string): void {
    mine.get(run_id)?.();
    mine.delete(run_id);
  }

  async function handOver(run_id: string): Promise<void> {
    const loop = loops.get(run_id);
    if (loop === undefined || busy.has(run_id)) return;
    await loop.handOver();
    if (loops.get(run_id) !== loop) return;
    loops.delete(run_id);
    free(run_id);
  }

  const held = async () => (await ports.held?.()) ?? new Set<string>();

  return {
    alone,
    takeOver: async (run_id, act, signal) => {
      await orAborted(handOver(run_id), signal);
      const ask = (): void => peers?.broadcast({ type: 'asked', run_id });
      ask();
      const again = setInterval(ask, LOOK_MS);
      return alone(run_id, act, signal).finally(() => clearInterval(again));
    },
    handOver,
    free,
    release: (run_id) => {
      // `alone` releases the claim itself at its end
      if (!busy.has(run_id)) free(run_id);
    },
    others: async () => new Set([...(await held())].filter((run_id) => !mine.has(run_id))),
    isWritten: async (run_id) => mine.has(run_id) || (await held()).has(run_id),
  };
}
