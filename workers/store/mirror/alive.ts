import { ORIGIN } from '../origin.ts';

const lockOf = (name: string): string => `sallyport:alive:${name}`;

/** A kernel's place among those that have this ledger open. */
export interface Seat {
  /** Something was taken away: the others look after their copies. */
  tell(): void;
  leave(): void;
}

/** What the others tell. */
export interface Heard {
  /** Something was taken away. */
  less(): void;
  /** One more has come, and is counted. */
  here(): void;
}

/** Says that a kernel has this ledger open, until it leaves or dies; meanwhile it hears what the others tell. */
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

/** How many kernels of this origin have it open, this one among them. */
export async function kernelsOn(name: string): Promise<number> {
  const { held = [] } = (await ORIGIN.locks?.query()) ?? {};
  return held.filter((lock) => lock.name === lockOf(name)).length;
}
