interface VisibilityEntry extends IntersectionObserverEntry {
  readonly isVisible?: boolean;
}

/**
 * Tells whether an element is wholly on the screen, and with nothing over it where the browser can tell (Chromium): a
 * page that brings a question under a click at the last moment, or lays something over it through which clicks fall, is
 * found out.
 */
export function watchSeen(element: Element, tell: (seen: boolean) => void): () => void {
  const options = { threshold: [0.9, 1], trackVisibility: true, delay: 100 };
  const observer = new IntersectionObserver((entries) => {
    const last = entries.at(-1) as VisibilityEntry | undefined;
    if (last !== undefined) tell(last.isVisible !== false && last.intersectionRatio >= 0.9);
  }, options);
  observer.observe(element);
  return () => observer.disconnect();
}
