// `node .scripts/bench-start.mjs`, after a build: the starts of the playground in Chromium with a profile on disk, as
// lines. A warm start is a later visit: the service worker has the files, and the browser has compiled them. A cold
// start is a first visit with a slow processor and network. The element is timed in such a visit of a strange page, which
// has nothing else, until its first gated call has a receipt. No time fails the command; measure on a quiet machine.
// `--against FOLDER` measures another build, the `dist` of another tree, in turns with this one.
// `--phases` also prints the parts of each start: its files, its workers and its calls of the kernel.
// `--rounds N` makes N later visits, and half as many first visits.
// `--results FILE` writes a file, from which the build makes the table of the documentation.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright';
import { preview, runnerImport } from 'vite';
import { commit, load, machine } from './bench/results.mjs';
import { findBrowser } from './browsers.mjs';
import { ROOT } from './steps.mjs';

const GOALS = { warm: 500, cold: 4000, element: 3000 };
const TITLES = {
  warm: 'a later visit, nothing slowed',
  cold: 'a first visit, 4 times slower CPU, Fast 3G',
  element: 'the element in a strange page, until its first receipt, 4 times slower CPU, Fast 3G',
};

/** A build that is measured.
 * @typedef {{name: string, url: string, strange: string, warm: Start[], cold: Start[], element: Start[],
 *   close: () => Promise<void>}} Side */

const withPhases = process.argv.includes('--phases');
const file = valueOf('--results', 'the path of a file');
const other = valueOf('--against', 'a folder with a build');
const rounds = Number(valueOf('--rounds', 'a number') ?? 7);

/** @param {string} option @param {string} wants */
function valueOf(option, wants) {
  const at = process.argv.indexOf(option);
  return at < 0 ? undefined : (process.argv[at + 1] ?? stop(`${option} takes ${wants}.`));
}

/** Serves a build. @param {string} name @param {string} folder @returns {Promise<Side>} */
async function serve(name, folder) {
  if (!existsSync(join(folder, 'index.html'))) stop(`${folder} has no build: npm run build makes one.`);
  const options = { port: 0, host: '127.0.0.1' };
  const server = await preview({ root: ROOT, logLevel: 'warn', build: { outDir: folder }, preview: options });
  const strange = await serveElement(folder);
  const close = async () => {
    await server.close();
    strange.close();
  };
  const url = String(server.resolvedUrls?.local[0]);
  return { name, url, strange: strange.url, warm: [], cold: [], element: [], close };
}

/** A page with the element and one capability, served by the command with the files of the package.
 * @param {string} folder */
async function serveElement(folder) {
  /** @type {{module: typeof import('../workers/node/command/site.ts')}} */
  const { module } = await runnerImport(join(ROOT, 'workers/node/command/site.ts'));
  const site = makeProfile();
  writeFileSync(join(site.path, 'index.html'), STRANGE_PAGE);
  writeFileSync(join(site.path, 'page.js'), STRANGE_SCRIPT);
  writeFileSync(join(site.path, 'scenario.json'), JSON.stringify(STRANGE_SCENARIO));
  const server = module.siteServer(await realpath(site.path), { path: '/sallyport/', folder: await realpath(folder) });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
    site.remove();
  };
  return { url: `http://127.0.0.1:${port}/`, close };
}

const STRANGE_PAGE = `<!doctype html><meta charset="utf-8" /><title>A strange page</title>
<script type="module" src="sallyport/element.js"></script>
<sallyport-run src="scenario.json" task="Add."></sallyport-run>
<script type="module" src="page.js"></script>`;
const STRANGE_SCRIPT = `await customElements.whenDefined('sallyport-run');
const element = document.querySelector('sallyport-run');
element.addEventListener('sallyport-record', ({ detail }) => {
  if (detail.kind === 'receipt') globalThis.receiptAt ??= performance.now();
});
await element.step();`;
const STRANGE_SCENARIO = {
  dialect: 'xct',
  capabilities: [
    {
      name: 'add',
      version: '1.0.0',
      description: 'Adds one.',
      effect: 'pure',
      args: { type: 'object', required: ['a'], additionalProperties: false, properties: { a: { type: 'integer' } } },
      source: 'export default ({ a }) => a + 1;',
    },
  ],
  grants: [{ capability: 'add', mode: 'allow' }],
  script: [{ next_step: { tool: 'add', arguments: { a: 1 }, goal: 'Add.' } }],
};

/** The sides take turns, so that each meets the same load of the machine. @param {readonly Side[]} sides */
async function measure(sides) {
  const visitors = [];
  for (const side of sides) visitors.push({ side, ...(await laterVisitor(side.url, withPhases)) });
  for (let round = 0; round < rounds; round++) for (const { side, start } of visitors) side.warm.push(await start());
  for (const { close } of visitors) await close();
  for (let round = 0; round < Math.floor(rounds / 2); round++)
    for (const side of sides) {
      side.cold.push(await firstVisit(side.url, withPhases));
      side.element.push(await firstVisit(side.strange, withPhases, timeOfReceipt));
    }
}

/** @param {Side} side */
function tell({ name, warm, cold, element }) {
  console.log(name);
  tellStarts(TITLES.warm, warm, GOALS.warm);
  tellStarts(TITLES.cold, cold, GOALS.cold);
  tellStarts(TITLES.element, element, GOALS.element);
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goal */
function tellStarts(what, starts, goal) {
  if (starts.length === 0) return;
  /** @param {'painted' | 'usable' | 'processor'} part */
  const middle = (part) => ms(median(starts.map((start) => start[part])));
  const best = Math.min(...starts.map((start) => start.usable));
  const shift = Math.max(...starts.map((start) => start.shift));
  const missed = median(starts.map((start) => start.usable)) > goal ? '  missed' : '';
  console.log(
    `${what.padEnd(44)} first paint ${middle('painted')}  usable ${middle('usable')}  best ${ms(best)}  goal ${ms(goal)}${missed}`,
  );
  console.log(`  processor ${middle('processor')}  layout shift ${shift.toFixed(3)}`);
  if (withPhases) for (const line of phaseLines(starts.map(({ phases }) => phases))) console.log(line);
}

/** @param {string} what @param {readonly Start[]} starts @param {number} goalMs
 * @returns {import('../test/bench/starts.ts').Starts} */
function asRow(what, starts, goalMs) {
  const [paintedMs, usableMs] = /** @type {const} */ (['painted', 'usable']).map((part) =>
    starts.map((start) => Math.round(start[part])),
  );
  return { what, goalMs, paintedMs: paintedMs ?? [], usableMs: usableMs ?? [] };
}

/** @param {string} path @param {import('../test/bench/starts.ts').Starts[]} starts */
async function write(path, starts) {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  /** @type {import('../test/bench/starts.ts').StartResults} */
  const results = {
    format: 'sallyport-start/1',
    date: new Date().toISOString().slice(0, 10),
    load: [before, load()],
    machine: machine(),
    versions: { Sallyport: `${version}${commit()}`, Chromium: await chromiumVersion() },
    starts,
  };
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** @param {string} fault
 * @returns {never} */
function stop(fault) {
  console.error(fault);
  process.exit(2);
}

/** Chromium compiles a script into its cache at a later visit, not at the first. */
const VISITS_BEFORE = 3;
/** The preset "Fast 3G" of Chromium's developer tools. */
const FAST_3G = {
  offline: false,
  latency: 562.5,
  downloadThroughput: (1.6e6 * 0.9) / 8,
  uploadThroughput: (750e3 * 0.9) / 8,
};

/** @typedef {import('playwright').BrowserContext} BrowserContext */
/** @typedef {import('playwright').Page} Page */
/** Ms from the navigation: until the first paint, and until a step can be made; the ms that all processes of the browser
 * took of a processor until then; the sum of all shifts of the layout; with `phases`, the parts of the start.
 * @typedef {{painted: number, usable: number, processor: number, shift: number, phases: Phase[]}} Start */

/** A page with a profile of its own, and what starts it.
 * @typedef {{start: () => Promise<Start>, close: () => Promise<void>}} Visitor */

/** A visitor for later visits: its browser was closed after the first visits, and has files and code of them.
 * @param {string} url @param {boolean} withPhases @returns {Promise<Visitor>} */
async function laterVisitor(url, withPhases) {
  const profile = makeProfile();
  const first = await open(profile.path, withPhases);
  for (let visit = 0; visit < VISITS_BEFORE; visit++) {
    await startOf(first.page, url, withPhases);
    await first.page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, {
      timeout: 120_000,
    });
  }
  await first.context.close();
  const { context, page } = await open(profile.path, withPhases);
  const close = async () => {
    await context.close();
    profile.remove();
  };
  return { start: () => startOf(page, url, withPhases), close };
}

/** A first visit with a slow processor and a slow network. The network of the page is slow; that of workers, which the
 * page makes later, may not be.
 * @param {string} url @param {boolean} withPhases @param {() => unknown} [isUsable] @returns {Promise<Start>} */
async function firstVisit(url, withPhases, isUsable) {
  const profile = makeProfile();
  const { context, page } = await open(profile.path, withPhases);
  try {
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', FAST_3G);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    return await startOf(page, url, withPhases, isUsable);
  } finally {
    await context.close();
    profile.remove();
  }
}

/** Version of the browser. */
async function chromiumVersion() {
  const browser = await chromium.launch({ headless: true, ...findBrowser('chromium') });
  const version = browser.version();
  await browser.close();
  return version;
}

function makeProfile() {
  const path = mkdtempSync(join(tmpdir(), 'sallyport-start-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** @param {string} profile @param {boolean} withPhases */
async function open(profile, withPhases) {
  const context = await chromium.launchPersistentContext(profile, { headless: true, ...findBrowser('chromium') });
  if (withPhases) await context.addInitScript(watchStart);
  const [page = await context.newPage()] = context.pages();
  return { context, page };
}

/** @param {Page} page @param {string} url @param {boolean} withPhases @param {() => unknown} isUsable
 * @returns {Promise<Start>} */
async function startOf(page, url, withPhases, isUsable = timeWhenUsable) {
  const before = await processorOf(page);
  await page.goto(url, { waitUntil: 'commit' });
  const waited = await page.waitForFunction(isUsable, undefined, { timeout: 120_000 });
  const processor = (await processorOf(page)) - before;
  const usable = Number(await waited.jsonValue());
  const { painted, shift } = await page.evaluate(paintOf);
  return { painted, usable, processor, shift, phases: withPhases ? await phasesOf(page) : [] };
}

/** The time of the page once a step can be made. Asked with each frame of the page: the driver itself looks for an
 * element at growing intervals, up to half a second, and would make a start late by as much. */
function timeWhenUsable() {
  const bar = document.querySelector('sp-app')?.shadowRoot?.querySelector('sp-runbar')?.shadowRoot;
  return bar?.querySelector('[aria-busy="false"]') ? performance.now() : undefined;
}

/** The time of the page at which its element had the receipt of its first call; the page asks for a step at once. */
function timeOfReceipt() {
  return /** @type {{receiptAt?: number}} */ (/** @type {unknown} */ (globalThis)).receiptAt;
}

function paintOf() {
  const painted = performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0;
  const observer = new PerformanceObserver(() => undefined);
  observer.observe({ type: 'layout-shift', buffered: true });
  /** @typedef {PerformanceEntry & {value: number}} Shift */
  const shifts = /** @type {Shift[]} */ (observer.takeRecords());
  return { painted, shift: shifts.reduce((sum, { value }) => sum + value, 0) };
}

/** Ms of a processor that all processes of the browser have taken.
 * @param {Page} page */
async function processorOf(page) {
  const browser = page.context().browser();
  if (browser === null) return 0;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1000, 0);
}

/** A part of a start. Times are ms from the navigation.
 * @typedef {{what: string, from: number, to: number, count: number}} Phase */

/** Watches a start from inside the page; a script of the page that runs before every other. It changes no behaviour. */
function watchStart() {
  /** @type {Map<string, Phase>} */
  const phases = new Map();
  Object.assign(globalThis, { startPhases: phases });
  /** @param {string} what @param {number} from @param {boolean} isNew */
  const end = (what, from, isNew = true) => {
    const to = performance.now();
    const known = phases.get(what);
    if (known === undefined) phases.set(what, { what, from, to, count: 1 });
    else if (isNew) Object.assign(known, { from: Math.min(known.from, from), to, count: known.count + 1 });
  };

  /** A worker's first message: the sandbox says that its script runs, the kernel answers `boot`. */
  globalThis.Worker = class extends Worker {
    /** @param {string | URL} url @param {WorkerOptions} [options] */
    constructor(url, options) {
      super(url, options);
      const from = performance.now();
      const what = `worker: ${options?.name ?? ''}`;
      this.addEventListener('message', () => end(what, from, false), { once: true });
    }
  };

  /** Calls without an answer, by port. @type {WeakMap<MessagePort, Map<string, {what: string, from: number}>>} */
  const asked = new WeakMap();
  /** @param {MessagePort} port */
  const askedAt = (port) => {
    const known = asked.get(port);
    if (known !== undefined) return known;
    /** @type {Map<string, {what: string, from: number}>} */
    const calls = new Map();
    asked.set(port, calls);
    port.addEventListener('message', ({ data }) => {
      const call = calls.get(data?.id);
      if (call !== undefined && calls.delete(data.id)) end(call.what, call.from);
    });
    return calls;
  };
  const { postMessage } = MessagePort.prototype;
  /** @param {any} message @param {any[]} rest @this {MessagePort} */
  MessagePort.prototype.postMessage = function (message, ...rest) {
    if (message?.type === 'APPLY')
      askedAt(this).set(message.id, { what: `kernel: ${message.path.join('.')}`, from: performance.now() });
    return Reflect.apply(postMessage, this, [message, ...rest]);
  };
}

/** The phases of a start that is over, in the order of their ends.
 * @param {import('playwright').Page} page
 * @returns {Promise<Phase[]>} */
function phasesOf(page) {
  return page.evaluate(() => {
    const { startPhases } = /** @type {{startPhases?: Map<string, Phase>}} */ (/** @type {unknown} */ (globalThis));
    const files = performance.getEntries().flatMap((entry) => {
      if (!(entry instanceof PerformanceResourceTiming)) return [];
      const name =
        new URL(entry.name).pathname
          .split('/')
          .at(-1)
          ?.replace(/-[\w-]{8}(?=\.)/, '') || 'document';
      return { what: `file: ${name}`, from: entry.startTime, to: entry.responseEnd, count: 1 };
    });
    const [paint] = performance.getEntriesByName('first-contentful-paint');
    const painted = { what: 'first paint', from: 0, to: paint?.startTime ?? 0, count: 1 };
    return [...files, painted, ...(startPhases?.values() ?? [])].sort((one, other) => one.to - other.to);
  });
}

/** The median of each phase over several starts, as lines. A phase that not every start has is left out.
 * @param {readonly (readonly Phase[])[]} starts
 * @returns {string[]} */
function phaseLines(starts) {
  const [first = []] = starts;
  const names = [...new Set(first.map(({ what }) => what))];
  const rows = names.flatMap((what) => {
    const same = starts.flatMap((phases) => phases.find((phase) => phase.what === what) ?? []);
    if (same.length < starts.length) return [];
    const [from, to] = [median(same.map((phase) => phase.from)), median(same.map((phase) => phase.to))];
    return { what, from, to, count: same[0]?.count ?? 1 };
  });
  return rows
    .sort((one, other) => one.to - other.to)
    .map(({ what, from, to, count }) => {
      const name = count > 1 ? `${what} × ${count}` : what;
      return `  ${name.padEnd(44)} ${ms(from)} → ${ms(to)}  took ${ms(to - from)}`;
    });
}

/** @param {readonly number[]} numbers */
function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

/** @param {number} time */
function ms(time) {
  return `${Math.round(time).toString().padStart(5)} ms`;
}

const before = load();
const here = await serve('this build', join(ROOT, 'dist'));
const sides = other === undefined ? [here] : [here, await serve(other, resolve(other))];
try {
  await measure(sides);
  for (const side of sides) tell(side);
  if (file !== undefined) {
    const rows = /** @type {const} */ (['warm', 'cold', 'element']);
    await write(
      file,
      rows.map((row) => asRow(TITLES[row], here[row], GOALS[row])),
    );
  }
} finally {
  for (const { close } of sides) await close();
}
