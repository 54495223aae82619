import { type ReadonlySignal, signal } from '@preact/signals-core';
import { shell } from '../../texts/en/shell.ts';

/** Requests this page made since it was ready, as the browser itself counts them. */
export interface Traffic {
  readonly requests: ReadonlySignal<readonly string[]>;
  /** Counts a request that this page had made by a worker, which no observer of the page sees. */
  note(url: string): void;
}

/**
 * Starts counting when the runtime is open. Requests of the page's own start do not count, nor a repeated request for the same address (a
 * fresh sandbox loads the same file again). Every other request counts.
 */
export function watchTraffic(opened: Promise<unknown>): Traffic {
  const requests = signal<readonly string[]>([]);
  const add = (names: readonly string[]): void => {
    if (names.length > 0) requests.value = [...requests.value, ...names].slice(-1000);
  };
  const watch = (): void => {
    const ready = performance.now();
    const loaded = new Set(performance.getEntriesByType('resource').map((entry) => entry.name));
    const observer = new PerformanceObserver((list) => {
      const later = list.getEntries().filter((entry) => entry.startTime > ready && !loaded.has(entry.name));
      add(later.map((entry) => entry.name));
    });
    observer.observe({ type: 'resource' });
  };
  opened.then(watch, () => undefined);
  return { requests, note: (url) => add([url]) };
}

/** The result of an attempt to reach the network from the page. */
export interface NetworkAttempt {
  readonly name: string;
  readonly blocked: boolean;
  readonly evidence: string;
}

/**
 * Tries to send a request, on purpose, to a host name that cannot exist (RFC 6761): where the policy holds, the browser
 * refuses before any name lookup and reports the directive.
 */
export async function tryToLeave(): Promise<readonly NetworkAttempt[]> {
  return [
    await attempt(shell().trust.fetchAttempt, () => fetch('https://sallyport.invalid/leak', { mode: 'no-cors' })),
  ];
}

async function attempt(name: string, leave: () => Promise<unknown>): Promise<NetworkAttempt> {
  const violated = new Promise<string | undefined>((resolve) => {
    document.addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
    setTimeout(() => resolve(undefined), 1500);
  });
  const left = await leave().then(
    () => true,
    () => false,
  );
  const texts = shell().trust;
  const directive = left ? undefined : await violated;
  if (left) return { name, blocked: false, evidence: texts.sent };
  return directive === undefined
    ? { name, blocked: false, evidence: texts.noPolicy }
    : { name, blocked: true, evidence: texts.enforced(directive) };
}
