import type { BoundQuestion, CardPart, Readable } from './card.ts';

/**
 * ms for which a card takes no answer after it appeared, moved, came into sight or took another's place: the press may
 * have been meant for what stood there before. Its yes takes no key for as long after the focus has reached it.
 */
export const INERT_MS = 500;

/**
 * What a button of a card says. `sign` is the yes of a card whose yes has to be signed: a passkey is asked next, and the
 * card stays, and takes a no meanwhile.
 */
export type CardChoice = 'yes' | 'sign' | 'no';

/** A click, a tap or a key on a button of the card. */
export interface CardClick {
  readonly type: 'clicked';
  readonly at: number;
  /** A person's own gesture: the browser made the event, and no script. */
  readonly isTrusted: boolean;
  readonly by: 'key' | 'pointer';
  /** 2 for the second click of a double click. */
  readonly count: number;
  readonly choice: CardChoice;
  /** The question that the button was drawn for. */
  readonly bound: BoundQuestion;
}

/** What happens to a card. Each `at` is in ms, on a single clock. */
export type CardEvent =
  /** The card appears, is drawn in another place of the page, or takes the place of another card. */
  | { readonly type: 'shown'; readonly at: number; readonly asked: Readable }
  /** The buttons are at another place of the screen, or their page came into sight. */
  | { readonly type: 'moved'; readonly at: number }
  /** False for a card that is covered, or that has left the screen. */
  | { readonly type: 'sight'; readonly at: number; readonly isClear: boolean }
  /** The end of a part has been in sight. */
  | { readonly type: 'read'; readonly at: number; readonly part: CardPart }
  /** The focus has reached another button of the card. */
  | { readonly type: 'focused'; readonly at: number }
  /** A button of the pointer, or a key, goes down anywhere in the window. A key that is held down repeats. */
  | {
      readonly type: 'pressed';
      readonly at: number;
      readonly isTrusted: boolean;
      readonly by: 'key' | 'pointer';
      readonly isRepeat: boolean;
    }
  | { readonly type: 'released'; readonly at: number }
  | CardClick;

/** An answer that counts, with the question and the definition that were on the screen. */
export interface CardAnswer {
  readonly choice: CardChoice;
  readonly bound: BoundQuestion;
}

/** Reason why a card takes no yes now. */
export type Hindrance = 'answered' | 'unsigned' | 'early' | 'covered' | 'unread';

/** What a person has had in sight, and since when. Made by `attend` alone. */
export interface Attention {
  readonly bound: BoundQuestion;
  /** Parts whose ends have not been in sight. */
  readonly unread: readonly CardPart[];
  /** Time of the last event that begins the inert time anew. */
  readonly since: number;
  readonly isClear: boolean;
  readonly focusedAt: number;
  /** When the last press began, of a key and of a pointer. `-Infinity` for a key that was held down before. */
  readonly pressedAt: { readonly key?: number; readonly pointer?: number };
  readonly isKeyHeld: boolean;
  readonly isSigned?: true;
  /** The answer. The card takes a single one; after `sign` it still takes a no. */
  readonly answer?: CardAnswer;
}

/**
 * The state of a card after an event. `answer` is present once a click counted. The law: a click counts if it is a
 * person's, is not the second of a double click, belongs to the very question and definition on the screen, and began
 * when the card had been still for `INERT_MS`; a yes needs a card in clear sight whose `mustRead` was read, too, and where
 * it has to be signed, the button says `sign`.
 */
export function attend(before: Attention | undefined, event: CardEvent): Attention | undefined {
  if (event.type === 'shown') return shown(before, event.at, event.asked);
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'moved':
      return { ...before, since: Math.max(before.since, event.at) };
    case 'sight':
      return event.isClear === before.isClear
        ? before
        : { ...before, isClear: event.isClear, since: Math.max(before.since, event.at) };
    case 'read':
      return { ...before, unread: before.unread.filter((part) => part !== event.part) };
    case 'focused':
      return { ...before, focusedAt: event.at };
    case 'pressed':
      return event.isTrusted ? pressed(before, event.at, event.by, event.isRepeat) : before;
    case 'released':
      return { ...before, isKeyHeld: false };
    case 'clicked':
      return clicked(before, event);
  }
}

/** Why a yes, or the press that a passkey is asked after, would not count if it began now. */
export function hindranceOf(
  attention: Attention,
  now: number,
  choice: Exclude<CardChoice, 'no'> = 'yes',
): Hindrance | undefined {
  if (attention.answer !== undefined) return 'answered';
  if (!attention.isClear) return 'covered';
  if (attention.unread.length > 0) return 'unread';
  if (attention.isSigned && choice === 'yes') return 'unsigned';
  return isInert(attention, now) ? 'early' : undefined;
}

/** True while neither a yes nor a no that began now would count. */
export function isInert({ since, answer }: Attention, now: number): boolean {
  return isAnswered(answer) || now - since < INERT_MS;
}

/** A card whose signature is on its way has no answer yet. */
function isAnswered(answer: CardAnswer | undefined): boolean {
  return answer !== undefined && answer.choice !== 'sign';
}

export function isSameQuestion(one: BoundQuestion, other: BoundQuestion): boolean {
  return one.digest === other.digest && one.definition === other.definition && one.revision === other.revision;
}

/** A key that is down stays down: it was pressed for what stood here before. */
function shown(before: Attention | undefined, at: number, { bound, mustRead, isSigned }: Readable): Attention {
  const { pressedAt = {}, isKeyHeld = false, focusedAt = Number.NEGATIVE_INFINITY } = before ?? {};
  const signed = isSigned === undefined ? {} : { isSigned };
  return { bound, unread: mustRead, since: at, isClear: false, focusedAt, pressedAt, isKeyHeld, ...signed };
}

function pressed(before: Attention, at: number, by: 'key' | 'pointer', isRepeat: boolean): Attention {
  if (by === 'pointer') return { ...before, pressedAt: { ...before.pressedAt, pointer: at } };
  if (isRepeat && before.isKeyHeld) return before;
  const key = isRepeat ? Number.NEGATIVE_INFINITY : at;
  return { ...before, pressedAt: { ...before.pressedAt, key }, isKeyHeld: true };
}

function clicked(before: Attention, click: CardClick): Attention {
  if (!click.isTrusted || isAnswered(before.answer)) return before;
  // Aids for people press buttons without a key and without a pointer.
  const began = before.pressedAt[click.by] ?? click.at;
  const { pointer, key } = before.pressedAt;
  const left = click.by === 'pointer' ? { key } : before.isKeyHeld ? before.pressedAt : { pointer };
  const after: Attention = { ...before, pressedAt: definedIn(left) };
  return counts(before, click, began) ? { ...after, answer: { choice: click.choice, bound: before.bound } } : after;
}

function counts(attention: Attention, { choice, by, count, bound }: CardClick, began: number): boolean {
  if (count > 1 || !isSameQuestion(bound, attention.bound) || isInert(attention, began)) return false;
  if (choice === 'no') return true;
  if (choice === 'sign' && attention.isSigned === undefined) return false;
  // The page may have moved the focus to the button while the person typed.
  if (by === 'key' && began - attention.focusedAt < INERT_MS) return false;
  return hindranceOf(attention, began, choice) === undefined;
}

function definedIn({
  key,
  pointer,
}: {
  key?: number | undefined;
  pointer?: number | undefined;
}): Attention['pressedAt'] {
  return { ...(key !== undefined && { key }), ...(pointer !== undefined && { pointer }) };
}
