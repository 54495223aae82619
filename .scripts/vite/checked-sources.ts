import { join } from 'node:path';
import { type Plugin, runnerImport } from 'vite';
import type * as Sources from './playground-sources.ts';

/**
 * Checks the sources of the playground's capabilities, and tells their keys to the kernel of this build, which then
 * registers them without a sandbox, on the first visit too. A source that the sandbox refuses ends the build.
 */
export function checkedSources(root: string): Plugin {
  return {
    name: 'sallyport:checked-sources',
    apply: 'build',
    async config() {
      const file = join(root, '.scripts/vite/playground-sources.ts');
      const { module } = await runnerImport<typeof Sources>(file, { configFile: false });
      return { define: { SALLYPORT_CHECKED_SOURCES: JSON.stringify(await module.playgroundSources()) } };
    },
  };
}
