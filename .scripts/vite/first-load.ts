/** Facts of a module that the bundler gives to a name function. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/** A chunk of the first load, and the modules that it begins with. */
export type FirstChunk = readonly [name: string, ...entries: string[]];

/**
 * Puts these modules, and each module that they import, into one chunk; a module that several chunks import is in the
 * first of them. The bundler would make a chunk of each set that the page's entry shares with a part that is loaded
 * later: sixteen requests, most of them for less than 3 KB.
 */
export function firstLoad(...chunks: readonly FirstChunk[]): (id: string, modules: Modules) => string | null {
  let chunkOf: ReadonlyMap<string, string> | undefined;
  return (id, modules) => {
    chunkOf ??= chunksOf(chunks, modules);
    return chunkOf.get(id) ?? null;
  };
}

function chunksOf(chunks: readonly FirstChunk[], modules: Modules): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, ...entries] of chunks) {
    const add = (id: string): void => {
      if (found.has(id)) return;
      found.set(id, name);
      modules.getModuleInfo(id)?.importedIds.forEach(add);
    };
    entries.forEach(add);
  }
  return found;
}
