interface VisibilityEntry extends IntersectionObserverEntry {
  readonly isVisible?: boolean;
}

/** A question's visibility on the screen. */
export interface Sight {
  /** The whole card is on the screen, from its heading to its buttons. */
  readonly whole: boolean;
  /** The buttons are on the screen. */
  readonly answers: boolean;
  /**
   * True if no element of this page or of the pages around it covers, fades or distorts any part of the card. Undefined
   * where the browser has no `IntersectionObserverEntry.isVisible` and cannot tell.
   */
  readonly clear: boolean | undefined;
}

/** Steps at which the browser reports, and so the precision with which `whole` and `answers` are known. */
const THRESHOLDS = [0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 1];
const WHOLE = 0.98;
const ANSWERS = 0.9;

/** Reports where a card stands whenever that changes, and gives the function that stops it. */
export function watchSight(card: Element, actions: Element, tell: (sight: Sight) => void): () => void {
  const latest = new Map<Element, VisibilityEntry>();
  const options = { threshold: THRESHOLDS, trackVisibility: true, delay: 100 };
  const Observer = card.ownerDocument.defaultView?.IntersectionObserver ?? IntersectionObserver;
  const observer = new Observer((entries) => {
    for (const entry of entries) latest.set(entry.target, entry);
    const [all, some] = [latest.get(card), latest.get(actions)];
    if (all === undefined || some === undefined) return;
    tell({
      whole: all.intersectionRatio >= WHOLE,
      answers: some.intersectionRatio >= ANSWERS,
      clear: all.isVisible === undefined ? undefined : all.isVisible && some.isVisible === true,
    });
  }, options);
  observer.observe(card);
  observer.observe(actions);
  return () => observer.disconnect();
}

/**
 * True if the card can be seen clearly enough for an approval. In a frame of another origin only certainty counts: the
 * embedding page chooses which part of the frame is on the screen.
 */
export function isClear(sight: Sight, isForeign: boolean): boolean {
  return isForeign ? sight.whole && sight.clear === true : sight.answers && sight.clear !== false;
}
