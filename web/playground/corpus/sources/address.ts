import { corpusView } from '../../../texts/en/corpus-view.ts';
import { PageError } from '../../parts/page-error.ts';
import type { Source } from './source.ts';

/**
 * Files below an address, by the list of their paths. The page fetches them; the page's policy decides which addresses
 * it can reach. Requests carry no cookies and no referrer.
 */
export function fromAddress(base: string, paths: readonly string[]): Source {
  const root = new URL(base.endsWith('/') ? base : `${base}/`, document.baseURI);
  const list = async () => paths.map((path) => ({ path, read: (signal: AbortSignal) => fetched(root, path, signal) }));
  return { name: root.href, list };
}

async function fetched(root: URL, path: string, signal: AbortSignal): Promise<Uint8Array> {
  const url = new URL(path.split('/').map(encodeURIComponent).join('/'), root);
  // `..` in a list must not lead anywhere else
  if (!url.href.startsWith(root.href)) throw new PageError(() => corpusView().sources.outside);
  const response = await fetch(url, { signal, credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' });
  if (!response.ok) throw new PageError(() => corpusView().sources.answered(response.status));
  return new Uint8Array(await response.arrayBuffer());
}
