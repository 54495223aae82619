import { createSocket } from 'node:dgram';
import { type Browser, chromium } from '@playwright/test';
import { findHeadless } from '../.scripts/browsers.mjs';
import { UDP_EXIT_NAMES } from './exits.ts';
import { expect, test } from './fixtures.ts';
import { type Probe, startProbe } from './probe.ts';
import { tryInPage } from './try.ts';

let probe: Probe;
test.beforeAll(async () => {
  probe = await startProbe();
});
test.afterAll(() => probe.close());

/** A Chromium with QUIC. Other tests start it without QUIC, where the absence of packets would be no proof. */
async function withQuic(browserName: string, browser: Browser): Promise<Browser> {
  const found = findHeadless('chromium');
  if (browserName !== 'chromium' || found === undefined) return browser;
  return chromium.launch({ ...found, args: (found.args ?? []).filter((arg) => arg !== '--disable-quic') });
}

/** Number of packets that a new socket receives while a worker of this file tries each UDP exit. */
async function packetsFrom(browser: Browser, file: string, contextOptions: object): Promise<number> {
  const socket = createSocket('udp4');
  let packets = 0;
  socket.on('message', () => packets++);
  await new Promise<void>((bound) => socket.bind(0, '127.0.0.1', bound));
  const page = await browser.newPage(contextOptions);
  await page.goto(`${probe.origin}/`);
  const origin = `http://127.0.0.1:${socket.address().port}`;
  await page.evaluate(tryInPage, { file, origin, tag: 'udp', names: UDP_EXIT_NAMES, patienceMs: 3000 });
  await page.waitForTimeout(500);
  await page.close();
  socket.close();
  return packets;
}

test('WebTransport sends packets from an unlocked worker, and no packet from a locked worker', async ({
  browser: given,
  browserName,
  contextOptions,
}) => {
  const browser = await withQuic(browserName, given);
  expect(await packetsFrom(browser, '/open-exits.js', contextOptions)).toBeGreaterThan(0);
  const names = ['exits', 'kernel', 'sandbox', 'auditor', 'small', 'model-gguf'];
  const packets = names.map((name) => packetsFrom(browser, `/worker-${name}.js`, contextOptions));
  expect(await Promise.all(packets)).toEqual(names.map(() => 0));
  if (browser !== given) await browser.close();
});
