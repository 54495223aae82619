import type { JsonValue } from '../../core/json/value.ts';
import type { Content } from '../api.ts';
import type { ContentDesk } from '../content/service.ts';
import type { Value } from '../kernel/api.ts';

/** `rt.content` over the kernel's content service. */
export function contentFace(desk: ContentDesk, value: Value): Content {
  /** Code for large transfers loads with its first use, because most pages have no content. */
  const much = () => import('./content-upload.ts');
  return {
    add: async (files, options) => (await much()).bring(desk, value, files, options),
    replace: async (files, options) => (await much()).bring(desk, value, files, options, true),
    remove: async (paths) => value(await desk.remove([...paths])),
    overview: async () => value(await desk.overview()),
    files: async () => (await much()).allFiles(desk, value),
    sections: async (path) => (await much()).sectionsOf(desk, value, path),
    text: async (path) => value(await desk.text(path)),
    // Unknown members cross too: the kernel refuses them instead of ignoring them.
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
