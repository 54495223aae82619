interface VisibilityEntry extends IntersectionObserverEntry {
  readonly isVisible?: boolean;
}

/**
 * Tells whether an element is wholly on the screen with nothing over it, where the browser can tell (Chromium): a page
 * that lays something over a question, through which clicks fall, is found out. Elsewhere it stays silent, which the
 * caller takes for "seen".
 */
export function watchSeen(element: Element, tell: (seen: boolean) => void): () => void {
  if (typeof IntersectionObserver === 'undefined' || !('isVisible' in IntersectionObserverEntry.prototype)) {
    return () => undefined;
  }
  const options = { threshold: [0.9, 1], trackVisibility: true, delay: 100 };
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as VisibilityEntry | undefined;
    if (last !== undefined) tell(last.isVisible === true && last.intersectionRatio >= 0.9);
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}
