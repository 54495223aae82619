import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../../../../core/index.ts';
import { strictFetch } from '../../../../../workers/bridges/mcp/wire/fetch.ts';

const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

interface Asked {
  readonly response: Response;
  readonly refused: readonly string[];
}

/** The answer to a request with the id 7, or to a request without a body. */
async function asked(answer: Response, id: number | null = 7): Promise<Asked> {
  const refused: string[] = [];
  const fetch = strictFetch(
    async () => answer,
    ({ code }: Refusal) => void refused.push(code),
  );
  const body = id === null ? {} : { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id, method: 'm' }) };
  return { response: await fetch('https://server.test/mcp', body), refused };
}

/** A stream of a text in chunks of the given length. */
function streamOf(text: string, length = text.length): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(bytes.slice(at, at + Math.max(1, length)));
      at += Math.max(1, length);
    },
  });
}

/** The messages and the ids of a stream of events, as a client reads them. */
async function eventsOf({ response }: Asked): Promise<readonly unknown[]> {
  const events = (await response.text()).split('\n\n').filter((each) => /^data: ?./m.test(each));
  return events.map((each) => JSON.parse(/^data: (.*)$/m.exec(each)?.[1] ?? 'null') as unknown);
}

const answered = (text: string) => ({ jsonrpc: '2.0', id: 7, result: { text } });
const refusal = (code: string) => ({ jsonrpc: '2.0', id: 7, error: { code: -32700, data: { code } } });

describe('a body of JSON', () => {
  it('that is strict is handed on', async () => {
    const { response, refused } = await asked(Response.json(answered('x')));
    expect(await response.json()).toEqual(answered('x'));
    expect(refused).toEqual([]);
  });

  it.each([
    ['{"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}', 'duplicate_member'],
    ['{"jsonrpc":"2.0","id":7,"result":{"n":9007199254740993}}', 'number_precision'],
    ['{"jsonrpc":"2.0","id":7,"result":{"t":"\\ud800"}}', 'lone_surrogate'],
    ['<html>', 'json_syntax'],
    ['', 'json_syntax'],
    ['{"jsonrpc":"2.0","id":"7","result":{}}', 'wrong_type'],
    ['{"jsonrpc":"2.0","id":8,"result":{}}', 'wrong_type'],
    ['{"jsonrpc":"2.0","id":[7],"result":{}}', 'wrong_type'],
    ['[{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":7,"result":{}}]', 'not_object'],
  ])('%s becomes an error for the request', async (text, code) => {
    const { response, refused } = await asked(new Response(text, { headers: JSON_TYPE }));
    expect(await response.json()).toMatchObject(refusal(code));
    expect(refused).toEqual([code]);
  });

  it('over the limit is not read to its end', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent++;
        controller.enqueue(new Uint8Array(1 << 20).fill(0x20));
      },
    });
    const { response } = await asked(new Response(endless, { headers: JSON_TYPE }));
    expect(await response.json()).toMatchObject(refusal('limit_size'));
    expect(sent).toBeLessThan(20);
  });

  it('of an authorization that is not strict is an error of the request', async () => {
    const fetch = strictFetch(
      async () => new Response('{"access_token":"a","access_token":"b"}', { headers: JSON_TYPE }),
    );
    await expect(fetch('https://server.test/token', { method: 'POST', body: 'grant_type=x' })).rejects.toThrow(
      'refused',
    );
  });
});

describe('a stream of events', () => {
  const stream = (text: string, length?: number) => new Response(streamOf(text, length), { headers: EVENTS });

  it('is the same for any division into chunks and any line end', async () => {
    const lines = [
      'event: message',
      'id: 1',
      `data: ${JSON.stringify(answered('ü'))}`,
      '',
      ': note',
      'data',
      'data: {"method":"m"}',
      '',
      '',
    ];
    const ends = fc.constantFrom('\n', '\r\n', '\r');
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 40 }), ends, async (length, end) => {
        const found = await asked(stream(lines.join(end), length));
        expect(await eventsOf(found)).toEqual([answered('ü'), { method: 'm' }]);
        expect(found.refused).toEqual([]);
      }),
    );
  });

  it('has a refused answer as an error, once, and leaves other refused messages out', async () => {
    const text = [
      'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"a":1,"a":2}}\n\n',
      'data: {"jsonrpc":"2.0","id":7,"result":{"a":1,"a":2}}\n\n',
      'data: not json\n\n',
    ];
    const found = await asked(stream(text.join('')));
    expect(await eventsOf(found)).toMatchObject([refusal('duplicate_member')]);
    expect(found.refused).toEqual(['duplicate_member', 'duplicate_member', 'json_syntax']);
  });

  it('counts an answer only as an object with the very id of the request', async () => {
    const others = [8, '7', null, [7]].map((id) => ({ ...answered('other'), id }));
    const batch = [answered('first'), answered('second')];
    const text = [...others, batch, answered('right')].map((each) => `data: ${JSON.stringify(each)}\n\n`).join('');
    const found = await asked(new Response(streamOf(text), { headers: EVENTS }));
    expect(await eventsOf(found)).toEqual([answered('right')]);
    expect(found.refused).toEqual(['wrong_type', 'wrong_type', 'wrong_type', 'wrong_type', 'not_object']);
  });

  it('that ends without the answer becomes an error', async () => {
    const found = await asked(stream('data: {"jsonrpc":"2.0","method":"m"}\n\ndata: {"half'));
    expect(await eventsOf(found)).toMatchObject([{ method: 'm' }, refusal('mcp_connection')]);
  });

  it('that breaks without the answer becomes an error', async () => {
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('broken')) });
    const found = await asked(new Response(broken, { headers: EVENTS }));
    expect(await eventsOf(found)).toMatchObject([refusal('mcp_connection')]);
  });

  it('that ends without the answer, and has named an event, can be gone on with', async () => {
    const { response, refused } = await asked(stream('id: 4\ndata: \n\n'));
    expect(await response.text()).toBe('id: 4\ndata:\n\n');
    expect(refused).toEqual([]);
  });

  it('of no request may end without an answer', async () => {
    const { response } = await asked(stream('data: {"jsonrpc":"2.0","method":"m"}\n\n'), null);
    expect(await response.text()).not.toContain('error');
  });

  it('with an event over the limit becomes an error, and later events are read', async () => {
    const event = `data: ${'x'.repeat(1 << 20)}\n`;
    const found = await asked(stream(`${event.repeat(17)}\ndata: {"jsonrpc":"2.0","method":"m"}\n\n`, 1 << 20));
    expect(await eventsOf(found)).toMatchObject([refusal('limit_size'), { method: 'm' }]);
  });
});
