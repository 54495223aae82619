import { html, type TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import { parts } from '../../texts/en/parts.ts';

const asked = new Map<string, Promise<TemplateResult>>();

/**
 * Placeholder inside an element until its code has loaded. The element draws over it. If the code cannot be loaded
 * (offline, before the first load), the text stays and says so.
 */
export function loading(name: string, load: () => Promise<unknown>): TemplateResult {
  const told =
    asked.get(name) ??
    reachable()
      .then(load)
      .then(() => html``, sorry(name));
  asked.set(name, told);
  return html`<p role="status">${until(told, isReachable() ? parts().loading : parts().neverLoaded)}</p>`;
}

/** Its service worker has every file. */
function isReachable(): boolean {
  return navigator.onLine || (navigator.serviceWorker?.controller ?? null) !== null;
}

async function reachable(): Promise<void> {
  if (!isReachable()) await new Promise((resolve) => addEventListener('online', resolve, { once: true }));
}

const sorry = (name: string) => (error: unknown) => {
  asked.delete(name);
  reportError(error);
  return html`${parts().notLoaded}`;
};
