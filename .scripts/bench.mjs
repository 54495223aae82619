// `npm run bench [section ...]`: the tables of `test/bench/`, in Node and in a worker of Chromium with a profile on disk.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { cpus, loadavg, tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright';
import { build, runnerImport } from 'vite';
import { findBrowser } from './browsers.mjs';
import { ROOT } from './steps.mjs';

const FOLDER = join(ROOT, 'node_modules/.cache/sallyport/bench');
const WASM = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };

const arguments_ = process.argv.slice(2);
const only = ['node', 'chromium'].filter((engine) => arguments_.includes(`--${engine}`));
const wanted = arguments_.filter((argument) => !argument.startsWith('--'));

rmSync(FOLDER, { recursive: true, force: true });
const { LARGE, runSections, SECTIONS, tableOf } = await buildForNode();
if (only.length === 0 || only.includes('node')) await inNode();
if (only.length === 0 || only.includes('chromium')) await inChromium();
console.log('\nEvery pair is best / median of interleaved rounds. A goal is met by both, or by the best alone.');

async function inNode() {
  headline(`Node ${process.versions.node}, V8 ${process.versions.v8}`);
  /** @type {unknown[]} */
  const rows = [];
  const report = (/** @type {unknown[]} */ section) => rows.push(...section);
  await runSections(SECTIONS, wanted, new Uint8Array(readFileSync(WASM)), report);
  console.log(tableOf(rows));
}

async function inChromium() {
  const found = findBrowser('chromium');
  if (found === undefined) return console.log('\nChromium was not found: only Node was measured.');
  await buildForWorker();
  const server = await serve();
  const profile = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  // An off-the-record context would keep its storage in memory, and the durable steps would be durable in name only.
  const context = await chromium.launchPersistentContext(profile, { headless: true, ...found });
  try {
    headline(`Chromium ${context.browser()?.version() ?? ''}, a dedicated worker, profile on disk`);
    /** @type {unknown[]} */
    const rows = [];
    const memory = await watchMemory(context);
    for (const names of inPages()) {
      memory.enter(names);
      rows.push(...(await rowsOfPage(context, server.address, names)));
    }
    console.log(tableOf(rows));
    if (wanted.includes('large')) console.log(`\n${memory.end()}`);
  } finally {
    await context.close();
    server.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** What is measured in one page; the large corpus is opened in one after the other, as by a person who comes back. */
function inPages() {
  const others = wanted.filter((name) => name !== 'large');
  const large = wanted.includes('large') ? LARGE.map((/** @type {string} */ part) => [part]) : [];
  return others.length > 0 || wanted.length === 0 ? [others, ...large] : large;
}

/** The most that a process of pages holds for itself meanwhile, where the system tells.
 * @param {import('playwright').BrowserContext} context */
async function watchMemory(context) {
  const session = await context.browser()?.newBrowserCDPSession();
  /** @type {Map<string, number>} */
  const most = new Map();
  let phase = '';
  const look = async () => {
    const { processInfo = [] } = (await session?.send('SystemInfo.getProcessInfo')) ?? {};
    const held = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateMb(id));
    most.set(phase, Math.max(most.get(phase) ?? 0, ...held));
  };
  // nobody waits for it, whatever becomes of the browser
  const timer = setInterval(() => void look().catch(() => undefined), 250).unref();
  return {
    enter: (/** @type {readonly string[]} */ names) => {
      phase = names.join(', ');
    },
    end: () => {
      clearInterval(timer);
      if (Math.max(...most.values()) === 0) return 'This system does not tell what a process holds.';
      const said = LARGE.map((/** @type {string} */ part) => `${part} ${most.get(part)?.toFixed(0)} MB`);
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

/** @param {import('playwright').BrowserContext} context @param {string} address @param {readonly string[]} names */
async function rowsOfPage(context, address, names) {
  const page = await context.newPage();
  /** @type {unknown[]} */
  const rows = [];
  await page.exposeFunction('report', (/** @type {unknown[]} */ section) => rows.push(...section));
  await page.goto(address);
  await page.evaluate(
    (wanted) => /** @type {any} */ (globalThis).measure(wanted, /** @type {any} */ (globalThis).report),
    names,
  );
  await page.close();
  return rows;
}

/** @param {string} engine */
function headline(engine) {
  const [core] = cpus();
  const load = loadavg()[0]?.toFixed(1);
  console.log(`\n${engine}; ${cpus().length} cores, ${core?.model.trim()}; load ${load}\n`);
}

async function buildForNode() {
  /** @type {{module: typeof import('./vite/thread.ts')}} */
  const { module } = await runnerImport(join(ROOT, '.scripts/vite/thread.ts'));
  const plugins = [module.thread(FOLDER)];
  await bundle('node', { plugins, ssr: { external: true }, build: { ssr: true, target: 'node20' } });
  return import(pathToFileURL(join(FOLDER, 'node.js')).href);
}

/** The page, the worker that measures, and the sandboxes that it may ask the page for. */
async function buildForWorker() {
  const conditions = ['worker', 'browser', 'module', 'import', 'default'];
  const config = { resolve: { conditions }, build: { target: 'es2024', assetsInlineLimit: 0, modulePreload: false } };
  for (const entry of ['page', 'worker']) await bundle(entry, config);
  await bundle('sandbox', config, 'workers/sandbox/worker.ts');
}

/** @param {string} name @param {import('vite').InlineConfig} config */
async function bundle(name, config, entry = `test/bench/${name}.ts`) {
  await build({
    ...config,
    configFile: false,
    root: ROOT,
    base: './',
    publicDir: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      ...config.build,
      outDir: FOLDER,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: {
        input: { [name]: join(ROOT, entry) },
        output: { codeSplitting: false, entryFileNames: '[name].js', assetFileNames: '[name][extname]' },
        preserveEntrySignatures: 'strict',
      },
    },
  });
}

/** Isolated, so that the clock is fine enough for a single step. */
async function serve() {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
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
