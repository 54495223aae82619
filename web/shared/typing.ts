/**
 * True where letters belong to the focused element: a text field, a code editor or a page in a frame. A radio button
 * takes no letters.
 */
export function isTyping(target: EventTarget | null | undefined): boolean {
  if (target instanceof HTMLInputElement) return !/^(?:radio|checkbox|range)$/u.test(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:textarea|select|iframe)$/u.test(target.localName);
}

/** The focused element, looked up through every shadow root. */
export function inFocus(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}
