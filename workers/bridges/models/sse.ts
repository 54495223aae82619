/** An event of a `text/event-stream`. */
export interface SseEvent {
  readonly type: string;
  readonly data: string;
}

export interface SseParser {
  /** The events that these bytes complete. Throws `TypeError` where they are not UTF-8. */
  push(bytes: Uint8Array): readonly SseEvent[];
  /** Ends the stream. An event without its blank line is dropped, as the standard requires; half a character throws. */
  end(): void;
}

/**
 * Parses server-sent events by the WHATWG's rules for parsing and interpreting a stream, with a single difference:
 * bytes that are not UTF-8 are an error and never become U+FFFD, because a proposal is made of them. `id` and `retry`
 * serve reconnection and are ignored. Time is linear in the bytes, for any division into chunks.
 */
export function makeSseParser(): SseParser {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let pieces: string[] = [];
  let afterReturn = false;
  let type = '';
  let data: string[] = [];

  function take(line: string): SseEvent | undefined {
    if (line === '') return dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data.push(value);
    if (field === 'event') type = value;
    return undefined;
  }

  function dispatch(): SseEvent | undefined {
    const event = { type: type === '' ? 'message' : type, data: data.join('\n') };
    const empty = data.length === 0;
    type = '';
    data = [];
    return empty ? undefined : event;
  }

  function push(bytes: Uint8Array): readonly SseEvent[] {
    const decoded = decoder.decode(bytes, { stream: true });
    if (decoded === '') return [];
    // CR LF is a single line end, also across two chunks.
    const text = afterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterReturn = decoded.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    pieces.push(first);
    const events: SseEvent[] = [];
    for (const next of others) {
      const event = take(pieces.join(''));
      if (event !== undefined) events.push(event);
      pieces = [next];
    }
    return events;
  }

  return { push, end: () => void decoder.decode() };
}
