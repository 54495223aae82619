/** UTF-16 units of text that stay in memory, because a model often reads the same text again. */
const UNITS_MAX = 8 << 20;

/** Recently read texts, by path and content hash; a changed file has another hash. */
export interface Texts {
  get(path: string, content_hash: string): string | undefined;
  set(path: string, content_hash: string, text: string): void;
}

export function makeTexts(): Texts {
  const kept = new Map<string, { readonly content_hash: string; readonly text: string }>();
  let units = 0;
  const drop = (path: string): void => {
    units -= kept.get(path)?.text.length ?? 0;
    kept.delete(path);
  };
  return {
    get(path, content_hash) {
      const found = kept.get(path);
      if (found?.content_hash !== content_hash) return undefined;
      // The text moves to the end of the order, so that it is dropped last.
      kept.delete(path);
      kept.set(path, found);
      return found.text;
    },
    set(path, content_hash, text) {
      drop(path);
      kept.set(path, { content_hash, text });
      units += text.length;
      for (const oldest of kept.keys()) {
        if (units <= UNITS_MAX) return;
        drop(oldest);
      }
    },
  };
}
