import type { JsonValue } from '../../core/json/value.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { Content } from '../api.ts';
import type { ContentService } from '../content/service.ts';

/** `rt.content` over the kernel's content service. */
export function contentClient(service: ContentService): Content {
  /** Code for large transfers loads with its first use, because most pages have no content. */
  const much = () => import('./content-upload.ts');
  return {
    add: async (files, options) => (await much()).uploadFiles(service, files, options),
    replace: async (files, options) => (await much()).uploadFiles(service, files, options, true),
    remove: async (paths) => unwrap(await service.remove([...paths])),
    overview: async () => unwrap(await service.overview()),
    files: async () => (await much()).allFiles(service),
    sections: async (path) => (await much()).sectionsOf(service, path),
    text: async (path) => unwrap(await service.text(path)),
    // Unknown members cross too: the kernel refuses them instead of ignoring them.
    define: async (symbol) => unwrap(await service.define({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => unwrap(await service.undefine(symbol_id)),
    symbols: async () => unwrap(await service.symbols()),
    exportSymbols: async () => unwrap(await service.exportSymbols()),
    importSymbols: async (text) => unwrap(await service.importSymbols(text)),
    expand: (ref, slice) => service.expand(ref, slice),
    search: async (query, most = 20) => unwrap(await service.search(query, most)),
    rebuild: async () => unwrap(await service.rebuild()),
    undo: async (run_id, step) => unwrap(await service.undo(run_id, step)),
  };
}
