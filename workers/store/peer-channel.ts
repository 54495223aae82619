import { isObject } from '../../core/json/value.ts';
import { ORIGIN } from './origin.ts';

/** Message between kernels on the same log: a run has grown, or a kernel asks to continue it. */
export interface Word {
  readonly type: 'grown' | 'asked';
  readonly run_id: string;
}

/**
 * The other kernels on the same log. A message can be lost, and any script of this origin can send it: no decision
 * rests on it.
 */
export interface Neighbours {
  tell(word: Word): void;
  hear(ear: (word: Word) => void): void;
  close(): void;
}

export function broadcast(name: string): Neighbours | undefined {
  if (ORIGIN.BroadcastChannel === undefined) return undefined;
  const channel = new ORIGIN.BroadcastChannel(name);
  return {
    tell: (word) => channel.postMessage(word),
    hear: (ear) => {
      channel.onmessage = ({ data }: MessageEvent<unknown>) => {
        const word = wordIn(data);
        if (word !== undefined) ear(word);
      };
    },
    close: () => channel.close(),
  };
}

/** A message may come from any script in this origin. */
function wordIn(data: unknown): Word | undefined {
  if (!isObject(data)) return undefined;
  const { type, run_id } = data;
  return (type === 'grown' || type === 'asked') && typeof run_id === 'string' ? { type, run_id } : undefined;
}

/** Makes peers within a process; each call is another peer. */
export function makeNeighbourhood(): () => Neighbours {
  const ears = new Set<(word: Word) => void>();
  return () => {
    let own: ((word: Word) => void) | undefined;
    return {
      tell: (word) => {
        for (const ear of ears) if (ear !== own) ear(word);
      },
      hear: (ear) => {
        own = ear;
        ears.add(ear);
      },
      close: () => void (own && ears.delete(own)),
    };
  };
}
