import type { JsonValue } from '../../core/json/value.ts';
import type { Content } from '../api.ts';
import type { ContentService } from '../content/service.ts';
import type { Value } from '../kernel/api.ts';

/** `rt.content` over the kernel's content service. */
export function contentClient(service: ContentService, value: Value): Content {
  /** Code for large transfers loads with its first use, because most pages have no content. */
  const much = () => import('./content-upload.ts');
  return {
    add: async (files, options) => (await much()).uploadFiles(service, value, files, options),
    replace: async (files, options) => (await much()).uploadFiles(service, value, files, options, true),
    remove: async (paths) => value(await service.remove([...paths])),
    overview: async () => value(await service.overview()),
    files: async () => (await much()).allFiles(service, value),
    sections: async (path) => (await much()).sectionsOf(service, value, path),
    text: async (path) => value(await service.text(path)),
    // Unknown members cross too: the kernel refuses them instead of ignoring them.
    define: async (symbol) => value(await service.define({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => value(await service.undefine(symbol_id)),
    symbols: async () => value(await service.symbols()),
    exportSymbols: async () => value(await service.exportSymbols()),
    importSymbols: async (text) => value(await service.importSymbols(text)),
    expand: (ref, slice) => service.expand(ref, slice),
    search: async (query, most = 20) => value(await service.search(query, most)),
    rebuild: async () => value(await service.rebuild()),
    undo: async (run_id, step) => value(await service.undo(run_id, step)),
  };
}
