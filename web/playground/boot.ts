/**
 * A script whose file has one name in every build. Where the page and the other files are of two builds, no script of
 * the page runs, and nothing else could say so.
 */
import { preferredLanguage } from '../texts/languages.ts';
import { START } from '../texts/start.ts';

/** Tells the person, where the first script of the page did not begin by the time that everything has arrived. */
function tellMissing(): void {
  const place = document.querySelector<HTMLElement>('#app');
  if (place === null || place.dataset['begun'] !== undefined) return;
  const { missing, reload } = START[preferredLanguage()];
  const sentence = place.querySelector('[role=status]');
  sentence?.replaceChildren(missing);
  place.querySelector('.late')?.remove();
  const button = document.createElement('button');
  button.textContent = reload;
  button.addEventListener('click', () => location.reload());
  sentence?.after(button);
}

addEventListener('load', tellMissing);
