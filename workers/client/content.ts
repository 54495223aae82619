import type { JsonValue } from '../../core/json/value.ts';
import { demand, LIST } from '../../core/option.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { Content } from '../api.ts';
import type { ContentService } from '../kernel/content/service.ts';
import { loadPart } from '../load-part.ts';

/** `rt.content` over the kernel's content service. */
export function contentClient(service: ContentService): Content {
  /** Code for large transfers loads with its first use, because most pages have no content. */
  const much = () => loadPart(() => import('./content-upload.ts'));
  return {
    add: async (files, options) => (await much()).uploadFiles(service, files, options),
    replace: async (files, options) => (await much()).uploadFiles(service, files, options, true),
    remove: async (paths) => {
      // a text is a list of its letters, and none of them is a path
      demand('paths', paths, LIST);
      return unwrap(await service.removeFiles([...paths]));
    },
    overview: async () => unwrap(await service.contentOverview()),
    files: async () => (await much()).allFiles(service),
    sections: async (path) => (await much()).sectionsOf(service, path),
    text: async (path) => unwrap(await service.fileText(path)),
    // Unknown members cross too: the kernel refuses them instead of ignoring them.
    define: async (symbol) => unwrap(await service.defineSymbol({ ...symbol } as unknown as JsonValue)),
    undefine: async (symbol_id) => unwrap(await service.undefineSymbol(symbol_id)),
    symbols: async () => unwrap(await service.listSymbols()),
    exportSymbols: async () => unwrap(await service.exportSymbols()),
    importSymbols: async (text) => unwrap(await service.importSymbols(text)),
    expand: (ref, slice) => service.expandRef(ref, slice),
    search: async (query, most = 20) => unwrap(await service.searchContent(query, most)),
    rebuild: async () => unwrap(await service.rebuildIndex()),
    undo: async (run_id, step) => unwrap(await service.undoStep(run_id, step)),
  };
}
