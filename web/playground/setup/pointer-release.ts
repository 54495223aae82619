let isDown = false;
const release: (() => void)[] = [];

function lift(): void {
  isDown = false;
  // the click of this press comes after its release, and finds everything where it was pressed
  setTimeout(() => release.splice(0).forEach((act) => act()));
}

if (typeof addEventListener === 'function') {
  addEventListener('pointerdown', () => void (isDown = true), { capture: true });
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, lift, { capture: true });
}

/** Does it at once, or after the click under way: what moves the page must not move it from under a pointer. */
export function whenReleased(act: () => void): void {
  if (isDown) release.push(act);
  else act();
}
