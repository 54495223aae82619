import { openChannel } from '../channel.ts';
import { ORIGIN } from '../origin.ts';

const lockOf = (name: string): string => `sallyport:alive:${name}`;

/** Presence of a kernel among the kernels that have this ledger open. */
export interface Presence {
  /**
   * Tells the other kernels to check their copies, because content was erased. Resolves to true once each of them has
   * answered that it has done so, and to false where one has not within two seconds: a frozen tab, for example.
   */
  announceErasure(): Promise<boolean>;
  leave(): void;
}

/** Callbacks for the messages of the other kernels. */
interface PresenceEvents {
  /** Content was erased. The kernel that has erased it waits for the end of this. */
  onErased(): Promise<void>;
  /** Another kernel has joined, and is counted. */
  onJoined(): void;
}

/** An erasure and its answer, by the id of the erasure. */
interface Message {
  readonly erased: string;
  readonly swept: string;
}

/** Time in which a kernel that is not frozen answers. */
const ANSWER_MS = 2_000;

/**
 * Announces that this kernel has the ledger open, until it leaves or dies. Meanwhile `events` gets the messages of the
 * other kernels.
 */
export function joinLedger(name: string, events: PresenceEvents): Presence {
  const channel = openChannel(lockOf(name));
  const announced = new Map<string, () => void>();
  channel?.onMessage((data) => {
    if (data === 'here') return events.onJoined();
    const { erased, swept } = Object(data) as Partial<Message>;
    if (typeof swept === 'string') announced.get(swept)?.();
    if (typeof erased !== 'string') return;
    events.onErased().then(
      () => channel.send({ swept: erased }),
      () => undefined,
    );
  });
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
    async announceErasure() {
      const id = crypto.randomUUID();
      const others = (await kernelsOn(name)) - 1;
      channel?.send({ erased: id });
      let left = others;
      return new Promise<boolean>((resolve) => {
        const end = (isDone: boolean): void => {
          announced.delete(id);
          clearTimeout(late);
          resolve(isDone);
        };
        const late = setTimeout(() => end(false), ANSWER_MS);
        announced.set(id, () => {
          if (--left === 0) end(true);
        });
        if (left <= 0) end(true);
      });
    },
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
