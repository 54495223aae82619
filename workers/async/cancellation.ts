/**
 * Cancellable work behind a message port. A signal cannot cross a port, so the caller names the work by a ticket of its
 * own.
 */
export interface Cancellation {
  /** Runs `act` with a signal that `giveUp(ticket)` aborts. Work without a ticket cannot be cancelled. */
  work<T>(ticket: string | undefined, act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  giveUp(ticket: string): void;
}

export function makeCancellation(): Cancellation {
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

/** The caller's side: runs `act` under a new ticket; after an abort it rejects with the signal's reason. */
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
