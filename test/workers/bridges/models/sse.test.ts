import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { makeSseParser, type SseEvent } from '../../../../workers/bridges/models/sse.ts';

function parse(...pieces: readonly (string | Uint8Array)[]): readonly SseEvent[] {
  const parser = makeSseParser();
  const events = pieces.flatMap((piece) => parser.push(typeof piece === 'string' ? encodeText(piece) : piece));
  parser.end();
  return events;
}

const message = (data: string): SseEvent => ({ type: 'message', data });

/** Examples and rules of the standard for event streams. */
test.each<[string, string, SseEvent[]]>([
  ['one line of data', 'data: a\n\n', [message('a')]],
  ['lines of data, joined by a line feed', 'data: YHOO\ndata: +2\ndata: 10\n\n', [message('YHOO\n+2\n10')]],
  ['a comment, which is nothing', ': test stream\n\ndata: a\n\n: ping\n\n', [message('a')]],
  [
    'one blank behind the colon, and keeps the second',
    'data:a\n\ndata: a\n\ndata:  a\n\n',
    [message('a'), message('a'), message(' a')],
  ],
  ['a field without a colon, as an empty one', 'data\n\ndata\ndata\n\ndata:', [message(''), message('\n')]],
  ['a type, for its own event only', 'event: add\ndata: 1\n\ndata: 2\n\n', [{ type: 'add', data: '1' }, message('2')]],
  ['an event without data, which is none, and forgets its type', 'event: add\n\ndata: 1\n\n', [message('1')]],
  ['id, retry and unknown fields, which say nothing here', 'id: 7\nretry: 10\nfoo: bar\ndata: a\n\n', [message('a')]],
  ['a colon in the data', 'data: a:b: c\n\n', [message('a:b: c')]],
  ['a field name in another case, which is unknown', 'Data: a\n\ndata : b\n\n', []],
  ['a byte order mark at the beginning', '\ufeffdata: a\n\n', [message('a')]],
  ['a byte order mark later, which is a character', 'data: \ufeffa\n\n\ufeffdata: b\n\n', [message('\ufeffa')]],
  ['carriage returns', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
  ['both', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
  ['a mixture', 'data: a\ndata: b\rdata: c\r\n\r\n', [message('a\nb\nc')]],
  ['a line separator of Unicode, which ends no line', 'data: a\u2028b\u0085c\n\n', [message('a\u2028b\u0085c')]],
  ['nothing', '', []],
])('the SSE parser reads %s', (_, text, events) => {
  expect(parse(text)).toEqual(events);
});

test('the SSE parser drops an event whose blank line never came', () => {
  expect(parse('data: a\n\ndata: b\n')).toEqual([message('a')]);
});

test('the SSE parser takes a line end that is cut in two as a single line end', () => {
  expect(parse('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual([message('a\nb')]);
});

test('the SSE parser drops a byte order mark that comes in three pieces', () => {
  expect(parse(Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf), 'data: a\n\n')).toEqual([message('a')]);
});

const LINES = fc.constantFrom('\n', '\r', '\r\n');
const FIELDS = fc.constantFrom('data: ', 'data:', ':', 'event: x', 'data: é€😀', 'data: {"a":"b"}', '', '', 'id: 1');
const STREAMS = fc
  .array(fc.tuple(FIELDS, LINES), { maxLength: 30 })
  .map((lines) => lines.map((line) => line.join('')).join(''));

test('the SSE parser gives the same events wherever the bytes are cut', () => {
  fc.assert(
    fc.property(STREAMS, fc.array(fc.nat(200), { maxLength: 12 }), (text, cuts) => {
      const bytes = encodeText(text);
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
      const pieces = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
      expect(parse(...pieces)).toEqual(parse(bytes));
    }),
    { numRuns: 500 },
  );
});

/** Reference parser: applies the rules to the whole text at once. */
function plain(text: string): readonly SseEvent[] {
  const events: SseEvent[] = [];
  let data = '';
  let type = '';
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n').slice(0, -1);
  for (const line of lines) {
    const [, field = line, value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (line === '') {
      if (data !== '') events.push({ type: type || 'message', data: data.slice(0, -1) });
      data = type = '';
    } else if (field === 'data') data += `${value}\n`;
    else if (field === 'event') type = value;
  }
  return events;
}

test('the SSE parser agrees with the reference parser', () => {
  fc.assert(
    fc.property(STREAMS, (text) => {
      expect(parse(text)).toEqual(plain(text));
    }),
    { numRuns: 500 },
  );
});

describe('bytes that are not UTF-8', () => {
  test.each([
    ['a stray byte', [0xff]],
    ['half a surrogate pair', [0xed, 0xa0, 0xbd]],
    ['an overlong slash', [0xc0, 0xaf]],
  ])('the SSE parser refuses bytes with %s', (_, bytes) => {
    expect(() => parse('data: ', Uint8Array.from(bytes), '\n\n')).toThrow(TypeError);
  });

  test('the SSE parser refuses half a character at the end', () => {
    expect(() => parse('data: a\n\n', Uint8Array.of(0xe2, 0x82))).toThrow(TypeError);
  });

  test('the SSE parser accepts a character in four pieces', () => {
    const pieces = [...encodeText('😀')].map((byte) => Uint8Array.of(byte));
    expect(parse('data: ', ...pieces, '\n\n')).toEqual([message('😀')]);
  });
});

/** The number of characters that all methods of strings are called on while the work runs. */
function charactersRead(work: () => void): number {
  const strings = String.prototype;
  let characters = 0;
  const methods = Object.entries(Object.getOwnPropertyDescriptors(strings)).filter(
    ([name, { value }]) => typeof value === 'function' && name !== 'constructor',
  );
  for (const [name, { value: method, ...rest }] of methods) {
    const value = function (this: string, ...given: unknown[]): unknown {
      characters += this.length;
      return Reflect.apply(method as () => unknown, this, given);
    };
    Object.defineProperty(strings, name, { ...rest, value });
  }
  try {
    work();
  } finally {
    for (const [name, method] of methods) Object.defineProperty(strings, name, method);
  }
  return characters;
}

test('the SSE parser reads each character of a long line at most five times, also in a thousand pieces', () => {
  const parser = makeSseParser();
  const piece = encodeText('x'.repeat(100));
  const read = charactersRead(() => {
    for (let at = 0; at < 1000; at++) parser.push(piece);
    parser.push(encodeText('\n'));
  });
  expect(read).toBeGreaterThan(100_000);
  expect(read).toBeLessThan(5 * 100_000);
});
