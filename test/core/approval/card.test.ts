import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AskedCall, cardOf, cardText, changeCard, plainText, type Span } from '../../../core/approval/card.ts';
import { countUnseen, visibleText } from '../../../core/text/visible.ts';

const CALL: AskedCall = {
  capability: 'mail.send',
  capability_hash: 'c'.repeat(64),
  effect: 'egress',
  args: '{"to":"baker"}',
  digest: 'd'.repeat(64),
  reason: 'The grant says to ask.',
};
const textOf = (spans: readonly Span[]): string => spans.map(({ pieces }) => plainText(pieces)).join('');

describe('a card', () => {
  it('names the question and the definition that its answer is bound to', () => {
    expect(cardOf(CALL).bound).toEqual({ digest: CALL.digest, definition: CALL.capability_hash, revision: 0 });
    const definition = { hash: 'e'.repeat(64), revision: 3, text: '{}' };
    expect(cardOf(CALL, { definition }).bound).toEqual({
      digest: CALL.digest,
      definition: definition.hash,
      revision: 3,
    });
  });

  it('has the whole arguments, each unseen character as a mark', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 1500 }), (text) => {
        const args = JSON.stringify({ text });
        const { whole, folded } = cardOf({ ...CALL, args }).args;
        expect(textOf(whole)).toBe(visibleText(args));
        expect(countUnseen(textOf(whole))).toBe(0);
        if (folded === undefined) return;
        expect(visibleText(args).startsWith(textOf(folded.head))).toBe(true);
        expect(visibleText(args).endsWith(textOf(folded.tail))).toBe(true);
        expect([...args].length - folded.hidden).toBe([...args.slice(0, 300), ...args.slice(-200)].length);
      }),
    );
  });

  it('has the texts of several lines as they read, by their places, each unseen character as a mark', () => {
    const args = JSON.stringify({ 'a/b': ['one line', 'Dear\nbaker\u200b,\n'], note: '"}\n{"to":"x"', ends: 'one\n' });
    const { texts } = cardOf({ ...CALL, args }).args;
    expect(texts.map(({ place, pieces }) => [plainText(place), plainText(pieces)])).toEqual([
      ['/a~1b/1', 'Dear\nbaker\\u200b,\n'],
      ['/note', '"}\n{"to":"x"'],
    ]);
    expect(cardOf({ ...CALL, args: '"broken\\n' }).args.texts).toEqual([]);
    const many = JSON.stringify(Array.from({ length: 20 }, () => 'a\nb'));
    expect(cardOf({ ...CALL, args: many }).args.texts).toHaveLength(10);
  });

  it('has arguments that are read to their end, however short their text is', () => {
    for (const length of [2, 600, 20_000])
      expect(cardOf({ ...CALL, args: 'x'.repeat(length) }).mustRead).toEqual(['args']);
    const change = { pinned: 'a'.repeat(64), definition: 'b'.repeat(64), revision: 1 };
    expect(changeCard(change, ['"Reads."']).mustRead).toEqual(['changes']);
  });

  it('folds arguments of more than 600 units', () => {
    const isFolded = (length: number) => cardOf({ ...CALL, args: 'x'.repeat(length) }).args.folded !== undefined;
    expect([600, 601].map(isFolded)).toEqual([false, true]);
  });

  it('names the held values of the arguments, the first 20 by their places', () => {
    const labels = ['private', 'untrusted'] as const;
    const value = (pointer: string) => ({ pointer, labels, handle: 'h7', sources: ['mail.search'] });
    expect(cardText(cardOf({ ...CALL, carries: [value('/to'), { ...value(''), labels: ['private'] }] }))).toContain(
      'Held value: /to: private, untrusted; from step 7, mail.search\nHeld value: all arguments: private; from step 7, mail.search',
    );
    const { carries } = cardOf({ ...CALL, carries: Array.from({ length: 10_000 }, (_, at) => value(`/${at}`)) });
    expect([carries.length, carries.at(-1)?.places, carries.at(-1)?.labels]).toEqual([21, 9980, labels]);
    expect(cardText(cardOf(CALL))).not.toContain('Held');
  });

  it('counts unseen characters and lookalike words of the arguments and of their origin', () => {
    const card = cardOf({
      ...CALL,
      args: '{"to":"p\u0430ypal\u200b"}',
      origin: 'mcp:https://p\u0430y.example/\u202egpj',
    });
    expect([card.unseen, card.lookalike]).toEqual([2, 2]);
    expect(plainText(card.origin ?? [])).toBe('mcp:https://p\u0430y.example/\\u202egpj');
  });

  it('does not read an escape of JSON as a letter of the word after it', () => {
    expect(cardOf({ ...CALL, args: JSON.stringify({ text: '\nПривет\n\u05e9\u05dc\u05d5\u05dd' }) }).lookalike).toBe(0);
    expect(cardOf({ ...CALL, args: JSON.stringify({ text: '\\nПривет' }) }).lookalike).toBe(1);
  });

  it('isolates strings, so that a right-to-left string does not reorder its neighbours', () => {
    const { whole } = cardOf({ ...CALL, args: '["\u05d0",100]' }).args;
    expect(whole.map(({ isString }) => isString)).toEqual([false, true, false]);
  });

  it('fits a form of a host up to 2,000 units of arguments, as they are drawn', () => {
    expect(cardOf({ ...CALL, args: 'x'.repeat(2000) }).fitsForm).toBe(true);
    expect(cardOf({ ...CALL, args: 'x'.repeat(2001) }).fitsForm).toBe(false);
    expect(cardOf({ ...CALL, args: '\u200b'.repeat(334) }).fitsForm).toBe(false);
  });
});

describe('the text of a card', () => {
  it('says what leaves, what is unseen and what may not be what it looks like', () => {
    const text = cardText(cardOf({ ...CALL, args: '{"to":"p\u0430ypal\u200b"}', origin: 'mcp:https://a.example' }));
    expect(text.split('\n')).toEqual([
      'May mail.send be called? Its effect: egress. It sends data out.',
      'Arguments: {"to":"p\u0430ypal\\u200b"}',
      'The arguments leave: they go to mcp:https://a.example',
      'Unseen characters: 1. Each is written as its number, such as \\u200b.',
      'Lookalike letters: 1 word in letters that may not be what they look like.',
      'Reason: The grant says to ask.',
    ]);
  });

  it('has a line for each fact, whatever line feeds a stranger writes', () => {
    const text = cardText(cardOf({ ...CALL, reason: 'a\nReason: b', origin: 'x\ny' }));
    expect(text.split('\n')).toHaveLength(4);
  });
});
