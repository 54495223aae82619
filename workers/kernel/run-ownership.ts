import { refuse } from '../../core/errors.ts';
import type { Outcome } from '../../core/outcome.ts';
import { orAborted } from '../async/deferred.ts';
import type { Ports } from '../ports.ts';
import type { RunLoop } from '../run/run-loop.ts';
import type { Neighbours } from '../store/peer-channel.ts';
import type { Release } from '../store/run-claims.ts';

/**
 * A word that a run has grown may be lost, an owner that was asked may not have heard, and one that dies says nothing: so
 * often it is tried again.
 */
export const LOOK_MS = 2_000;

/** Does what only the one writer of a run may do. `run_open` where there is another one, or it is driven here. */
export type Alone = <T>(run_id: string, act: () => Promise<Outcome<T>>, signal?: AbortSignal) => Promise<Outcome<T>>;

/** Which runs this kernel writes, how it comes by them, and how it lets them go. */
export interface Ownership {
  readonly alone: Alone;
  /** As `alone`, once whoever has the run has let it go: asks for that, and waits for it or for the signal. */
  readonly takeOver: Alone;
  /** Somebody wants the run. One that is just being taken up here stays: whoever asks asks again. */
  letGo(run_id: string): Promise<void>;
  /** Whoever wants the run may have it. */
  free(run_id: string): void;
  /** Runs that other kernels write. */
  others(): Promise<ReadonlySet<string>>;
  /** True if any kernel has the run, this one or another. */
  isWritten(run_id: string): Promise<boolean>;
}

export function makeOwnership(
  ports: Pick<Ports, 'claim' | 'held'>,
  loops: Map<string, RunLoop>,
  neighbours: Pick<Neighbours, 'tell'> | undefined,
): Ownership {
  const mine = new Map<string, Release>();
  const busy = new Set<string>();

  /** One that has ended for good is kept for those who ask what it came to. */
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

  async function letGo(run_id: string): Promise<void> {
    const loop = loops.get(run_id);
    if (loop === undefined || busy.has(run_id)) return;
    await loop.letGo();
    if (loops.get(run_id) !== loop) return;
    loops.delete(run_id);
    free(run_id);
  }

  const held = async () => (await ports.held?.()) ?? new Set<string>();

  return {
    alone,
    takeOver: async (run_id, act, signal) => {
      await orAborted(letGo(run_id), signal);
      const ask = (): void => neighbours?.tell({ type: 'asked', run_id });
      ask();
      const again = setInterval(ask, LOOK_MS);
      return alone(run_id, act, signal).finally(() => clearInterval(again));
    },
    letGo,
    free,
    others: async () => new Set([...(await held())].filter((run_id) => !mine.has(run_id))),
    isWritten: async (run_id) => mine.has(run_id) || (await held()).has(run_id),
  };
}
