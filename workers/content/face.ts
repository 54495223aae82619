import type { JsonValue, Section } from '../../core/index.ts';
import type { AddOptions, Content, ContentChange } from '../api.ts';
import type { Files, Value } from './bring.ts';
import type { ContentDesk } from './desk.ts';
import { parseSections } from './file.ts';
import { allPages } from './pages.ts';

/** `rt.content` over the kernel's desk. */
export function contentFace(desk: ContentDesk, value: Value): Content {
  /** What packs files is loaded with the first that are brought: most pages have none. */
  const add = async (files: Files, options: AddOptions = {}, whole = false): Promise<ContentChange> => {
    const { bring } = await import('./bring.ts');
    return bring(desk, value, files, options, whole);
  };
  const allSections = async (): Promise<readonly Section[]> =>
    (await allPages(async (cursor) => value(await desk.tables(cursor)))).flatMap(parseSections);
  return {
    add: (files, options) => add(files, options),
    replace: (files, options) => add(files, options, true),
    remove: async (paths) => value(await desk.remove([...paths])),
    overview: async () => value(await desk.overview()),
    files: async () => allPages(async (cursor) => value(await desk.files(cursor))),
    sections: async (path) => (path === undefined ? allSections() : parseSections(value(await desk.sections(path)))),
    text: async (path) => value(await desk.text(path)),
    // what else a row carries crosses too: it is refused there, not dropped here
    define: async (symbol) => value(await desk.define({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => value(await desk.undefine(symbol_id)),
    symbols: async () => value(await desk.symbols()),
    exportSymbols: async () => value(await desk.exportSymbols()),
    importSymbols: async (text) => value(await desk.importSymbols(text)),
    expand: (ref, slice) => desk.expand(ref, slice),
    search: async (query, most = 20) => value(await desk.search(query, most)),
    rebuild: async () => value(await desk.rebuild()),
    undo: async (run_id, step) => value(await desk.undo(run_id, step)),
  };
}
