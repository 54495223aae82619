// Measures the sections of one engine, and hands each section's rows over when it is done.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { json } from 'node:stream/consumers';
import { chromium } from 'playwright';
import { commandOf, findBrowser, killGroup } from '../browsers.mjs';
import { buildForWorker, FOLDER } from './build.mjs';

/** @typedef {import('../long/types.ts').Work} Work */
/** @typedef {import('../../test/bench/table.ts').Row} Row */
/** @typedef {import('../bench.mjs').Part} Part */
/**
 * @typedef {typeof import('../../test/bench/table.ts') & typeof import('../../test/bench/race.ts') &
 *   typeof import('../../test/bench/results.ts') & {
 *   SECTIONS: unknown, LARGE: readonly string[], races: (wasm: Uint8Array) => Promise<readonly RaceOfCalls[]>,
 *   runSections: (sections: unknown, wanted: readonly string[], wasm: Uint8Array,
 *     report: (rows: readonly Row[], section: string) => void) => Promise<void>
 * }} Bench the bundle of `test/bench/node.ts`
 * @typedef {{contestants: readonly {name: string, call: () => string}[]}} RaceOfCalls
 * @typedef {{work: Work, bench: Bench, part: Part, headline: (version: string) => void,
 *   onSection: (rows: readonly Row[], section: string) => void}} Measuring
 */

/** @param {Measuring} measuring */
async function inNode({ work, bench, part, headline, onSection }) {
  headline(`Node ${process.versions.node}`);
  if (part.bundled.length === 0) return;
  await untilAborted(work.signal, bench.runSections(bench.SECTIONS, part.bundled, wasm(), onSection));
}

/** @param {Measuring} measuring */
async function inChromium({ work, bench, part, headline, onSection }) {
  const large = part.isLarge ? bench.LARGE : [];
  // The large corpus is opened in several pages in sequence, as by a returning visitor.
  const pages = [...(part.bundled.length > 0 ? [part.bundled] : []), ...large.map((name) => [name])];
  await measureInChromium({
    pages,
    large,
    signal: work.signal,
    headline,
    say: (text) => work.say(`\n${text}`),
    onSection: (rows, section) => onSection(rows, section.replace(/^large: .*/, 'large')),
  });
}

/** @param {Measuring} measuring */
async function inFirefox({ work, part, headline, onSection }) {
  await measureInFirefox({ names: part.bundled, signal: work.signal, headline, onSection });
}

/** @type {Readonly<Record<string, (measuring: Measuring) => Promise<void>>>} */
export const ENGINES = { node: inNode, chromium: inChromium, firefox: inFirefox };

/** Measures the built package, beside that of an older commit where one is named.
 * @param {Measuring} measuring @param {import('./outside.mjs').Outside['trees']} trees */
export async function measureOutside({ work, bench, part, onSection }, trees) {
  const { OUTSIDE } = await import('./outside.mjs');
  for (const { name, run } of OUTSIDE[part.engine] ?? []) {
    if (!part.outside.includes(name)) continue;
    const keep = (/** @type {readonly Row[]} */ rows) => onSection(rows, name);
    keep(await untilAborted(work.signal, run({ bench, trees, wasm: wasm(), signal: work.signal, keep })));
  }
}

function wasm() {
  return new Uint8Array(readFileSync(WASM));
}

/** Waits for work that cannot be stopped, and no longer than until it is interrupted.
 * @template T @param {AbortSignal} signal @param {Promise<T>} work @returns {Promise<T>} */
function untilAborted(signal, work) {
  const aborted = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return Promise.race([work, /** @type {Promise<never>} */ (aborted)]);
}

/** @typedef {(rows: Row[], section: string) => void} OnSection */

/** Measures in a worker of Chromium with a profile on disk, and resolves to the rows.
 * @param {{pages: readonly (readonly string[])[], large: readonly string[], signal: AbortSignal,
 *   headline: (engine: string) => void, say: (text: string) => void, onSection: OnSection}} work
 *   `pages` are the sections to measure, page after page; `large` names those whose memory is told
 * @returns {Promise<Row[]>} */
async function measureInChromium({ pages, large, signal, headline, say, onSection }) {
  await buildForWorker();
  const server = await serve();
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // An interruption ends the test, which then closes the browser.
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  // An off-the-record context would keep its storage in memory, and the durable steps would be durable in name only.
  const options = { headless: true, ...signals, ...findBrowser('chromium') };
  const context = await chromium.launchPersistentContext(profile, options);
  const close = () => void context.close().catch(() => undefined);
  signal.addEventListener('abort', close);
  try {
    signal.throwIfAborted();
    headline(`Chromium ${context.browser()?.version() ?? ''}`);
    /** @type {Row[]} */
    const rows = [];
    const memory = await watchMemory(context, large);
    for (const names of pages) {
      memory.enter(names);
      rows.push(...(await rowsOfPage(context, server.address, names, onSection)));
    }
    if (large.length > 0) say(memory.end());
    const peaks = peakRows(large, memory.mostIn);
    if (peaks.length > 0) onSection(peaks, 'large');
    return rows;
  } finally {
    signal.removeEventListener('abort', close);
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** Most memory of the page that rebuilds the corpus. @param {readonly string[]} large
 * @param {(part: string) => number} mostIn @returns {Row[]} */
function peakRows(large, mostIn) {
  const part = 'large: rebuilt';
  const mb = mostIn(part);
  if (!large.includes(part) || mb === 0) return [];
  const what = 'rebuild of a corpus of 100 MB, most memory of its page';
  return [{ what, against: '', ours: { best: mb, median: mb }, unit: 'MB', goal: { mb: 600 } }];
}

/** @param {import('playwright').BrowserContext} context @param {string} address @param {readonly string[]} names
 * @param {OnSection} onSection */
async function rowsOfPage(context, address, names, onSection) {
  const page = await context.newPage();
  /** @type {Row[]} */
  const rows = [];
  await page.exposeFunction('report', (/** @type {Row[]} */ own, /** @type {string} */ section) => {
    rows.push(...own);
    onSection(own, section);
  });
  await page.goto(address);
  await page.evaluate(
    (wanted) => /** @type {any} */ (globalThis).measure(wanted, /** @type {any} */ (globalThis).report),
    names,
  );
  await page.close();
  return rows;
}

/** The clock as fine as the engine has it: a step takes less than the grain of other pages. */
const PREFERENCES = [['privacy.reduceTimerPrecision', 'false']];

/** Measures in a worker of Firefox with a profile on disk.
 * @param {{names: readonly string[], signal: AbortSignal, headline: (engine: string) => void,
 *   onSection: (rows: Row[], section: string) => void}} work @returns {Promise<void>} */
async function measureInFirefox({ names, signal, headline, onSection }) {
  await buildForWorker();
  /** @type {(said: any) => void} */
  let hear = () => undefined;
  const server = await serve((said) => hear(said));
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const [path, args] = commandOf('firefox', PREFERENCES)(profile, `${server.address}#${names.join(',')}`);
  const browser = spawn(path, args, { stdio: 'ignore', detached: true });
  const ended = new Promise((resolve) => browser.once('exit', resolve));
  const die = () => killGroup(browser.pid);
  process.once('exit', die);
  try {
    await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      browser.once('error', reject);
      void ended.then(() => reject(new Error('Firefox ended.')));
      hear = ({ agent, rows, section, failed, done }) => {
        if (agent !== undefined) headline(`Firefox ${/Firefox\/(\S+)/.exec(agent)?.[1] ?? ''}`);
        if (rows !== undefined) onSection(rows, section);
        if (failed !== undefined) reject(new Error(failed));
        if (done === true) resolve(undefined);
      };
    });
  } finally {
    die();
    await ended;
    process.off('exit', die);
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

/** The most that a process of pages holds for itself meanwhile, where the system tells.
 * @param {import('playwright').BrowserContext} context @param {readonly string[]} parts that it tells of */
async function watchMemory(context, parts) {
  const session = await context.browser()?.newBrowserCDPSession();
  /** @type {Map<string, number>} */
  const most = new Map();
  let phase = '';
  const look = async () => {
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
    const held = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMb(id));
    most.set(phase, Math.max(most.get(phase) ?? 0, ...held));
  };
  // not awaited, even if the browser has ended
  const timer = setInterval(() => void look().catch(() => undefined), 250).unref();
  return {
    enter: (/** @type {readonly string[]} */ names) => {
      phase = names.join(', ');
    },
    /** The most MB in a part, 0 where the system does not tell. */
    mostIn: (/** @type {string} */ part) => most.get(part) ?? 0,
    end: () => {
      clearInterval(timer);
      if (Math.max(...most.values()) === 0) return 'This system does not tell what a process holds.';
      const said = parts.map((part) => `${part} ${most.get(part)?.toFixed(0)} MB`);
      return `The process of the page held for itself at most: ${said.join(', ')}.`;
    },
  };
}

/** @param {number} id of a process */
function privateMb(id) {
  try {
    const kb = readFileSync(`/proc/${id}/smaps_rollup`, 'utf8').matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm);
    return [...kb].reduce((sum, [, one]) => sum + Number(one), 0) / 1000;
  } catch {
    // another system, or a process that has ended
    return 0;
  }
}

const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** @param {import('node:http').IncomingMessage} request @param {(said: any) => void} hear */
async function hearOf(request, hear) {
  hear(await json(request));
}

/** Isolated, so that the clock is fine enough for a single step.
 * @param {(said: any) => void} [hear] gets the messages of a page that no driver listens to */
async function serve(hear = () => undefined) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST') {
      void hearOf(request, hear).finally(() => response.end());
      return;
    }
    response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (pathname === '/') {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>bench</title><script type="module" src="/page.js"></script>');
      return;
    }
    const file = pathname === '/quickjs.wasm' ? WASM : join(FOLDER, pathname);
    try {
      const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(file))] ?? 'application/octet-stream';
      response.setHeader('Content-Type', type).end(readFileSync(file));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return { address: `http://127.0.0.1:${address.port}/`, close: () => server.close() };
}
