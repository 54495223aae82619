export interface Trial {
  readonly file: string;
  readonly origin: string;
  readonly tag: string;
  readonly names: readonly string[];
  /** An exit without an outcome by then has `no answer`. */
  readonly patienceMs: number;
}

/** In a page: starts a worker of this file for each exit, and returns the outcomes. */
export async function tryInPage({ file, origin, tag, names, patienceMs }: Trial): Promise<Record<string, string>> {
  const policy = (self as unknown as TrustedTypesHost).trustedTypes?.createPolicy('sallyport', {
    createScriptURL: (url) => url,
  });
  // Firefox collects an unreferenced worker, although its answer is still awaited.
  const held: Worker[] = [];
  const tryOne = (name: string) =>
    new Promise<string>((resolve) => {
      const worker = new Worker(policy?.createScriptURL(file) ?? file, { type: 'module' });
      held.push(worker);
      // An imported module posts messages as the worker, and the kernel may do so, too: only this answer has an
      // outcome.
      worker.onmessage = ({ data }: MessageEvent<{ outcome: string } | number>) => {
        if (typeof data === 'object' && 'outcome' in data) resolve(data.outcome);
      };
      worker.onerror = (event) => resolve(`closed: ${event.message}`);
      setTimeout(resolve, patienceMs, 'no answer');
      worker.postMessage({ origin, tag, name });
    });
  const outcomes = await Promise.all(names.map(async (name) => [name, await tryOne(name)] as const));
  for (const worker of held) worker.terminate();
  return Object.fromEntries(outcomes);
}

interface TrustedTypesHost {
  readonly trustedTypes?: {
    createPolicy(
      name: string,
      rules: { createScriptURL(url: string): string },
    ): {
      createScriptURL(url: string): string;
    };
  };
}
