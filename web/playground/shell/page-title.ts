import { visibleText } from '../../../core/index.ts';
import { nameOf } from '../link.ts';
import type { Playground } from '../playground.ts';
import { callerOf, sessionName } from '../run/session-caller.ts';

/** The name of the open view, for tabs, histories and screen readers (WCAG 2.4.2). */
export function titleOf(store: Playground): string {
  return `${placeOf(store)} – Sallyport`;
}

function lessonName({ lesson, title }: Playground['place']): string {
  return `Lesson ${lesson.value}${title.value === undefined ? '' : `: ${title.value}`}`;
}

/** The current place, as a sentence; the Run view names the run itself. */
export function whereabouts({ view, place, audit }: Playground): string {
  const name = nameOf(view.value);
  if (view.value === 'learn') return place.lesson.value === undefined ? 'The lessons.' : `${lessonName(place)}.`;
  if (view.value === 'audit')
    return audit.name.value === undefined ? 'Audit: no file is open.' : `Audit: ${audit.name.value}.`;
  return view.value === 'capabilities' ? `${name}: ${place.part.value}.` : `${name}.`;
}

function placeOf({ view, place, scenario, session, status }: Playground): string {
  const name = nameOf(view.value);
  if (view.value === 'run') {
    const caller = callerOf(session.value?.records.value ?? []);
    const what = caller === undefined ? scenario.name : visibleText(sessionName(caller));
    return `${what}, run ${session.value?.id.slice(0, 8)}: ${status.value.word}`;
  }
  if (view.value === 'learn' && place.lesson.value !== undefined) return lessonName(place);
  return view.value === 'capabilities' ? `${name}: ${place.part.value}` : name;
}
