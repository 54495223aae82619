import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { FIREFOX_CONTEXT, findHeadless } from './.scripts/browsers.mjs';
import { bundledWorkers } from './.scripts/vite/bundled-workers.ts';
import { cachedModules } from './.scripts/vite/cached-modules.ts';
import { lock } from './.scripts/vite/lock.ts';
import { script } from './.scripts/vite/script.ts';
import { thread } from './.scripts/vite/thread.ts';
import { LongestFirst } from './test/setup/order.ts';
import { PREBUNDLED } from './test/setup/prebundled.ts';

const CACHE = join(import.meta.dirname, 'node_modules/.cache/sallyport');

const NODE_ONLY = ['test/**/*.node.test.ts', 'test/**/*.process.test.ts'];

/**
 * Tests of rules in plain TypeScript, which do not depend on a host. Node and Chromium share the engine V8, so these
 * tests run in Node and in Firefox. Tests of the sandbox, hashes, texts, storage, signatures or workers run in all
 * three; tests of the programs of the built-in capabilities ask what the programs answer, and not how they are isolated.
 */
const ABOUT_RULES = [
  'test/core/!(hash).test.ts',
  'test/core/{capability,content,json,protocol,run,telemetry}/**',
  'test/core/ledger/!(checkpoint).test.ts',
  'test/core/schema/!(admit|hostile|realm).test.ts',
  'test/core/schema/{import,relax}/**',
  'test/sandbox/capabilities/{corpus,errands,reckoning,tables,texts}.test.ts',
  // Its files are in memory; `durable-model.browser.test.ts` has the private files of each engine.
  'test/workers/store/mirror/file-log.test.ts',
];

/** True in `npm test`, which leaves the long tests to every other run. */
const IS_SHORT = process.env.SALLYPORT_CASES === 'quarter';

/** Long tests of memory, of slow inputs and of every flipped byte. */
const LONG = [
  'test/core/json/slow.node.test.ts',
  'test/core/replay/{flips,hungry}.node.test.ts',
  'test/runtime/finished-runs.node.test.ts',
  'test/sandbox/memory.node.test.ts',
  'test/workers/models/small/memory.node.test.ts',
];

/**
 * Tests that are long in Chromium. Those of the sandbox run in Node, which has the same engine V8. The suites of the
 * model and of retention run in Node over other stores.
 */
const LONG_IN_CHROMIUM = [
  'test/sandbox/hostile.test.ts',
  'test/core/schema/hostile.test.ts',
  'test/workers/store/mirror/durable-model.browser.test.ts',
];

const chromium = findHeadless('chromium');
const firefox = findHeadless('firefox');

/** Made anew for each project: Vitest writes names into them. */
function inChromium() {
  if (chromium === undefined) return [];
  // A test can run the garbage collector over the remains of other tests. WebMCP stands behind a flag.
  const flags = ['--js-flags=--expose-gc', '--enable-blink-features=WebMCP'];
  const launchOptions = { ...chromium, args: [...(chromium.args ?? []), ...flags] };
  const exclude = [...NODE_ONLY, ...ABOUT_RULES, ...(IS_SHORT ? LONG_IN_CHROMIUM : [])];
  return [{ browser: 'chromium' as const, provider: playwright({ launchOptions }), exclude }];
}
function inFirefox() {
  if (firefox === undefined) return [];
  return [
    {
      browser: 'firefox' as const,
      provider: playwright({ launchOptions: firefox, contextOptions: FIREFOX_CONTEXT }),
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
    setupFiles: ['test/seed.ts'],
    sequence: { sequencer: LongestFirst },
    env: { SALLYPORT_SEED: process.env.SALLYPORT_SEED ?? '', SALLYPORT_CASES: process.env.SALLYPORT_CASES ?? '' },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts', 'test/**/*.process.test.ts', ...(IS_SHORT ? LONG : [])],
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
