import type { ModelPort, ModelRequest } from '../../api.ts';

/** A person in the model's place: an interface shows the request and calls `send` with the typed text. */
export interface Person extends ModelPort {
  /** The request that waits for an answer; undefined when no request waits. */
  readonly waiting: ModelRequest | undefined;
  /** Answers the waiting request; false when no request waits. */
  send(text: string): boolean;
  watch(listener: (waiting: ModelRequest | undefined) => void): () => void;
}

export function fromPerson(id = 'person'): Person {
  let waiting: { readonly request: ModelRequest; readonly answer: (text: string) => void } | undefined;
  const listeners = new Set<(waiting: ModelRequest | undefined) => void>();
  const tell = (next: typeof waiting) => {
    waiting = next;
    for (const listener of listeners) listener(next?.request);
  };
  return {
    id,
    locality: { kind: 'local' },
    get waiting() {
      return waiting?.request;
    },
    propose: (request, { signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => {
          tell(undefined);
          reject(new DOMException('nobody answers any more', 'AbortError'));
        });
        tell({ request, answer: (text) => resolve({ text }) });
      }),
    send(text) {
      const open = waiting;
      if (open === undefined) return false;
      tell(undefined);
      open.answer(text);
      return true;
    },
    watch(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
