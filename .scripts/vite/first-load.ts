/** Facts of a module that the bundler gives to a name function. */
interface Modules {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

/**
 * Puts these modules, and each module that they import, into one chunk. The bundler would make a chunk of each set that
 * the page's entry shares with a part that is loaded later: sixteen requests, most of them for less than 3 KB.
 */
export function firstLoad(...entries: readonly string[]): (id: string, modules: Modules) => string | null {
  let found: ReadonlySet<string> | undefined;
  return (id, modules) => {
    found ??= importedBy(entries, modules);
    return found.has(id) ? 'index' : null;
  };
}

function importedBy(entries: readonly string[], modules: Modules): Set<string> {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    found.add(id);
    modules.getModuleInfo(id)?.importedIds.forEach(add);
  };
  entries.forEach(add);
  return found;
}
