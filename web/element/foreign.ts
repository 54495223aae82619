/**
 * True where a page of another origin is around this window: one of its ancestors cannot be read. That page can draw
 * over the window, fade it or cut it, so a question needs more than a click there.
 */
export function isForeignFrame(window: Window): boolean {
  let inner: Window = window;
  try {
    while (inner.parent !== inner) {
      inner = inner.parent;
      // Reading a document of another origin throws.
      void inner.document.URL;
    }
    return false;
  } catch {
    return true;
  }
}
