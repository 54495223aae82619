/** Work that can be given up. A signal crosses no message port, so whoever asks for it names it by a ticket of theirs. */
export interface Tickets {
  /** Runs `act`; its signal is aborted when the ticket is given back. Without a ticket nobody can. */
  work<T>(ticket: string | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  giveUp(ticket: string): void;
}

export function makeTickets(): Tickets {
  const open = new Map<string, AbortController>();
  return {
    async work(ticket, act) {
      const controller = new AbortController();
      if (ticket !== undefined) open.set(ticket, controller);
      try {
        return await act(controller.signal);
      } finally {
        if (ticket !== undefined) open.delete(ticket);
      }
    },
    giveUp: (ticket) => open.get(ticket)?.abort(),
  };
}

/** The caller's side: what was given up rejects with the reason of the signal, as everything that takes one does. */
export async function untilAborted<T>(
  signal: AbortSignal | undefined,
  giveUp: (ticket: string) => unknown,
  act: (ticket: string) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const ticket = crypto.randomUUID();
  const abort = (): void => void giveUp(ticket);
  signal?.addEventListener('abort', abort);
  try {
    return await act(ticket);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
