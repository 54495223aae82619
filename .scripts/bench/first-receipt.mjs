// The wait for a first receipt: from the start of a process in Node, from the navigation in a page.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright';
import { findBrowser } from '../browsers.mjs';
import { serveCompressed } from './serve-tree.mjs';

/** @typedef {import('./outside.mjs').Outside} Outside */
/** @typedef {import('../../test/bench/table.ts').Row} Row */

/** Fast 3G as the developer tools of Chromium have it. */
const FAST_3G = { offline: false, latency: 562.5, downloadThroughput: 188_743, uploadThroughput: 86_400 };
/** Throttles of a page. The factor slows its main thread; workers keep the speed of the machine. */
const THROTTLES = [
  { name: 'unthrottled', rate: 1 },
  { name: '4 times CPU', rate: 4 },
  { name: 'Fast 3G', rate: 1, network: FAST_3G },
  { name: '4 times CPU and Fast 3G', rate: 4, network: FAST_3G, goalUs: 4.5e6 },
];
const ROUNDS = 3;

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function startInNode({ bench: { race, rowsOf }, trees: { now, before } }) {
  const sides = [now, ...(before === undefined ? [] : [before])].map(({ name, home }) => ({
    name,
    sample: () => processUs([ENTRY, pathToFileURL(join(home, 'dist/node.js')).href]),
  }));
  const bare = {
    name: 'a bare process of Node',
    sample: () => processUs(['--eval', 'console.log(performance.now())']),
  };
  return rowsOf('first receipt of a new process of Node', await race([...sides, bare], 2 * ROUNDS));
}

const ENTRY = fileURLToPath(new URL('first-receipt-entry.mjs', import.meta.url));

/** @param {readonly string[]} args for Node, which prints the ms since its start */
function processUs(args) {
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' })) * 1000;
}

/** @param {Outside} outside @returns {Promise<Row[]>} */
export async function startInPage({ bench, trees: { now, before }, signal }) {
  const sides = [now, ...(before === undefined ? [] : [before])];
  const servers = await Promise.all(sides.map(serveCompressed));
  try {
    /** @type {Row[]} */
    const rows = [];
    for (const throttle of THROTTLES) rows.push(...(await throttled(bench, sides, servers, throttle, signal)));
    return rows;
  } finally {
    for (const server of servers) await server.close();
  }
}

/** @typedef {Awaited<ReturnType<typeof serveCompressed>>} Served */

/** @param {Outside['bench']} bench @param {readonly {name: string}[]} sides @param {readonly Served[]} servers
 * @param {typeof THROTTLES[number]} throttle @param {AbortSignal} signal @returns {Promise<Row[]>} */
async function throttled({ timesOf, median }, sides, servers, throttle, signal) {
  const visits = sides.map(() => ({ cold: /** @type {number[]} */ ([]), warm: /** @type {number[]} */ ([]) }));
  /** @type {number[]} MB that the server of the first side had sent when the first receipt of a cold visit was there */
  const sentMb = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, server] of servers.entries()) {
      const { cold, warm, bytes } = await visitTwice(server, throttle, signal);
      if (at === 0) sentMb.push(bytes / 1e6);
      visits[at]?.cold.push(cold);
      visits[at]?.warm.push(warm);
    }
  }
  const rows = /** @type {const} */ (['cold', 'warm']).map((how) => {
    const [ours = [], theirs] = visits.map((visit) => visit[how].map((ms) => ms * 1000));
    const times = timesOf(ours);
    /** @type {Row} */
    const row = { what: `first receipt of the playground, ${how}, ${throttle.name}`, against: '', ours: times };
    const goal = how === 'cold' && throttle.goalUs !== undefined ? { goal: { us: throttle.goalUs } } : {};
    if (theirs === undefined) return { ...row, ...goal };
    const [other, paired] = [timesOf(theirs), theirs.map((us, round) => (ours[round] ?? Number.NaN) / us)];
    const ratio = { best: times.best / other.best, median: median(paired) };
    return { ...row, against: String(sides[1]?.name), theirs: other, ratio, ...goal };
  });
  // the bytes are the same at each speed
  if (throttle.goalUs === undefined) return rows;
  const what = 'bytes before the first receipt of the playground, cold';
  return [...rows, { what, against: '', ours: timesOf(sentMb), unit: 'MB' }];
}

/** A visit with a fresh profile, and another with what it left; each in ms. `bytes` were sent during the first.
 * @param {Served} server @param {typeof THROTTLES[number]} throttle @param {AbortSignal} signal */
async function visitTwice({ address, sent }, throttle, signal) {
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-visit-'));
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  // A service worker would answer the second visit, and its requests are not throttled with those of the page.
  const options = /** @type {const} */ ({ headless: true, serviceWorkers: 'block', ...signals });
  const context = await chromium.launchPersistentContext(profile, { ...options, ...findBrowser('chromium') });
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    const before = sent();
    const cold = await visit(context, address, throttle);
    const bytes = sent() - before;
    return { cold, bytes, warm: await visit(context, address, throttle) };
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Opens the playground, asks for a step as soon as it can be asked for, and waits for the receipt.
 * @param {import('playwright').BrowserContext} context @param {string} address
 * @param {typeof THROTTLES[number]} throttle @returns {Promise<number>} ms */
async function visit(context, address, { rate, network }) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  if (network !== undefined) await session.send('Network.emulateNetworkConditions', network);
  const start = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  const until = (/** @type {(kind?: string) => boolean} */ seen, /** @type {string} */ kind = '') =>
    page.waitForFunction(seen, kind, { polling: 16, timeout: 180_000 });
  // Two records stand there when a run waits for its first step.
  await until(listed);
  await page.keyboard.press('s');
  await until(listed, 'receipt');
  const ms = performance.now() - start;
  await page.close();
  return ms;
}

/** In the page: whether the timeline lists two records, or a record of this kind. */
function listed(kind = '') {
  const timeline = /** @type {any} */ (document.querySelector('sp-app'))?.renderRoot?.querySelector('sp-timeline');
  const rows = [...(timeline?.renderRoot?.querySelectorAll('.row') ?? [])];
  if (kind === '') return rows.length >= 2;
  return rows.some((row) => new RegExp(`^\\s*\\d+\\s*${kind}`).test(row.textContent));
}
