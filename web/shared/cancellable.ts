import { ModelError } from '../../core/index.ts';
import type { ModelPort } from '../../workers/api.ts';

/** A model whose request a person can cancel. */
interface CancellableModel {
  readonly port: ModelPort;
  /** Ends the request in flight, also of a model that does not listen. The run waits, and can ask again. */
  cancel(): void;
}

/** The same model; `told` hears when a request begins (true) and when it is over. */
export function cancellable(model: ModelPort, told?: (isAsked: boolean) => void): CancellableModel {
  let stop = new AbortController();
  return {
    cancel: () => stop.abort(),
    port: {
      ...model,
      async propose(request, io) {
        const own = new AbortController();
        stop = own;
        told?.(true);
        const signal = AbortSignal.any([io.signal, own.signal]);
        const ended = new Promise<never>((_, reject) => {
          const cancelled = new ModelError('A person cancelled the request to the model.', { retryable: true });
          const end = (): void => reject(own.signal.aborted ? cancelled : signal.reason);
          signal.addEventListener('abort', end, { once: true });
          if (signal.aborted) end();
        });
        const onText = (text: string): void => void (signal.aborted || io.onText?.(text));
        try {
          return await Promise.race([model.propose(request, { signal, onText }), ended]);
        } finally {
          if (stop === own) told?.(false);
        }
      },
    },
  };
}
