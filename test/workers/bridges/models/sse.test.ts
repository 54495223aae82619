import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8, encodeText } from '../../../../core/index.ts';
import { makeSseReader, type SseEvent } from '../../../../workers/bridges/models/sse.ts';

const BYTES_MAX = 10_000;

interface Event {
  readonly type: string;
  readonly data: string;
}

function read(...pieces: readonly (string | Uint8Array)[]): { events: readonly SseEvent[]; rest: Uint8Array } {
  const events: SseEvent[] = [];
  const reader = makeSseReader(BYTES_MAX, (event) => void events.push(event));
  for (const piece of pieces) reader.push(typeof piece === 'string' ? encodeText(piece) : piece);
  return { events, rest: reader.end() };
}

/** The events that have data. */
function parse(...pieces: readonly (string | Uint8Array)[]): readonly Event[] {
  const { events } = read(...pieces);
  return events
    .filter(({ lines }) => lines > 0)
    .map(({ type, data }) => ({ type, data: decodeUtf8(data) ?? 'broken' }));
}

const message = (data: string): Event => ({ type: 'message', data });

/** Examples and rules of the standard for event streams. */
test.each<[string, string, Event[]]>([
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
])('the SSE reader reads %s', (_, text, events) => {
  expect(parse(text)).toEqual(events);
});

test('the SSE reader drops an event whose blank line never came', () => {
  expect(parse('data: a\n\ndata: b\n')).toEqual([message('a')]);
});

test('the SSE reader takes a line end that is cut in two as a single line end', () => {
  expect(parse('data: a\r', '\ndata: b\r', '\n\r', '\n')).toEqual([message('a\nb')]);
});

test('the SSE reader drops a byte order mark that comes in three pieces', () => {
  expect(parse(Uint8Array.of(0xef), Uint8Array.of(0xbb), Uint8Array.of(0xbf), 'data: a\n\n')).toEqual([message('a')]);
});

const LINES = fc.constantFrom('\n', '\r', '\r\n');
const FIELDS = fc.constantFrom('data: ', 'data:', ':', 'event: x', 'data: é€😀', 'data: {"a":"b"}', '', '', 'id: 1');
const STREAMS = fc
  .array(fc.tuple(FIELDS, LINES), { maxLength: 30 })
  .map((lines) => lines.map((line) => line.join('')).join(''));

test('the SSE reader gives the same events wherever the bytes are cut', () => {
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
function plain(text: string): readonly Event[] {
  const events: Event[] = [];
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

test('the SSE reader agrees with the reference parser', () => {
  fc.assert(
    fc.property(STREAMS, (text) => {
      expect(parse(text)).toEqual(plain(text));
    }),
    { numRuns: 500 },
  );
});

describe('bytes', () => {
  test.each([
    ['a stray byte', [0xff]],
    ['half a surrogate pair', [0xed, 0xa0, 0xbd]],
    ['an overlong slash', [0xc0, 0xaf]],
  ])('the SSE reader hands over %s as it came', (_, bytes) => {
    const [event] = read('data: ', Uint8Array.from(bytes), '\n\n').events;
    expect([...(event?.data ?? [])]).toEqual(bytes);
  });

  test('the SSE reader hands over what stands behind the last line', () => {
    expect([...read('data: a\n\n', Uint8Array.of(0xe2, 0x82)).rest]).toEqual([0xe2, 0x82]);
  });

  test('the SSE reader accepts a character in four pieces', () => {
    const pieces = [...encodeText('😀')].map((byte) => Uint8Array.of(byte));
    expect(parse('data: ', ...pieces, '\n\n')).toEqual([message('😀')]);
  });
});

describe('the bound', () => {
  const long = 'x'.repeat(BYTES_MAX);

  test.each([
    ['in one line', `data: ${long}x\n\n`],
    ['in one line that is longer than any line', `data: ${long}${long}\n\n`],
    ['in two lines', `data: ${long}\ndata:\n\n`],
  ])('the SSE reader keeps no event over its bound %s, and reads the next', (_, text) => {
    const [over, next] = read(text, 'data: a\n\n').events;
    expect(over?.bytes).toBeGreaterThan(BYTES_MAX);
    expect(over?.data.length).toBe(0);
    expect(decodeUtf8(next?.data ?? new Uint8Array())).toBe('a');
  });

  test.each([
    ['a comment', `:${long}${long}\n`],
    ['an unknown field', `other: ${long}${long}\n`],
  ])('the SSE reader counts nothing for %s over the bound', (_, line) => {
    expect(parse(`${line}data: a\n\n`)).toEqual([message('a')]);
  });
});

/** The number of bytes that are looked at or copied while the work runs. */
function bytesRead(work: () => void): number {
  const arrays = Object.getPrototypeOf(Uint8Array.prototype) as Record<string, (...given: unknown[]) => unknown>;
  const methods = ['slice', 'set', 'indexOf', 'includes', 'every', 'fill'].map((name) => [name, arrays[name]] as const);
  let bytes = 0;
  for (const [name, method] of methods) {
    arrays[name] = function (this: Uint8Array, ...given: unknown[]): unknown {
      const [source] = given;
      bytes += source instanceof Uint8Array ? source.length : this.length;
      return Reflect.apply(method as () => unknown, this, given);
    };
  }
  try {
    work();
  } finally {
    for (const [name, method] of methods) arrays[name] = method as (...given: unknown[]) => unknown;
  }
  return bytes;
}

test('the SSE reader reads each byte of a long line at most seven times, also in a thousand pieces', () => {
  const reader = makeSseReader(1 << 20, () => undefined);
  const piece = encodeText('x'.repeat(100));
  const read = bytesRead(() => {
    for (let at = 0; at < 1000; at++) reader.push(piece);
    reader.push(encodeText('\n'));
  });
  expect(read).toBeGreaterThan(100_000);
  expect(read).toBeLessThan(7 * 100_000);
});
