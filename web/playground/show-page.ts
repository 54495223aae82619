import { effect } from '@preact/signals-core';
import { labelDocument } from '../texts/language.ts';
import { formatLink, type PageLink, parseLink } from './link.ts';
import type { OpeningRuntime } from './opening-runtime.ts';
import { openPlayground, type Playground } from './playground.ts';
import type { PlaygroundScenario } from './scenario.ts';
import { titleOf } from './shell/page-title.ts';
import './shell/app.ts';
import type { App } from './shell/app.ts';

/**
 * Draws the page, and loads a run into it when the runtime is open. The run is paused; no step has run. Rejects as the
 * opening does.
 */
export async function showPage(
  place: HTMLElement,
  opening: OpeningRuntime,
  scenarios: readonly [PlaygroundScenario, ...PlaygroundScenario[]],
): Promise<void> {
  labelDocument(document.documentElement);
  const store = openPlayground(opening, scenarios);
  const address = watchAddress(store);
  const app = document.createElement('sp-app') as App;
  app.store = store;
  place.replaceChildren(app);
  addEventListener('dragover', keepPage);
  const runtime = await opening.opened;
  // a run sees the capabilities that were there when it began
  await store.ownFiles.begin();
  // the first run begins with the model, or goes on with it
  if (store.models.kind.peek() === 'server') await store.endpoint.restore();
  await followFirst(store, address);
  // the answer may be a question to the person, or never come
  addEventListener('appinstalled', () => void runtime.storage.persist().catch(() => undefined));
  keepLink(store);
}

/** The link that the address names. Until it is `isFollowed`, a change of the address turns to its view, and names its scenario. */
interface Address {
  link: PageLink;
  isFollowed: boolean;
}

function watchAddress(store: Playground): Address {
  const address: Address = { link: parseLink(location.hash), isFollowed: false };
  const turn = ({ view, scenario }: PageLink): void => {
    store.view.value = view;
    store.place.scenario.value = scenario;
  };
  turn(address.link);
  addEventListener('hashchange', () => {
    address.link = parseLink(location.hash);
    if (address.isFollowed) void store.follow(address.link);
    else turn(address.link);
  });
  return address;
}

/**
 * Follows the address, and follows it again where it changed meanwhile. An unfinished run goes on. An empty run of an
 * earlier visit is used again, so that empty runs do not pile up.
 */
async function followFirst(store: Playground, address: Address): Promise<void> {
  for (let link: PageLink | undefined; link !== address.link; ) {
    link = address.link;
    if (link.run === undefined) await store.openFirstRun();
    // the person may have gone to another view meanwhile
    if (link === address.link) await store.follow({ ...link, view: store.view.peek() });
    // the run that a link names may not be here
    await store.openFirstRun();
  }
  address.isFollowed = true;
}

/**
 * The address and the title always name the open view. The address is replaced, so that Back leaves the page; from one
 * place of Learn to another it is added, so that Back returns to the lesson.
 */
function keepLink(store: Playground): void {
  effect(() => {
    const link = store.link.value;
    const before = parseLink(location.hash);
    const isTurn = [before, parseLink(link)].every(({ view }) => view === 'learn') && formatLink(before) !== link;
    history[isTurn ? 'pushState' : 'replaceState'](null, '', `${location.pathname}${location.search}${link}`);
  });
  effect(() => void (document.title = titleOf(store)));
}

/** Without this, the browser would open a dropped file in place of the page. */
function keepPage(event: DragEvent): void {
  if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
