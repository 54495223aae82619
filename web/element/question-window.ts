/** Names under which a card finds its colours and sizes; read where the frame shows it, and set in the window. */
const TOKENS = [
  'fg',
  'bg',
  'muted',
  'line',
  'accent',
  'on-accent',
  'wait',
  'wait-wash',
  'bad',
  'radius',
  'gap',
  'mono',
];

/**
 * Opens a window of this page's own origin and shows the card in it. A page around the frame has no handle to the
 * window, so it can neither draw in it nor move it. Undefined where the browser or the frame's `sandbox` forbids it.
 */
export function openQuestionWindow(
  from: Element,
  card: HTMLElement,
  heading: string,
  askedBy: string,
): Window | undefined {
  // Without an address the window has the origin and the policy of this page.
  const opened = from.ownerDocument.defaultView?.open('', '_blank', 'popup,width=640,height=720') ?? undefined;
  if (opened === undefined) return undefined;
  const { document } = opened;
  document.title = `${heading} ${askedBy}`;
  const root = document.documentElement;
  const computed = getComputedStyle(from);
  for (const token of TOKENS) root.style.setProperty(`--${token}`, computed.getPropertyValue(`--${token}`));
  Object.assign(root.style, {
    colorScheme: computed.colorScheme,
    fontFamily: computed.fontFamily,
    lineHeight: computed.lineHeight,
    background: 'var(--bg)',
    color: 'var(--fg)',
  });
  root.lang = card.lang || from.ownerDocument.documentElement.lang;
  const main = document.createElement('main');
  const asker = document.createElement('p');
  asker.textContent = askedBy;
  main.append(asker, card);
  document.body.append(main);
  opened.focus();
  return opened;
}
