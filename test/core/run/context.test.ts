import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText } from '../../../core/json/canonical.ts';
import { utf8Length } from '../../../core/json/utf8.ts';
import { REPLY_BYTES } from '../../../core/limits.ts';
import { type Context, callOf, messageOf, messages, remember, rephrase } from '../../../core/run/context.ts';

const OPENING = [messageOf('opening', 'You are behind a gate.')];

function history(...texts: readonly string[]): Context {
  return after(undefined, ...texts);
}

function after(context: Context, ...texts: readonly string[]): Context {
  return texts.reduce<Context>((before, text) => remember(before, 'observation', text), context);
}

function shown(context: Context, bytesMax: number): readonly string[] {
  return messages(context, OPENING, bytesMax)
    .slice(1)
    .map(({ content }) => content);
}

describe('the context of a request', () => {
  test('the context of a request counts UTF-8 bytes, not characters', () => {
    const context = history('aé', '€', '😀');
    expect(context?.bytes).toBe(3 + 3 + 4);
    expect(shown(context, 10)).toEqual(['aé', '€', '😀']);
    expect(shown(context, 9)).toEqual(['€', '😀']);
    expect(shown(context, 6)).toEqual(['😀']);
  });

  test('the context of a request always begins with the opening', () => {
    expect(messages(history('x'.repeat(99)), OPENING, 1)[0]).toEqual(OPENING[0]);
    expect(messages(undefined, OPENING, 1)).toEqual(OPENING);
  });

  test('the context of a request holds the newest whole messages that fit, oldest first', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat(200), (texts, most) => {
        const bytesMax = Math.max(most, utf8Length(texts.at(-1) ?? ''));
        const kept = shown(history(...texts), bytesMax);
        expect(kept).toEqual(texts.slice(texts.length - kept.length));
        const size = (list: readonly string[]) => list.reduce((sum, text) => sum + utf8Length(text), 0);
        expect(size(kept)).toBeLessThanOrEqual(bytesMax);
        const one = texts.slice(texts.length - kept.length - 1);
        if (one.length > kept.length) expect(size(one)).toBeGreaterThan(bytesMax);
      }),
    );
  });

  test('the context of a request always shows the newest task, within its bytes', () => {
    const told = fc.record({
      isTask: fc.nat(9).map((nth) => nth === 0),
      text: fc.string({ unit: 'binary', maxLength: 20, size: 'max' }),
    });
    fc.assert(
      fc.property(
        fc.array(told, { minLength: 6, maxLength: 20, size: 'max' }),
        fc.integer({ min: 180, max: 400 }),
        (entries, bytesMax) => {
          const add = (before: Context, { isTask, text }: (typeof entries)[number]) =>
            remember(before, isTask ? 'task' : 'observation', text);
          const kept = shown(entries.reduce<Context>(add, undefined), bytesMax);
          expect(kept.reduce((sum, text) => sum + utf8Length(text), 0)).toBeLessThanOrEqual(bytesMax);
          const at = entries.findLastIndex(({ isTask }) => isTask);
          const whole = entries.slice(entries.length - kept.length).map(({ text }) => text);
          const beside = at < 0 ? whole : [entries[at]?.text ?? '', ...whole.slice(1)];
          expect([whole, beside]).toContainEqual(kept);
          if (at >= 0) expect(kept).toContain(entries[at]?.text);
        },
      ),
    );
  });

  test('a reply that does not fit is shown without its result, with its status and the code reply_omitted', () => {
    const reply = (value: unknown) => canonicalText({ status: 'success', result: value as string });
    const note = (limit: number) => reply({ class: 'output', code: 'reply_omitted', limit, used: 300 });
    const asked = remember(remember(history('before'), 'task', 'task'), 'proposal', 'call');
    const long = remember(asked, 'observation', reply('x'.repeat(300 - reply('').length)));
    expect(shown(long, 299)).toEqual(['before', 'task', 'call', note(295)]);
    const { length } = note(99);
    expect(shown(long, 4 + length)).toEqual(['task', note(length)]);
    expect(shown(long, 3 + length)).toEqual(['task', note(length - 1)]);
    expect(shown(remember(long, 'proposal', 'y'.repeat(290)), 299)).toEqual(['task', 'y'.repeat(290)]);
    const failed = {
      status: 'error',
      message: 'No.',
      details: { code: 'c', class: 'output', issues: 'x'.repeat(300) },
    };
    const omitted = { class: 'output', code: 'reply_omitted', limit: 299 };
    expect(shown(history(canonicalText(failed)), 299)).toEqual([
      canonicalText({ ...failed, details: { code: 'c', class: 'output', omitted } }),
    ]);
  });

  test('the newest error is shown in every window, with its code, its place and its sentence', () => {
    const text = fc.string({ unit: 'binary', maxLength: 2_000, size: 'max' });
    fc.assert(
      fc.property(text, text, text, fc.integer({ min: 0, max: 2_000 }), (said, pointer, more, room) => {
        const message = said.toWellFormed();
        const details = { class: 'malformed_structure', code: 'power_calls_exceeded', step: 'arguments' };
        const error = {
          status: 'error',
          message,
          details: { ...details, pointer: pointer.toWellFormed(), error: { name: 'E', message: more.toWellFormed() } },
        };
        const task = 'x'.repeat(500);
        const asked = remember(remember(undefined, 'task', task), 'observation', canonicalText(error));
        const [first, newest = '', ...others] = shown(asked, 500 + room);
        expect([first, others]).toEqual([task, []]);
        expect(utf8Length(newest)).toBeLessThanOrEqual(Math.max(room, REPLY_BYTES));
        const told = JSON.parse(newest) as typeof error;
        expect(told).toMatchObject({ status: 'error', details });
        const isCutOf = (whole: string, cut: string) =>
          whole === cut || (cut.endsWith('…') && whole.startsWith(cut.slice(0, -1)));
        expect(isCutOf(message, told.message) && isCutOf(error.details.pointer, told.details.pointer)).toBe(true);
        // a sentence of ours has some hundred bytes
        if (utf8Length(canonicalText(message)) <= 150) expect(told.message).toBe(message);
      }),
    );
  });

  test('remember continues from any earlier context and changes no context', () => {
    const one = history('a', 'b');
    const forks = ['x', 'y', 'z'].map((text) => after(one, text, text));
    expect(shown(one, 9)).toEqual(['a', 'b']);
    expect(forks.map((fork) => shown(fork, 9).join(''))).toEqual(['abxx', 'abyy', 'abzz']);
    expect(shown(after(forks[1], 'w'), 9).join('')).toBe('abyyw');
    expect(shown(forks[1], 9).join('')).toBe('abyy');
  });

  test('a context that forgets what no request can show answers every request as a whole context does', () => {
    const told = fc.record({
      isTask: fc.nat(60).map((nth) => nth === 0),
      isOther: fc.nat(20).map((nth) => nth === 0),
      length: fc.oneof(fc.nat(8), fc.nat(8), fc.nat(120)),
    });
    const entries = fc.array(told, { minLength: 150, maxLength: 250, size: 'max' });
    fc.assert(
      fc.property(entries, fc.integer({ min: 100, max: 400 }), fc.nat(100), (list, bytesMax, less) => {
        let [whole, short]: Context[] = [];
        for (const [nth, { isTask, isOther, length }] of list.entries()) {
          const kind = isTask ? 'task' : 'observation';
          const text = `${nth}`.padEnd(isTask ? Math.min(length, 60) : length, 'x');
          whole = remember(whole, kind, text);
          short = remember(short, kind, text, bytesMax);
          if (isOther) [whole, short] = [rephrase(whole, `${text}!`), rephrase(short, `${text}!`)];
          for (const most of [bytesMax, bytesMax - less])
            if (shown(short, most).join() !== shown(whole, most).join()) return false;
        }
        return short?.bytes === whole?.bytes;
      }),
      { numRuns: 20 },
    );
  });

  test('a context of 2,000 messages holds those that a request can show, and a few more', () => {
    let context = remember(undefined, 'task', 'The task.', 1_000);
    for (let n = 0; n < 2_000; n++) context = remember(context, 'proposal', 'x'.repeat(100), 1_000);
    expect(context?.list.messages.length).toBeLessThan(200);
    expect(shown(context, 1_000)).toEqual(['The task.', ...Array(9).fill('x'.repeat(100))]);
  });

  test('a call and the observation that answers it have the same id, however a request shortens them', () => {
    const call = callOf(7, { name: 'a.b', args: '{"a": 1}' });
    expect(call).toEqual({ id: 'call00007', name: 'a.b', args: '{"a": 1}' });
    const asked = remember(history('before'), 'proposal', 'call', undefined, call);
    const long = remember(asked, 'observation', canonicalText({ status: 'success', result: 'x'.repeat(300) }));
    const heard = [long, rephrase(long, 'short')].map((context) => messages(context, [], 299).slice(-2));
    for (const both of heard) expect(both.map((message) => message.call)).toEqual([call, call]);
    expect(messages(remember(asked, 'task', 'next'), [], 299).at(-1)?.call).toBeUndefined();
    expect(messages(remember(long, 'observation', 'x'), [], 299).at(-1)?.call).toBeUndefined();
  });

  test('utf8Length equals the number of bytes that the platform encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
  });
});
