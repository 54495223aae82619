import { nameOf } from './link.ts';
import type { Playground } from './playground.ts';

/** What is looked at, for tabs, histories and readers of screens (WCAG 2.4.2). */
export function titleOf(store: Playground): string {
  return `${placeOf(store)} – Sallyport`;
}

function placeOf({ view, place, scenario, session, status }: Playground): string {
  const name = nameOf(view.value);
  if (view.value === 'run') return `${scenario.name}, run ${session.value?.id.slice(0, 8)}: ${status.value.word}`;
  if (view.value === 'learn' && place.lesson.value !== undefined) return `Lesson ${place.lesson.value}`;
  return view.value === 'capabilities' ? `${name}: ${place.part.value}` : name;
}
