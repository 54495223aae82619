/**
 * True where a page of another origin is around this window: one of its ancestors cannot be read. That page can draw
 * over the window, fade it or cut it, so a question needs more than a click there, and no passkey signs there.
 */
export function isForeignFrame(window: Pick<Window, 'parent'>): boolean {
  let inner = window;
  try {
    while (inner.parent !== inner) {
      const { parent } = inner;
      // Reading a document of another origin throws.
      void parent.document.URL;
      inner = parent;
    }
    return false;
  } catch {
    return true;
  }
}
