/** Letters belong to whoever takes text, a code editor and a page in a frame too; a radio button takes none. */
export function isTyping(target: EventTarget | null | undefined): boolean {
  if (target instanceof HTMLInputElement) return !/^(?:radio|checkbox|range)$/u.test(target.type);
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:textarea|select|iframe)$/u.test(target.localName);
}

/** What is in focus, seen through every shadow root. */
export function inFocus(): Element | null {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}
