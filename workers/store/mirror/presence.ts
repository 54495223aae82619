import { openChannel } from '../channel.ts';
import { ORIGIN } from '../origin.ts';

const lockOf = (name: string): string => `sallyport:alive:${name}`;

/** Presence of a kernel among the kernels that have this ledger open. */
export interface Presence {
  /** Tells the other kernels to check their copies, because content was erased. */
  announceErasure(): void;
  leave(): void;
}

/** Callbacks for the messages of the other kernels. */
export interface PresenceEvents {
  /** Content was erased. */
  onErased(): void;
  /** Another kernel has joined, and is counted. */
  onJoined(): void;
}

/**
 * Announces that this kernel has the ledger open, until it leaves or dies. Meanwhile `events` gets the messages of the
 * other kernels.
 */
export function joinLedger(name: string, events: PresenceEvents): Presence {
  const channel = openChannel(lockOf(name));
  channel?.onMessage((data) => (data === 'here' ? events.onJoined() : events.onErased()));
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = (): Promise<void> => {
    channel?.send('here');
    return released;
  };
  ORIGIN.locks?.request(lockOf(name), { mode: 'shared' }, hold).catch(() => undefined);
  return {
    announceErasure: () => channel?.send('less'),
    leave() {
      channel?.close();
      release();
    },
  };
}

/** Number of kernels of this origin that have the ledger open, including this kernel. */
export async function kernelsOn(name: string): Promise<number> {
  const { held = [] } = (await ORIGIN.locks?.query()) ?? {};
  return held.filter((lock) => lock.name === lockOf(name)).length;
}

/** Time in which a browser ends the kernel of a page that was left. */
const LEAVING_MS = 2_000;

/** True where no other kernel has the ledger open, or the last one leaves soon: a reloaded page may still be ending. */
export async function isAloneSoon(name: string): Promise<boolean> {
  const due = performance.now() + LEAVING_MS;
  while ((await kernelsOn(name)) > 1) {
    if (performance.now() > due) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}
