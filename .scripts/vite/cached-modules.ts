import type { Plugin } from 'vite';
import 'vitest/config';

/**
 * Lets Vitest keep transformed modules on disk between runs (`experimental.fsModuleCache`), except bundles: the text of
 * `./thread.ts?thread` also depends on the imports of `thread.ts`, which the key of the cache does not cover.
 */
export function cachedModules(): Plugin {
  return {
    name: 'sallyport:cached-modules',
    configureVitest({ experimental_defineCacheKeyGenerator: define }) {
      define(({ id }) => (/\?(script|thread)$/.test(id) ? false : undefined));
    },
  };
}
