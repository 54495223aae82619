import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { FIREFOX_CONTEXT, findHeadless } from './.scripts/browsers.mjs';
import { bundledWorkers, cachedModules } from './.scripts/vite/bundled-workers.ts';
import { lock } from './.scripts/vite/lock.ts';
import { script } from './.scripts/vite/script.ts';
import { thread } from './.scripts/vite/thread.ts';
import { LongestFirst } from './test/setup/order.ts';
import { PREBUNDLED } from './test/setup/prebundled.ts';

const CACHE = join(import.meta.dirname, 'node_modules/.cache/sallyport');

/** The part `engines` of `test:long` has a configuration of its own. */
const OF_ENGINES = 'test/**/*.engines.test.ts';

const NODE_ONLY = ['test/**/*.node.test.ts', 'test/**/*.process.test.ts', OF_ENGINES];

/**
 * Tests of rules in plain TypeScript, which do not depend on a host. Node and Chromium share the engine V8, so these
 * tests run in Node, and in Firefox in `test:long`. Tests of the sandbox, hashes, texts, storage, signatures or workers
 * run in all three; tests of the programs of the built-in capabilities ask what the programs answer, and not how they
 * are isolated.
 */
const ABOUT_RULES = [
  'test/core/!(hash).test.ts',
  'test/core/{capability,content,json,protocol,run,telemetry}/**',
  'test/core/ledger/!(checkpoint).test.ts',
  'test/core/schema/!(admit|hostile|realm).test.ts',
  'test/core/schema/{import,relax}/**',
  'test/sandbox/capabilities/{corpus,errands,reckoning,tables,texts}.test.ts',
  // Its files are in memory; `durable-model.browser.test.ts` has the private files of each engine.
  'test/workers/store/page/file-log.test.ts',
];

/** True in `npm test`, which leaves to `test:long` what is long, and in browsers what no browser can make false. */
const IS_SHORT = process.env.SALLYPORT_CASES === 'quarter';

/** Long tests of memory, of slow inputs and of every flipped byte. */
const LONG = [
  'test/core/json/slow.node.test.ts',
  'test/core/replay/{flips,hungry}.node.test.ts',
  'test/runtime/finished-runs.node.test.ts',
  'test/sandbox/memory.node.test.ts',
  'test/workers/bridges/models/small/memory.node.test.ts',
  // `npm test` adds them where a change touches the release.
  ...(process.env.SALLYPORT_RELEASE === 'touched' ? [] : ['test/release/release.node.test.ts']),
];

/**
 * Tests of rules whose outcome the engine of a language may change: numbers, sorting, regular expressions, words, the
 * engine of the sandbox. Chromium has the engine of Node.
 */
const OF_THE_LANGUAGE = [
  'test/core/{hash,vectors}.test.ts',
  'test/core/json/*.test.ts',
  'test/core/schema/{both,lint,predicate,realm}.test.ts',
  'test/core/text/*.test.ts',
  'test/core/ledger/checkpoint.test.ts',
  'test/sandbox/{call,determinism,globals,image,limits,park}.test.ts',
  'test/workers/auditor/hash/*.test.ts',
  'test/workers/bridges/models/completion.test.ts',
  'test/workers/bridges/models/small/small-model.test.ts',
];

/** Tests of what a browser brings along: words, streams, requests, workers, stores, files. */
const OF_THE_PLATFORM = [
  'test/web/{door-request,docs-rank}.test.ts',
  'test/web/texts/*.test.ts',
  'test/web/playground/corpus/sources/*.test.ts',
  'test/web/playground/{audit,parts,send}/{packed-text,run-link,tampering}.test.ts',
  'test/workers/lock/headers.test.ts',
  'test/workers/bridges/mcp/wire/fetch.test.ts',
  'test/workers/bridges/models/sse.test.ts',
];

/** Tests that are long in a browser; the suite of the model runs in Node over other stores. */
const LONG_IN_BROWSERS = ['test/workers/store/page/durable-model.browser.test.ts'];

/** What a browser can make false. */
const IN_SHORT = {
  chromium: ['test/**/*.browser.test.ts', ...OF_THE_PLATFORM],
  firefox: [
    'test/workers/{store,sandbox,kernel/content,auditor}/**/*.browser.test.ts',
    'test/web/{engine,page,door}.browser.test.ts',
    ...OF_THE_PLATFORM,
    ...OF_THE_LANGUAGE,
  ],
};

const chromium = findHeadless('chromium');
const firefox = findHeadless('firefox');

/** Made anew for each project: Vitest writes names into them. */
function inChromium() {
  if (chromium === undefined) return [];
  // A test can run the garbage collector over the remains of other tests. WebMCP stands behind a flag.
  const flags = ['--js-flags=--expose-gc', '--enable-blink-features=WebMCP'];
  const launchOptions = { ...chromium, args: [...(chromium.args ?? []), ...flags] };
  const files = IS_SHORT
    ? { include: IN_SHORT.chromium, exclude: [...NODE_ONLY, ...LONG_IN_BROWSERS] }
    : { exclude: [...NODE_ONLY, ...ABOUT_RULES] };
  return [{ browser: 'chromium' as const, provider: playwright({ launchOptions }), ...files }];
}
function inFirefox() {
  if (firefox === undefined) return [];
  return [
    {
      browser: 'firefox' as const,
      provider: playwright({ launchOptions: firefox, contextOptions: FIREFOX_CONTEXT }),
      ...(IS_SHORT ? { include: IN_SHORT.firefox, exclude: [...NODE_ONLY, ...LONG_IN_BROWSERS] } : {}),
    },
  ];
}
const browser = { enabled: true, headless: true, screenshotFailures: false };

/**
 * `*.test.ts` runs in Node and in every browser, except `ABOUT_RULES`, which does not run in Chromium. `*.node.test.ts`
 * runs in Node only, `*.browser.test.ts` in browsers only. `*.process.test.ts` runs in Node and starts whole programs.
 */
export default defineConfig({
  plugins: [lock(), bundledWorkers(import.meta.dirname), thread(CACHE), script(), cachedModules()],
  optimizeDeps: { include: PREBUNDLED },
  // Firefox counts an origin as an agent cluster of its own, which WebMCP demands, only where a header says so.
  server: { headers: { 'origin-agent-cluster': '?1' } },
  test: {
    // Ends tests that hang. Benchmarks measure speed.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    experimental: { fsModuleCache: true, fsModuleCachePath: join(CACHE, 'modules') },
    // Vitest reads it here alone, for all projects. A loaded machine may take long to open a page.
    browser: { connectTimeout: 300_000 },
    setupFiles: ['test/seed.ts'],
    sequence: { sequencer: LongestFirst },
    env: { SALLYPORT_SEED: process.env.SALLYPORT_SEED ?? '', SALLYPORT_CASES: process.env.SALLYPORT_CASES ?? '' },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts', 'test/**/*.process.test.ts', OF_ENGINES, ...(IS_SHORT ? LONG : [])],
          setupFiles: ['test/setup/hash.ts'],
          // With one more worker than cores, the tests took the same time and a sixth more of the processor.
          maxWorkers: availableParallelism(),
          // One process for many files: it compiles the engine and loads the modules once.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['test/**/*.process.test.ts'],
          setupFiles: ['test/setup/hash.ts'],
          // As in `node`: the two projects share their workers.
          maxWorkers: availableParallelism(),
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/**/*.test.ts'],
          exclude: NODE_ONLY,
          // Three pages for all files of an engine, each with its own databases and workers: many tests wait, so that two
          // pages leave a processor idle.
          isolate: false,
          maxWorkers: 3,
          browser: { ...browser, instances: [...inChromium(), ...inFirefox()] },
        },
      },
    ],
  },
});
