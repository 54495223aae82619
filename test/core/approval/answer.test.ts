import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Attention,
  attend,
  type CardClick,
  type CardEvent,
  hindranceOf,
  INERT_MS,
} from '../../../core/approval/answer.ts';
import type { BoundQuestion, Readable } from '../../../core/approval/card.ts';

const bound = (digest: string, definition = 'd', revision = 0): BoundQuestion => ({ digest, definition, revision });
const asked = (question: BoundQuestion, mustRead: Readable['mustRead'] = []): Readable => ({
  bound: question,
  mustRead,
});
const [A, B] = [bound('a'), bound('b')];
/** The question of A, under another definition, and under the same definition that was another meanwhile. */
const SWAPPED = [bound('a', 'e'), bound('a', 'd', 1)];

const shown = (at: number, question: BoundQuestion, mustRead: Readable['mustRead'] = []): CardEvent[] => [
  { type: 'shown', at, asked: asked(question, mustRead) },
  { type: 'sight', at, isClear: true },
];
const press = (at: number, by: 'key' | 'pointer' = 'pointer', isRepeat = false): CardEvent => ({
  type: 'pressed',
  at,
  isTrusted: true,
  by,
  isRepeat,
});
const release = (at: number): CardEvent => ({ type: 'released', at });
const click = (at: number, question: BoundQuestion, more: Partial<CardClick> = {}): CardEvent => ({
  type: 'clicked',
  at,
  isTrusted: true,
  by: 'pointer',
  count: 1,
  choice: 'yes',
  bound: question,
  ...more,
});
const tap = (at: number, question: BoundQuestion, more: Partial<CardClick> = {}): CardEvent[] => [
  press(at, more.by),
  release(at + 40),
  click(at + 50, question, more),
];

function after(events: readonly CardEvent[]): Attention | undefined {
  return events.reduce<Attention | undefined>(attend, undefined);
}
const answerOf = (...events: readonly CardEvent[][]) => after(events.flat())?.answer;

const YES = { choice: 'yes', bound: A };

describe('a card whose yes has to be signed', () => {
  const signed: CardEvent[] = [
    { type: 'shown', at: 0, asked: { ...asked(A, ['args']), isSigned: true } },
    { type: 'sight', at: 0, isClear: true },
  ];
  const read: CardEvent = { type: 'read', at: 0, part: 'args' };
  const signs = { choice: 'sign' } as const;

  it('takes no yes, and takes a no', () => {
    const card = after([...signed, read, ...tap(INERT_MS, A)]) as Attention;
    expect([card.answer, hindranceOf(card, 2 * INERT_MS)]).toEqual([undefined, 'unsigned']);
    expect(answerOf(signed, tap(INERT_MS, A, { choice: 'no' }))).toEqual({ choice: 'no', bound: A });
  });

  it('asks for a passkey after a press that would count as a yes elsewhere', () => {
    expect(answerOf(signed, [read], tap(INERT_MS, A, signs))).toEqual({ ...signs, bound: A });
    expect(answerOf(signed, [read], tap(INERT_MS - 1, A, signs))).toBeUndefined();
    expect(answerOf(signed, tap(INERT_MS, A, signs))).toBeUndefined();
    expect(answerOf(signed, [read], tap(INERT_MS, B, signs))).toBeUndefined();
    expect(answerOf(shown(0, A), tap(INERT_MS, A, signs))).toBeUndefined();
  });

  it('takes a no, and no second press, while the passkey is asked for', () => {
    const asking = [signed, [read], tap(INERT_MS, A, signs)];
    const card = after(asking.flat()) as Attention;
    expect(hindranceOf(card, 9 * INERT_MS, 'sign')).toBe('answered');
    expect(attend(card, click(3 * INERT_MS, A, signs))?.answer).toBe(card.answer);
    expect(answerOf(...asking, tap(3 * INERT_MS, A, { choice: 'no' }))).toEqual({ choice: 'no', bound: A });
  });
});

describe('an answer counts', () => {
  it('from 500 ms after the card came into sight, with the question and the definition of the card', () => {
    expect(answerOf(shown(0, A), tap(INERT_MS, A))).toEqual(YES);
    expect(answerOf(shown(0, A), tap(INERT_MS - 1, A))).toBeUndefined();
    expect(answerOf(shown(0, A), tap(INERT_MS, A, { choice: 'no' }))).toEqual({ choice: 'no', bound: A });
    expect(answerOf(shown(0, A), tap(INERT_MS - 1, A, { choice: 'no' }))).toBeUndefined();
  });

  it('for the first click of a double click, and not for the second on the next card', () => {
    for (const gap of [60, 100, 150, 200, 300, 500, 800]) {
      const next = [...shown(1060, B), ...tap(1000 + gap, B, { count: 2 })];
      expect(answerOf(shown(0, A), tap(1000, A), next)).toBeUndefined();
    }
  });

  it('for a click on a card that stayed, and not on a card that moved up when another was cancelled', () => {
    expect(answerOf(shown(0, B), [{ type: 'moved', at: 1000 }], tap(1000 + INERT_MS - 1, B))).toBeUndefined();
    // The card moves while the button of the pointer is down.
    const during: CardEvent[] = [press(1000), { type: 'moved', at: 1010 }, release(1600), click(1610, B)];
    expect(answerOf(shown(0, B), during)).toBeUndefined();
  });

  it('for the definition on the screen, and not for a button of another definition or revision', () => {
    for (const other of SWAPPED) {
      expect(answerOf(shown(0, A), shown(1000, other), tap(1001, other))).toBeUndefined();
      expect(answerOf(shown(0, A), shown(1000, other), tap(2000, A))).toBeUndefined();
      expect(answerOf(shown(0, A), shown(1000, other), tap(2000, other))).toEqual({ choice: 'yes', bound: other });
    }
  });

  it('for arguments that were read to their end; no needs no reading', () => {
    const long = shown(0, A, ['args']);
    expect(answerOf(long, tap(1000, A))).toBeUndefined();
    expect(answerOf(long, tap(1000, A, { choice: 'no' }))?.choice).toBe('no');
    expect(answerOf(long, [{ type: 'read', at: 1000, part: 'args' }], tap(1001, A))).toEqual(YES);
    // The next card is not read.
    const next = shown(1100, B, ['args']);
    expect(answerOf(long, [{ type: 'read', at: 1000, part: 'args' }], next, tap(2000, B))).toBeUndefined();
  });

  it('for the question of its button, and not for the button of an older card', () => {
    expect(answerOf(shown(0, A), shown(1000, B), tap(2000, A))).toBeUndefined();
  });

  it('for a key that went down on the button, and not for a key that is held down', () => {
    const hold = (from: number, to: number, question: BoundQuestion): CardEvent[] =>
      Array.from({ length: (to - from) / 100 }, (_, nth) => from + nth * 100).flatMap((at) => [
        press(at, 'key', at > from),
        click(at, question, { by: 'key' }),
      ]);
    // It was down before the card came, on this page or on another.
    expect(answerOf([...shown(0, A), press(100, 'key')], shown(200, B), hold(300, 3000, B))).toBeUndefined();
    expect(answerOf(shown(0, A), [press(900, 'key', true)], hold(1000, 3000, A).slice(2))).toBeUndefined();
    expect(answerOf(shown(0, A), tap(1000, A, { by: 'key' }))).toEqual(YES);
    // No answers either.
    const deny = hold(300, 3000, B).map((each) =>
      each.type === 'clicked' ? { ...each, choice: 'no' as const } : each,
    );
    expect(answerOf([...shown(0, A), press(100, 'key')], shown(200, B), deny)).toBeUndefined();
  });

  it('for a key half a second after the focus has reached the button, as the page can move the focus', () => {
    const focused = (at: number): CardEvent[] => [{ type: 'focused', at }];
    expect(answerOf(shown(0, A), focused(1000), tap(1000 + INERT_MS - 1, A, { by: 'key' }))).toBeUndefined();
    expect(answerOf(shown(0, A), focused(1000), tap(1000 + INERT_MS, A, { by: 'key' }))).toEqual(YES);
    expect(answerOf(shown(0, A), focused(1000), tap(1001, A))).toEqual(YES);
  });

  it('for a card in sight, and not while it is covered or just uncovered', () => {
    const cover: CardEvent[] = [{ type: 'sight', at: 1000, isClear: false }];
    const uncover: CardEvent[] = [{ type: 'sight', at: 2000, isClear: true }];
    expect(answerOf(shown(0, A), cover, tap(1900, A))).toBeUndefined();
    expect(answerOf(shown(0, A), cover, tap(1900, A, { choice: 'no' }))?.choice).toBe('no');
    expect(answerOf(shown(0, A), cover, uncover, tap(2400, A))).toBeUndefined();
    expect(answerOf(shown(0, A), cover, uncover, tap(2500, A))).toEqual(YES);
  });

  it('for a person’s gesture, which an aid may make without a press', () => {
    expect(answerOf(shown(0, A), tap(1000, A, { isTrusted: false }))).toBeUndefined();
    expect(answerOf(shown(0, A), [click(1000, A, { by: 'key' })])).toEqual(YES);
    // A script cannot make a press later than it was.
    const forged: CardEvent = { type: 'pressed', at: 1000, isTrusted: false, by: 'pointer', isRepeat: false };
    expect(answerOf(shown(0, A), [press(400), forged, click(1010, A)])).toBeUndefined();
  });
});

describe('every sequence of events', () => {
  const question = fc.constantFrom(A, B, ...SWAPPED);
  const at = fc.constant(0);
  const event: fc.Arbitrary<CardEvent> = fc.oneof(
    fc.record({
      type: fc.constant('shown' as const),
      at,
      asked: fc.record({ bound: question, mustRead: fc.subarray(['args', 'changes'] as const) }),
    }),
    fc.record({ type: fc.constant('moved' as const), at }),
    fc.record({ type: fc.constant('sight' as const), at, isClear: fc.boolean() }),
    fc.record({ type: fc.constant('read' as const), at, part: fc.constantFrom('args' as const, 'changes' as const) }),
    fc.record({ type: fc.constant('focused' as const), at }),
    fc.record({
      type: fc.constant('pressed' as const),
      at,
      isTrusted: fc.boolean(),
      by: fc.constantFrom('key' as const, 'pointer' as const),
      isRepeat: fc.boolean(),
    }),
    fc.record({ type: fc.constant('released' as const), at }),
    fc.record({
      type: fc.constant('clicked' as const),
      at,
      isTrusted: fc.boolean(),
      by: fc.constantFrom('key' as const, 'pointer' as const),
      count: fc.integer({ min: 1, max: 3 }),
      choice: fc.constantFrom('yes' as const, 'no' as const),
      bound: question,
    }),
  );
  /** Events in the order of their times, often some hundred ms apart. */
  const sequence = fc
    .array(fc.tuple(fc.constantFrom(0, 1, 100, 499, 500, 501, 2000), event), { maxLength: 24 })
    .map((all) => {
      let now = 0;
      return all.map(([gap, each]) => ({ ...each, at: (now += gap) }));
    });

  /** The answers that count, each with the events before its click. */
  function answered(
    events: readonly CardEvent[],
  ): { readonly click: CardClick; readonly before: readonly CardEvent[] }[] {
    return events.flatMap((each, nth) => {
      const [was, is] = [after(events.slice(0, nth)), after(events.slice(0, nth + 1))];
      const isAnswer = each.type === 'clicked' && is?.answer !== undefined && was?.answer === undefined;
      return isAnswer ? [{ click: each, before: events.slice(0, nth) }] : [];
    });
  }
  const law = (holds: (click: CardClick, before: readonly CardEvent[]) => void): void =>
    fc.assert(
      fc.property(sequence, (events) => answered(events).forEach(({ click: each, before }) => holds(each, before))),
      { numRuns: 2000 },
    );
  const lastShown = (before: readonly CardEvent[]) => before.findLastIndex(({ type }) => type === 'shown');

  it('counts a trusted single click alone, for the question that was shown last', () => {
    law((each, before) => {
      expect(each.isTrusted && each.count === 1).toBe(true);
      expect(before[lastShown(before)]).toMatchObject({ asked: { bound: each.bound } });
    });
  });

  it('counts no click in the 500 ms after the card appeared, moved or came into sight', () => {
    law((each, before) => {
      const began = before.findLast(
        (one) => one.type === 'pressed' && one.isTrusted && one.by === each.by && !(one.by === 'key' && one.isRepeat),
      );
      const recent = before.filter(({ at: time }) => time > each.at - INERT_MS);
      expect(recent.map(({ type }) => type)).not.toContain('shown');
      expect(recent.map(({ type }) => type)).not.toContain('moved');
      // A press that belongs to this click began late enough, too; an aid's click has none.
      const isOwn =
        began !== undefined && before.indexOf(began) > before.findLastIndex(({ type }) => type === 'clicked');
      if (!isOwn) return;
      const still = before.filter(
        ({ type, at: time }) => ['shown', 'moved'].includes(type) && time > began.at - INERT_MS,
      );
      expect(still).toEqual([]);
    });
  });

  it('counts a yes for a card in clear sight whose parts were read since it was shown', () => {
    law((each, before) => {
      if (each.choice === 'no') return;
      const since = before.slice(lastShown(before));
      const [card] = since;
      expect(since.findLast(({ type }) => type === 'sight')).toMatchObject({ isClear: true });
      for (const part of card?.type === 'shown' ? card.asked.mustRead : [])
        expect(since).toContainEqual(expect.objectContaining({ type: 'read', part }));
    });
  });

  it('counts a single answer for each card that is shown', () => {
    fc.assert(
      fc.property(sequence, (events) => {
        const cards = events.filter(({ type }) => type === 'shown').length;
        expect(answered(events).length).toBeLessThanOrEqual(cards);
      }),
    );
  });

  it('leaves a way to a yes, whatever came before', () => {
    fc.assert(
      fc.property(sequence, question, fc.constantFrom('key' as const, 'pointer' as const), (events, next, by) => {
        const now = events.at(-1)?.at ?? 0;
        const read: CardEvent[] = [
          { type: 'read', at: now, part: 'args' },
          { type: 'read', at: now, part: 'changes' },
          release(now),
        ];
        const way = [...shown(now, next, ['args']), ...read, ...tap(now + INERT_MS + 1, next, { by })];
        // The focus may have reached the button just before.
        const late = way.map((each) => (each.at > now ? { ...each, at: each.at + INERT_MS } : each));
        expect(after([...events, ...late])?.answer).toEqual({ choice: 'yes', bound: next });
        expect(hindranceOf(after([...events, ...way.slice(0, -3)]) as Attention, now + INERT_MS)).toBeUndefined();
      }),
    );
  });
});
