import type { Page } from '@playwright/test';
import type { Playground } from '../web/playground/playground.ts';
import { expect, solo as test } from './fixtures.ts';
import { open, receipts, step } from './open.ts';

/**
 * Stands in front of the code of a worker, in place of a program that has taken the worker over. To each port that the
 * page hands in, it sends every message that Comlink knows, and tells the page what came back.
 */
const TAKEN_OVER = `{
  const raw = (value) => ({ type: 'RAW', value });
  const page = 'document.title = globalThis.taken = "taken"; return fetch("/taken?" + document.title)';
  const poison = raw('by a worker');
  const attacks = [];
  for (const start of [[], ['spawn'], ['kill'], ['propose'], ['carryOut'], ['__proto__']]) {
    attacks.push(
      { type: 'GET', path: start },
      { type: 'ENDPOINT', path: start },
      { type: 'CONSTRUCT', path: start, argumentList: [raw(page)] },
      { type: 'CONSTRUCT', path: [...start, 'constructor'], argumentList: [raw(page)] },
      { type: 'CONSTRUCT', path: [...start, 'constructor', 'constructor'], argumentList: [raw(page)] },
      { type: 'APPLY', path: [...start, 'constructor'], argumentList: [raw(page)] },
      { type: 'APPLY', path: [...start, 'call'], argumentList: [raw(null), raw('taken')] },
      { type: 'APPLY', path: [...start, '__defineGetter__'], argumentList: [raw('taken'), poison] },
      { type: 'SET', path: [...start, 'taken'], value: poison },
      { type: 'SET', path: [...start, '__proto__', 'taken'], value: poison },
      { type: 'SET', path: [...start, '__proto__', '__proto__', 'taken'], value: poison },
      { type: 'SET', path: [...start, 'constructor', 'prototype', 'taken'], value: poison },
    );
  }
  let asked = 0;
  const listen = MessagePort.prototype.addEventListener;
  const ask = (port, message) => new Promise((resolve) => {
    const id = 'attack-' + ++asked;
    const hear = ({ data }) => {
      if (data?.id !== id) return;
      port.removeEventListener('message', hear);
      resolve(data);
    };
    listen.call(port, 'message', hear);
    port.start();
    port.postMessage({ id, ...message });
  });
  const attack = async (port) => {
    for (const message of attacks) {
      const answer = await ask(port, message);
      if (answer.name !== 'throw') self.postMessage({ given: JSON.stringify(message) });
      // Comlink gives what it has made as a port.
      if (answer.name === 'proxy') await ask(answer.value, { type: 'APPLY', path: [], argumentList: [] });
    }
    self.postMessage({ attacked: attacks.length });
  };
  // the first port of a call serves methods of the page
  const hearCall = ({ data, ports: [port] }) => data?.type === 'APPLY' && port && attack(port);
  self.addEventListener('message', hearCall);
  MessagePort.prototype.addEventListener = function (type, ...rest) {
    listen.call(this, type, hearCall);
    return listen.call(this, type, ...rest);
  };
}`;

interface Told {
  readonly given?: string;
  readonly attacked?: number;
}

/** Takes over the named workers, each served with its own headers, and collects what they tell. */
async function takeOver(page: Page, names: string): Promise<void> {
  await page.route(new RegExp(`worker-(${names})-.*\\.js$`), async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${TAKEN_OVER}\n${await response.text()}` });
  });
  await page.addInitScript(() => {
    const told: Told[] = [];
    const prototypes = [Object, Function, Array, Promise, MessagePort].map(({ prototype }) => prototype as object);
    const membersOf = () => prototypes.map((prototype) => Reflect.ownKeys(prototype).map(String));
    const Real = globalThis.Worker;
    globalThis.Worker = class extends Real {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        this.addEventListener('message', ({ data }: MessageEvent<Told>) => {
          if (data.given !== undefined || data.attacked !== undefined) told.push(data);
        });
      }
    };
    Object.assign(globalThis, { told, membersOf, before: membersOf() });
  });
}

interface TakenPage {
  readonly told: readonly Told[];
  readonly before: string[][];
  readonly taken?: string;
  membersOf(): string[][];
}

test('kernel and auditor whose code was replaced run nothing in a page without a policy of its own, and change no prototype', async ({
  page,
  app,
}) => {
  await takeOver(page, 'kernel|auditor');
  // the policy of the playground would stop text that becomes code
  await page.route(app.url, async (route) => {
    const response = await route.fetch();
    const { 'content-security-policy': _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });
  await open(page, app.url);
  await step(page);
  await expect(receipts(page)).toHaveCount(1);
  const report = await page.evaluate(async () => {
    const { store } = document.querySelector('sp-app') as unknown as { store: Playground };
    const [run] = await store.runtime.runs();
    return store.runtime.ledger.verify(run?.run_id ?? '');
  });
  expect(report.ok).toBe(true);
  const told = () => page.evaluate(() => (globalThis as unknown as TakenPage).told);
  // the page's own methods for kernel and auditor, and the model of the run
  await expect.poll(async () => (await told()).filter(({ attacked }) => attacked === 72).length).toBeGreaterThan(2);
  const after = await page.evaluate(() => {
    const { taken, membersOf, before } = globalThis as unknown as TakenPage;
    return { taken, members: membersOf(), before, inherited: Reflect.get({}, 'taken') as unknown };
  });
  expect((await told()).filter(({ given }) => given !== undefined)).toEqual([]);
  expect(after).toEqual({ taken: undefined, inherited: undefined, members: after.before, before: after.before });
  expect(await page.title()).not.toBe('taken');
  expect(app.requests.filter((request) => request.includes('/taken'))).toEqual([]);
});
