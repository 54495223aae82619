import { isObject, type JsonValue } from '../../../core/index.ts';
import { find, type Reply, replyOf, textOf } from '../run/reply.ts';
import type { RunSession } from '../run/session.ts';
import { type FormEntry, partsOf } from './entry.ts';
import type { FormField } from './fields.ts';

/** A fault of the arguments; the pointer begins at the arguments. */
export interface Issue {
  readonly pointer: string;
  readonly message: string;
}

/** The reply to the latest step that made this proposal, if it has ended. Read inside a view. */
export function replyTo(session: RunSession | undefined, proposal: string | undefined): Reply | undefined {
  if (session === undefined || proposal === undefined) return undefined;
  const last = session.steps.value.findLast(({ step }) => step !== undefined);
  return textOf(session, find(last, 'proposal')?.body.payload) === proposal ? replyOf(session, last) : undefined;
}

/** The faults that a reply names in the arguments of a call. */
export function issuesIn(reply: Reply | undefined): readonly Issue[] {
  const issues = reply?.code === 'arguments_schema' ? reply.details?.['issues'] : undefined;
  return Array.isArray(issues) ? issues.flatMap((each: JsonValue) => issue(each)) : [];
}

function issue(given: JsonValue): readonly Issue[] {
  if (!isObject(given)) return [];
  const { pointer, message } = given;
  return typeof pointer === 'string' && typeof message === 'string' ? [{ pointer, message }] : [];
}

/** Each issue at its field, or at the nearest field around its place; pointers to texts. */
export function atFields(field: FormField, entry: FormEntry, issues: readonly Issue[]): ReadonlyMap<string, string> {
  const places = new Set(placesOf(field, entry, ''));
  const found = new Map<string, string>();
  for (const { pointer, message } of issues) {
    const place = nearest(places, pointer);
    const text = place === pointer ? message : `${pointer}: ${message}`;
    found.set(place, [found.get(place), text].filter((each) => each !== undefined).join('; '));
  }
  return found;
}

function placesOf(field: FormField, entry: FormEntry, pointer: string): readonly string[] {
  const inner = partsOf(field, entry).flatMap((part) => placesOf(part.field, part.entry, `${pointer}/${part.step}`));
  return [pointer, ...inner];
}

function nearest(places: ReadonlySet<string>, pointer: string): string {
  let place = pointer;
  while (place !== '' && !places.has(place)) place = place.slice(0, place.lastIndexOf('/'));
  return place;
}
