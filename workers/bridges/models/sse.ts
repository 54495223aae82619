import { makeLineSplitter } from './lines.ts';

/** An event of a `text/event-stream`, also one without data. */
export interface SseEvent {
  /** `message` where the event names no type. */
  readonly type: string;
  readonly id?: string;
  /** What the stream says about reconnection, unread. */
  readonly retry?: string;
  /** Number of lines of data. */
  readonly lines: number;
  /** Length of the data with the line feeds between its lines, also where it is over the bound. */
  readonly bytes: number;
  /** The data, as it came. Empty where it is over the bound: a longer event is not kept. */
  readonly data: Uint8Array;
}

interface SseReader {
  push(chunk: Uint8Array): void;
  /**
   * Ends the stream. An event without its blank line is dropped, as the standard requires. Returns the bytes behind the
   * last line end.
   */
  end(): Uint8Array;
}

type OpenEvent = { -readonly [name in keyof SseEvent]: SseEvent[name] };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Bytes of an `event`, `id` or `retry` that are kept. A longer one is left out. */
const VALUE_BYTES_MAX = 1024;

const decoder: TextDecoder = new TextDecoder();

/**
 * Reads server-sent events by the WHATWG's rules for parsing and interpreting a stream. The data of an event stays bytes,
 * so that its reader decides about bytes that are not UTF-8. Memory is bounded by the bound of an event's data and the
 * largest chunk. Time is linear in the bytes, for any division into chunks. `stray` receives each line that is no
 * comment and has no field of the standard.
 */
export function makeSseReader(
  bytesMax: number,
  take: (event: SseEvent) => void,
  stray?: (line: Uint8Array) => void,
): SseReader {
  let event = emptyEvent();
  let isFirst = true;
  let afterReturn = false;
  let rest: Uint8Array | undefined;
  let hasEnded = false;

  const line = (bytes: Uint8Array): void => {
    if (hasEnded) {
      rest = bytes;
      return;
    }
    const isMarked = isFirst && BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
    isFirst = false;
    const shown = isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
    if (shown.byteLength > 0) {
      if (stray !== undefined && isStray(shown)) stray(shown);
      return addLine(event, shown, bytesMax);
    }
    const whole = event;
    event = emptyEvent();
    take({ ...whole, data: whole.data.subarray(0, whole.bytes) });
  };

  const splitter = makeLineSplitter(bytesMax + 64, {
    line,
    dropped: ({ bytes, head, tail }) => {
      isFirst = false;
      if (hasEnded) rest = tail;
      else if (fieldOf(head) === 'data') addLength(event, bytes, bytesMax);
    },
  });

  return {
    push(chunk) {
      splitter.push(withLineFeeds(chunk, afterReturn));
      if (chunk.byteLength > 0) afterReturn = chunk.at(-1) === CARRIAGE_RETURN;
    },
    end() {
      hasEnded = true;
      splitter.end();
      return rest ?? new Uint8Array();
    },
  };
}

function emptyEvent(): OpenEvent {
  return { type: 'message', lines: 0, bytes: 0, data: new Uint8Array() };
}

/** Name of a line's field. Empty for a comment, and for a name that is longer than those of the standard. */
function fieldOf(line: Uint8Array): string {
  const colon = line.indexOf(0x3a);
  const end = colon < 0 ? line.byteLength : colon;
  return end > 5 ? '' : decoder.decode(line.subarray(0, end));
}

const FIELDS: ReadonlySet<string> = new Set(['data', 'event', 'id', 'retry']);

/** True for a line that is no comment and has no field of the standard. */
function isStray(line: Uint8Array): boolean {
  return line[0] !== 0x3a && !FIELDS.has(fieldOf(line));
}

/** Adds a line to its event. Comments and unknown fields are left out. */
function addLine(event: OpenEvent, line: Uint8Array, bytesMax: number): void {
  const field = fieldOf(line);
  const colon = line.indexOf(0x3a);
  const value = colon < 0 ? new Uint8Array() : line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1);
  if (field === 'data') addData(event, value, bytesMax);
  if (value.byteLength > VALUE_BYTES_MAX) return;
  const text = (): string => decoder.decode(value);
  if (field === 'event') event.type = text() || 'message';
  if (field === 'id') event.id = text();
  if (field === 'retry') event.retry = text();
}

/** Counts a line of data. Returns the place of its first byte. */
function addLength(event: OpenEvent, length: number, bytesMax: number): number {
  const from = event.bytes + (event.lines > 0 ? 1 : 0);
  event.lines++;
  event.bytes = from + length;
  if (event.bytes > bytesMax) event.data = new Uint8Array();
  return from;
}

/** The data has room for more of it. An event may have millions of empty lines: each takes a single byte here. */
function addData(event: OpenEvent, value: Uint8Array, bytesMax: number): void {
  const from = addLength(event, value.byteLength, bytesMax);
  if (event.bytes > bytesMax) return;
  if (from === 0) {
    event.data = value;
    return;
  }
  if (event.bytes > event.data.byteLength) {
    const room = new Uint8Array(Math.min(bytesMax, event.bytes * 2)).fill(LINE_FEED);
    room.set(event.data.subarray(0, from));
    event.data = room;
  }
  event.data.set(value, from);
}

/** The standard ends a line by CR, LF or both; the splitter by LF alone. */
function withLineFeeds(chunk: Uint8Array, afterReturn: boolean): Uint8Array {
  if (!afterReturn && !chunk.includes(CARRIAGE_RETURN)) return chunk;
  const bytes = new Uint8Array(chunk.byteLength);
  let length = 0;
  let before = afterReturn;
  for (const byte of chunk) {
    if (byte !== LINE_FEED || !before) bytes[length++] = byte === CARRIAGE_RETURN ? LINE_FEED : byte;
    before = byte === CARRIAGE_RETURN;
  }
  return bytes.subarray(0, length);
}
