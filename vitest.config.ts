import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { FIREFOX_CONTEXT, findBrowser } from './.scripts/browsers.mjs';
import { lock } from './.scripts/vite/lock.ts';
import { script } from './.scripts/vite/script.ts';
import { thread } from './.scripts/vite/thread.ts';
import { LongestFirst } from './test/setup/order.ts';

const CACHE = join(import.meta.dirname, 'node_modules/.cache/sallyport');

const NODE_ONLY = 'test/**/*.node.test.ts';

/**
 * The rules of the port, in TypeScript that asks nothing of its surroundings. Node and Chromium have one engine, V8, so
 * they run in Node and in Firefox; what hangs on the sandbox, hashes, texts, storage or workers runs in all three.
 */
const ABOUT_RULES = [
  'test/core/{capability,content,run,telemetry}/**',
  'test/core/schema/{both,duplicate,embed,lint}.test.ts',
];

/** Found late, a dependency makes Vite reload the page under a running test. */
const PREBUNDLED = [
  '@jitl/quickjs-wasmfile-release-sync',
  '@noble/ed25519',
  '@noble/hashes/_md.js',
  '@noble/hashes/sha2.js',
  '@noble/hashes/utils.js',
  'comlink',
  'diff',
  'fast-check',
  'idb',
  'lit',
  'quickjs-emscripten-core',
];

const chromium = findBrowser('chromium');
const firefox = findBrowser('firefox');

/** Made anew for each project: Vitest writes names into them. */
function inChromium() {
  if (chromium === undefined) return [];
  // a test can have what others have left behind collected
  const launchOptions = { ...chromium, args: [...(chromium.args ?? []), '--js-flags=--expose-gc'] };
  const exclude = [NODE_ONLY, ...ABOUT_RULES];
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
 * `*.test.ts` runs in Node and in every browser, but the rules of the port not in Chromium; `*.node.test.ts` runs in Node
 * only, `*.browser.test.ts` in browsers only.
 */
export default defineConfig({
  plugins: [lock(), thread(CACHE), script()],
  optimizeDeps: { include: PREBUNDLED },
  test: {
    // Ends what hangs; how fast a thing is, is for the benchmarks to say.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 15_000 } },
    setupFiles: ['test/seed.ts'],
    sequence: { sequencer: LongestFirst },
    env: { SALLYPORT_SEED: process.env.SALLYPORT_SEED ?? '' },
    projects: [
      // Many of them wait for threads and processes of their own: on two cores, two at a time are twice as fast.
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.browser.test.ts'],
          maxWorkers: availableParallelism(),
          // A process for many files: the engine is compiled and the modules are loaded once for each.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/**/*.test.ts'],
          exclude: [NODE_ONLY],
          // Two pages for all files of an engine: each has databases and workers of its own, and takes nothing from another.
          isolate: false,
          maxWorkers: 2,
          browser: { ...browser, instances: [...inChromium(), ...inFirefox()] },
        },
      },
    ],
  },
});
