import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

/**
 * `import url from './sandbox/thread.ts?thread'` yields the URL of that module finished as a single plain file: a
 * worker thread of Node can load neither TypeScript nor imports that a bundler resolves. This form is for running from
 * source; the package ships the same file beside its entries.
 */
export function thread(cache: string, plugins: readonly Plugin[] = []): Plugin {
  return {
    name: 'sallyport:thread',
    enforce: 'pre',
    resolveId: threadId,
    async load(id) {
      if (!id.endsWith('?thread')) return null;
      const built = await buildThread(id.replace(/\?thread$/, ''), { folder: cache, hashed: true, plugins });
      for (const source of built.sources) this.addWatchFile(source);
      return `export default new URL(${JSON.stringify(pathToFileURL(built.file).href)});`;
    },
  };
}

/** Resolves only the file: the query is for `load`. */
export async function threadId(
  this: { resolve(source: string, importer?: string): Promise<{ id: string } | null> },
  source: string,
  importer: string | undefined,
): Promise<string | null> {
  if (!source.endsWith('?thread')) return null;
  const found = await this.resolve(source.replace(/\?thread$/, ''), importer);
  return found === null ? null : `${found.id}?thread`;
}

/** `workers/node/sandbox-thread.ts` is called `sandbox-thread`. */
export function threadName(file: string): string {
  return basename(file, '.ts');
}

/** Builds a thread's module as a single file. A hash in its name keeps simultaneous runs apart. */
export async function buildThread(
  entry: string,
  into: { readonly folder: string; readonly hashed?: boolean; readonly plugins?: readonly Plugin[] },
): Promise<{ file: string; sources: string[] }> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    plugins: [...(into.plugins ?? [])],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node20',
      outDir: into.folder,
      emptyOutDir: false,
      rolldownOptions: {
        input: { [threadName(entry)]: entry },
        output: { codeSplitting: false, entryFileNames: into.hashed === true ? '[name]-[hash].js' : '[name].js' },
      },
    },
  });
  const [chunk] = 'output' in result ? result.output : [];
  if (chunk === undefined) throw new Error(`${entry} was not built.`);
  return { file: join(into.folder, chunk.fileName), sources: chunk.moduleIds };
}
