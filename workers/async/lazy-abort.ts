/** An abort whose signal is made when it is asked for: making one takes as long as hashing a record. */
export interface LazyAbort {
  readonly signal: AbortSignal;
  abort(): void;
}

export function lazyAbort(): LazyAbort {
  let signal: AbortSignal | undefined;
  let abort = (): void => void (signal = AbortSignal.abort());
  const begin = (): AbortSignal => {
    const controller = new AbortController();
    abort = () => controller.abort();
    return controller.signal;
  };
  return {
    get signal() {
      return (signal ??= begin());
    },
    abort: () => abort(),
  };
}
