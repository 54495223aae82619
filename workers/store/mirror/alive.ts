import { ORIGIN } from '../origin.ts';

const lockOf = (name: string): string => `sallyport:alive:${name}`;

/** Presence of a kernel among the kernels that have this ledger open. */
export interface Seat {
  /** Announces an erasure, so that the other kernels check their copies. */
  tell(): void;
  leave(): void;
}

/** Callbacks for the messages of the other kernels. */
export interface Heard {
  /** Content was erased. */
  less(): void;
  /** Another kernel has joined, and is counted. */
  here(): void;
}

/**
 * Announces that this kernel has the ledger open, until it leaves or dies. Meanwhile `events` gets the messages of the
 * other kernels.
 */
export function enter(name: string, heard: Heard): Seat {
  const channel = ORIGIN.BroadcastChannel && new ORIGIN.BroadcastChannel(lockOf(name));
  if (channel !== undefined)
    channel.onmessage = ({ data }: MessageEvent<keyof Heard>) => heard[data === 'here' ? 'here' : 'less']();
  let stand: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => {
    stand = resolve;
  });
  const sit = (): Promise<void> => {
    channel?.postMessage('here');
    return inside;
  };
  ORIGIN.locks?.request(lockOf(name), { mode: 'shared' }, sit).catch(() => undefined);
  return {
    tell: () => channel?.postMessage('less'),
    leave() {
      channel?.close();
      stand();
    },
  };
}

/** Number of kernels of this origin that have the ledger open, including this kernel. */
export async function kernelsOn(name: string): Promise<number> {
  const { held = [] } = (await ORIGIN.locks?.query()) ?? {};
  return held.filter((lock) => lock.name === lockOf(name)).length;
}
