import { build, type Plugin } from 'vite';

/** Facts of a module that the bundler gives to a name function. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** A chunk of the first load, and the modules that it begins with. */
type FirstChunk = readonly [name: string, ...entries: string[]];

/** Name of the chunk of a module; null for a module of which this group says nothing. */
type ChunkName = (id: string, modules: Modules) => string | null;

/** The chunks of the first load, and a plugin that has to take part in the same build. */
interface FirstLoad {
  readonly plugin: Plugin;
  /** Groups of the bundler. Each chunk takes its modules with all that they import, the first chunk first. */
  readonly groups: { readonly name: ChunkName; readonly priority: number; readonly debugName: string }[];
}

/**
 * Puts these modules, and each module that they use, into one chunk; a module that several chunks use is in the first
 * of them. The bundler would make a chunk of each set that the page's entry shares with a part that is loaded later:
 * sixteen requests, most of them for less than 3 KB. Modules that they only import, by an index of which they use a
 * part, go into the chunk `later`, for the parts that are loaded later. The first load never waits for that chunk: the
 * bundler puts all that a chunk imports into it, too.
 */
export function firstLoad(later: string, ...chunks: readonly FirstChunk[]): FirstLoad {
  let used: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let chunkOf: ReadonlyMap<string, string> | undefined;
  const nameOf: ChunkName = (id, modules) => {
    chunkOf ??= chunksOf(later, chunks, used, modules);
    return chunkOf.get(id) ?? null;
  };
  return {
    plugin: {
      name: 'sallyport:first-load',
      apply: 'build',
      async buildStart() {
        chunkOf = undefined;
        used = new Map(await Promise.all(chunks.map(async ([name, ...own]) => [name, await usedBy(own)] as const)));
      },
    },
    groups: [...chunks.map(([name]) => name), later].map((name, place) => ({
      name: (...module) => (nameOf(...module) === name ? name : null),
      priority: chunks.length - place,
      debugName: name,
    })),
  };
}

function chunksOf(
  later: string,
  chunks: readonly FirstChunk[],
  used: ReadonlyMap<string, ReadonlySet<string>>,
  modules: Modules,
): Map<string, string> {
  const reached = new Set<string>();
  const reach = (id: string): void => {
    if (reached.has(id)) return;
    reached.add(id);
    modules.getModuleInfo(id)?.importedIds.forEach(reach);
  };
  for (const [, ...entries] of chunks) entries.forEach(reach);
  const firstOf = (id: string): string => chunks.find(([name]) => used.get(name)?.has(id) === true)?.[0] ?? later;
  return new Map([...reached].map((id) => [id, firstOf(id)]));
}

/** The modules of which a build of these entries alone has code, without the parts that they load later. */
async function usedBy(entries: readonly string[]): Promise<Set<string>> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    plugins: [withoutLaterParts()],
    build: {
      write: false,
      minify: false,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: [...entries], preserveEntrySignatures: 'strict' },
    },
  });
  const output = Array.isArray(result) || !('output' in result) ? [] : result.output;
  const modules = output.flatMap((chunk) => (chunk.type === 'chunk' ? Object.entries(chunk.modules) : []));
  return new Set(modules.flatMap(([id, { code }]) => (code === null || code === '' ? [] : [id])));
}

/** Leaves out dynamic imports, and workers, addresses and texts, whose imports have a query. */
function withoutLaterParts(): Plugin {
  return {
    name: 'sallyport:without-later-parts',
    enforce: 'pre',
    resolveId: (source) => (source.includes('?') ? { id: source, external: true } : null),
    resolveDynamicImport: (source) => ({ id: String(source), external: true }),
  };
}
