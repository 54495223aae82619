import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { drawsFrames, noteReplaced } from './frames.ts';
import { ready } from './ready.ts';
import type { App } from './site.ts';

/**
 * A booted playground, shared by the tests of a worker that need no page of their own: booting takes longer than most
 * of them.
 */
export interface Desk {
  readonly app: App;
  /**
   * The page with a fresh run at rest, as a first visit shows it. The first call boots it, and so does a call that finds
   * a page without frames.
   */
  begin(options: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export const DESK_SIZE = { width: 1280, height: 720 } as const;

export function openDesk(browser: Browser, app: App): Desk {
  let page: Page | undefined;
  const boot = async (options: BrowserContextOptions): Promise<Page> => {
    const context = await browser.newContext({ ...options, serviceWorkers: 'block', viewport: DESK_SIZE });
    const booted = await context.newPage();
    await booted.goto(app.url);
    await ready(booted);
    await booted.evaluate(noteFirst);
    return booted;
  };
  return {
    app,
    begin: async (options) => {
      if (page === undefined) return (page = await boot(options));
      await page.bringToFront();
      await page.setViewportSize(DESK_SIZE);
      await page.evaluate(renew);
      if (await drawsFrames(page)) return page;
      noteReplaced(page);
      await page.context().close();
      return (page = await boot(options));
    },
    close: async () => page?.context().close(),
  };
}

interface Cell {
  value: unknown;
}

/** State that the page is put back to. */
interface First {
  readonly store: Playground;
  readonly cells: readonly (readonly [Cell, unknown])[];
  readonly grants: readonly string[];
}

/** In the page: notes each signal of the store with its value, and the grants that are there. */
async function noteFirst(): Promise<void> {
  const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
  const isCell = (each: unknown): each is Cell => {
    if (typeof each !== 'object' || each === null) return false;
    return Object.getOwnPropertyDescriptor(Object.getPrototypeOf(each), 'value')?.set !== undefined;
  };
  const own = ['session', 'status', 'scenario', 'scenarios', 'runs', 'runtime'];
  const parts = Object.entries(store).filter(([name, part]) => !own.includes(name) && typeof part === 'object');
  const members = parts.flatMap(([, part]) => (isCell(part) ? [part] : Object.values(part as object).filter(isCell)));
  const cells = members.map((cell) => [cell, cell.value] as const);
  const grants = (await store.runtime.grants.list()).map(({ id }) => id);
  Object.assign(globalThis, { deskFirst: { store, cells, grants } satisfies First });
}

/** In the page: removes the remains of the test before, and starts a run under a newly drawn view. */
async function renew(): Promise<void> {
  const { store, cells, grants } = (globalThis as unknown as { deskFirst: First }).deskFirst;
  const { catalogue, corpus, runtime } = store;
  const left = store.session.value?.run;
  if (left !== undefined && left.view.end === undefined) await left.abort();
  // The page hears of the end a moment later, and chooses no dialect before.
  const isOver = () => left === undefined || store.session.value?.view.value?.end !== undefined;
  while (!isOver()) await new Promise((turn) => setTimeout(turn, 5));
  store.endpoint.disconnect();
  store.audit.close();
  for (const { id } of await runtime.grants.list()) if (!grants.includes(id)) await catalogue.revoke(id);
  for (const { name, host } of await runtime.capabilities.list())
    if (host !== undefined) await runtime.tools.remove(name);
  for (const name of catalogue.added.value.keys()) await catalogue.remove(name);
  if ((await runtime.content.files()).length > 0) await corpus.clear();
  for (const { symbol_id } of await runtime.content.symbols()) await corpus.undefine(symbol_id);
  store.edits.hold({});
  store.edits.settle();
  for (const [cell, value] of cells) if (cell.value !== value) cell.value = value;
  localStorage.clear();
  // Other tabs hear of a cleared storage by this event; the page reads its prices again.
  dispatchEvent(new StorageEvent('storage'));
  if (store.scenario !== store.scenarios[0]) store.speak('xct');
  else store.startRun();
  const old = document.querySelector('sp-app');
  const dialogs = ['sp-endpoint', 'sp-keep'].map((name) => old?.shadowRoot?.querySelector(name)?.shadowRoot);
  for (const root of dialogs) root?.querySelector('dialog')?.close();
  const fresh = Object.assign(document.createElement('sp-app'), { store });
  old?.replaceWith(fresh);
  // A run is at rest when the ledger has its configuration and its task.
  while ((store.session.value?.records.value.length ?? 0) < 2) await new Promise((turn) => setTimeout(turn, 5));
}
