import type { Signal } from '@preact/signals-core';
import { html, type TemplateResult } from 'lit';
import { until } from 'lit/directives/until.js';
import { isOlder, loadPart } from '../../../workers/load-part.ts';
import { sentenceOf } from '../../shared/error-text.ts';
import { parts } from '../../texts/en/parts.ts';
import { shell } from '../../texts/en/shell.ts';

const asked = new Map<string, Promise<TemplateResult>>();

/**
 * Placeholder inside an element until its code has loaded. The element draws over it. If the code cannot be loaded
 * (offline before the first load, or a deploy took it away), the text stays and says so.
 */
export function loading(name: string, load: () => Promise<unknown>): TemplateResult {
  const told =
    asked.get(name) ??
    reachable()
      .then(() => loadPart(load))
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
  if (!isOlder(error)) return html`${parts().notLoaded}`;
  return html`${parts().older} <button type="button" @click=${() => location.reload()}>${parts().reload}</button>`;
};

/** Loads the code of a dialog with its first use, and then acts. A failure is shown as `trouble`. */
export function late<T>(
  trouble: Signal<string | undefined>,
  load: () => Promise<T>,
  then?: (part: T) => Promise<void> | undefined,
): void {
  loadPart(load)
    .then(then)
    .catch((error: unknown) => {
      trouble.value = shell().dialogNotLoaded(sentenceOf(error));
    });
}
