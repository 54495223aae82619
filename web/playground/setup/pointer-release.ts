let isDown = false;
const release: (() => void)[] = [];

function lift(): void {
  isDown = false;
  // the click of this press comes after its release, and its target must still be in place
  setTimeout(() => release.splice(0).forEach((act) => act()));
}

if (typeof addEventListener === 'function') {
  addEventListener('pointerdown', () => void (isDown = true), { capture: true });
  for (const name of ['pointerup', 'pointercancel']) addEventListener(name, lift, { capture: true });
}

/**
 * Calls `act` at once, or after the click under way: a change of the page must not move a button from under a pointer.
 */
export function whenReleased(act: () => void): void {
  if (isDown) release.push(act);
  else act();
}
