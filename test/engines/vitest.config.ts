import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { script } from '../../.scripts/vite/script.ts';
import { thread } from '../../.scripts/vite/thread.ts';
import { onEngine } from './on-engine.ts';
import { QUICKJS_NG } from './quickjs-ng.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/sallyport');
const shared = { testTimeout: 360_000, hookTimeout: 120_000, isolate: false };
const setupFiles = ['test/seed.ts', 'test/setup/hash.ts'];

/** The part `engines` of `test:long`: programs in both engines, and suites of the product on the second engine. */
export default defineConfig({
  root: join(import.meta.dirname, '../..'),
  test: {
    projects: [
      {
        plugins: [thread(CACHE), script()],
        test: { ...shared, name: 'side by side', include: ['test/engines/side-by-side.engines.test.ts'], setupFiles },
      },
      {
        plugins: [onEngine(QUICKJS_NG), thread(CACHE, [onEngine(QUICKJS_NG)]), script()],
        test: {
          ...shared,
          name: 'on quickjs-ng',
          include: [
            'test/engines/old-runs.engines.test.ts',
            'test/core/vectors.test.ts',
            'test/core/schema/realm.test.ts',
            'test/runtime/{,content/}vectors.node.test.ts',
            'test/sandbox/{built-in-powers,call,damaged,globals,image,limits,park,powers,settlement}.test.ts',
            'test/sandbox/capabilities/*.test.ts',
          ],
          setupFiles: [...setupFiles, 'test/engines/setup.ts'],
        },
      },
    ],
  },
});
