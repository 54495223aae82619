import { build, type Plugin } from 'vite';

/**
 * `import script from './main.ts?script'` yields the text of that module finished as a single classic script, for a
 * page without an address.
 */
export function script(): Plugin {
  return {
    name: 'sallyport:script',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith('?script')) return null;
      const found = await this.resolve(source.replace(/\?script$/, ''), importer);
      return found === null ? null : `${found.id}?script`;
    },
    async load(id) {
      if (!id.endsWith('?script')) return null;
      const { code, sources } = await buildScript(id.replace(/\?script$/, ''));
      for (const source of sources) this.addWatchFile(source);
      return `export default ${JSON.stringify(code)};`;
    },
  };
}

/** The text of a module with its imports, as a single classic script. */
export async function buildScript(entry: string): Promise<{ code: string; sources: string[] }> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    build: {
      write: false,
      target: 'es2022',
      modulePreload: { polyfill: false },
      rolldownOptions: { input: entry, output: { format: 'iife', codeSplitting: false } },
    },
  });
  const [chunk] = Array.isArray(result) || !('output' in result) ? [] : result.output;
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  // a module of the bundler itself is no file
  return { code: chunk.code.trim(), sources: chunk.moduleIds.filter((id) => !id.startsWith('\0')) };
}
