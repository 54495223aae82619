import { visibleText } from '../../../core/index.ts';
import { shell } from '../../texts/en/shell.ts';
import { nameOf } from '../link.ts';
import type { Playground } from '../playground.ts';
import { callerOf, sessionName } from '../run/session-caller.ts';

/** The name of the open view, for tabs, histories and screen readers (WCAG 2.4.2). */
export function titleOf(store: Playground): string {
  return `${placeOf(store)} – Sallyport`;
}

function lessonName({ lesson, title }: Playground['place']): string {
  return shell().place.lesson(lesson.value ?? 0, title.value);
}

/** The current place, as a sentence; the Run view names the run itself. */
export function whereabouts({ view, place, audit }: Playground): string {
  const texts = shell().place;
  const name = nameOf(view.value);
  if (view.value === 'learn' && place.isClass.value) return `${texts.class}.`;
  if (view.value === 'learn') return place.lesson.value === undefined ? texts.lessons : `${lessonName(place)}.`;
  if (view.value === 'audit') return audit.name.value === undefined ? texts.noFile : texts.file(audit.name.value);
  return view.value === 'capabilities' ? `${name}: ${shell().parts[place.part.value]}.` : `${name}.`;
}

function placeOf({ view, place, scenario, session, status }: Playground): string {
  const name = nameOf(view.value);
  if (view.value === 'run') {
    const caller = callerOf(session.value?.records.value ?? []);
    const what = caller === undefined ? scenario.name : visibleText(sessionName(caller));
    return shell().place.run(what, session.value?.id.slice(0, 8) ?? '', status.value.word);
  }
  if (view.value === 'learn' && place.isClass.value) return shell().place.class;
  if (view.value === 'learn' && place.lesson.value !== undefined) return lessonName(place);
  return view.value === 'capabilities' ? `${name}: ${shell().parts[place.part.value]}` : name;
}
