import { effect } from '@preact/signals-core';
import type { Dialect } from '../../core/index.ts';
import type { Runtime } from '../../workers/api.ts';
import { openRuntime, type PageOptions } from '../index.ts';
import { sentenceOf } from '../shared/error-text.ts';
import { CORPUS, SYMBOLS } from './demo/corpus.ts';
import { bakery } from './demo/scenario.ts';
import { parseLink } from './link.ts';
import { openPlayground, type Playground } from './playground.ts';
import type { PlaygroundScenario } from './scenario.ts';
import { keepOffline } from './shell/offline.ts';
import { titleOf } from './shell/page-title.ts';
import './shell/app.ts';
import type { App } from './shell/app.ts';

/** Boots the playground: runtime, store, view. A run is loaded and paused; no step has run. */
async function boot(place: HTMLElement): Promise<void> {
  const inForm = (dialect: Dialect): PlaygroundScenario => ({ ...bakery(dialect), files: CORPUS, symbols: SYMBOLS });
  const messages = inForm('catalytic');
  // the grants of both scenarios, and the grants that only messages can use
  const runtime = await openLocked({
    capabilities: messages.capabilities,
    grants: messages.grants,
    onProgress: (share) => tellBoot(place, `Preparing the ledger of this device: ${Math.round(share * 100)} %`),
  });
  const store = openPlayground(runtime, [inForm('xct'), inForm('femtoclaw'), messages]);
  const link = parseLink(location.hash);
  // an unfinished run goes on; an empty run of an earlier visit is used again, so that empty runs do not pile up
  const begin = async (): Promise<void> => {
    if (store.session.peek() === undefined && !(await store.resumeRun())) store.startRun();
  };
  if (link.run === undefined) await begin();
  await store.follow(link);
  // the run that a link names may not be here
  await begin();
  // the answer may be a question to the person, or never come
  addEventListener('appinstalled', () => void runtime.storage.persist().catch(() => undefined));
  addEventListener('hashchange', () => void store.follow(parseLink(location.hash)));
  keepLink(store);
  addEventListener('dragover', keepPage);
  const app = document.createElement('sp-app') as App;
  app.store = store;
  place.replaceChildren(app);
}

/** Where the host omits the worker's headers, our service worker adds them, and the kernel is started again. */
async function openLocked(options: PageOptions): Promise<Runtime> {
  const runtime = await openRuntime(options);
  if (runtime.info.isolation !== 'unlocked') {
    // The service worker fetches the whole site, so it waits for the page and its first run.
    whenIdle(() => void keepOffline());
    return runtime;
  }
  if (!(await keepOffline())) return runtime;
  await runtime.close();
  return openRuntime(options);
}

/** Acts when the page has time, or after five seconds. Safari has no idle callbacks. */
function whenIdle(act: () => void): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: 5_000 });
  else setTimeout(act, 1_000);
}

/** The address and the title always name the open view. The address is replaced, so that Back leaves the page. */
function keepLink(store: Playground): void {
  effect(() => history.replaceState(null, '', `${location.pathname}${location.search}${store.link.value}`));
  effect(() => void (document.title = titleOf(store)));
}

/** Without this, the browser would open a dropped file in place of the page. */
function keepPage(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}

function refuseToStart(place: HTMLElement, error: unknown): void {
  reportError(error);
  place.querySelector('.late')?.remove();
  tellBoot(place, `Sallyport could not start. ${sentenceOf(error)}`);
}

function tellBoot(place: HTMLElement, text: string): void {
  const sentence = place.querySelector('[role=status]');
  if (sentence !== null) sentence.textContent = text;
}

const place = document.querySelector<HTMLElement>('#app');
if (place !== null) boot(place).catch((error: unknown) => refuseToStart(place, error));
