import { afterEach, describe, expect, test } from 'vitest';
import { answerAt } from '../../web/door-request.ts';
import { makeDoor, OPEN_MAX } from '../../workers/bridges/endpoint/door.ts';
import type { DoorRequest, DoorSettings } from '../../workers/bridges/endpoint/host.ts';

const URL_OF_SERVER = 'https://api.example/mcp';
const bytes = (text: string) => new TextEncoder().encode(text);
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A door over real ports, whose server is a function. */
function doorTo(server: (request: Request) => Response | Promise<Response>, settings: Partial<DoorSettings> = {}) {
  const door = makeDoor({ kind: 'mcp', url: URL_OF_SERVER, ...settings }, async (input, init) =>
    server(new Request(input, init)),
  );
  return (given: Partial<DoorRequest> = {}, signal: AbortSignal = new AbortController().signal): Promise<Response> => {
    const { port1, port2 } = new MessageChannel();
    closing.push(() => (port1.close(), port2.close()));
    const answer = answerAt(port1, signal);
    void door.ask({ url: URL_OF_SERVER, method: 'GET', headers: [], ...given }, port2);
    return answer;
  };
}

/** The bytes of a body. `text()` and its like hide the error of a stream in some browsers; a reader gets it. */
async function drained({ body }: Response): Promise<number> {
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  let length = 0;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) length += piece.value.byteLength;
  return length;
}

/** A body whose pieces are counted when they are taken. */
function counted(pieces: number) {
  const seen = { taken: 0, cancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (seen.taken === pieces) return controller.close();
        controller.enqueue(bytes(`${seen.taken++} `));
      },
      cancel() {
        seen.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen, body };
}

describe('an answer through a door', () => {
  test('status, headers and body of an answer reach the page', async () => {
    const ask = doorTo(
      () => new Response('hello', { status: 201, statusText: 'Made', headers: { 'mcp-session-id': '7' } }),
    );
    const response = await ask();
    expect([response.status, response.statusText, response.headers.get('mcp-session-id')]).toEqual([201, 'Made', '7']);
    expect(await response.text()).toBe('hello');
  });

  test('a request has its method, headers and body, and the headers of the opening', async () => {
    const ask = doorTo(
      async (request) =>
        Response.json([request.method, request.url, await request.text(), Object.fromEntries(request.headers)]),
      { headers: { 'x-key': 'sk-12345' } },
    );
    const body = bytes('{"a":1}').buffer as ArrayBuffer;
    const response = await ask({ method: 'POST', headers: [['content-type', 'application/json']], body });
    const { 'content-type': type, 'x-key': key } = (await response.clone().json())[3];
    expect((await response.json()).slice(0, 3)).toEqual(['POST', URL_OF_SERVER, '{"a":1}']);
    expect([type, key]).toEqual(['application/json', '********']);
  });

  test('a key that the server sends back does not reach the page', async () => {
    const key = 'sk-door-4711';
    const settings = { headers: { authorization: `Bearer ${key}` } };
    const pieces = [`{"you":"Bearer sk-do`, 'or-4711"', `,"and":"${key}","end":"sk-door`];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(bytes(piece));
      },
    });
    const response = await doorTo(() => new Response(body, { headers: { 'x-echo': key } }), settings)();
    expect(response.headers.get('x-echo')).toBe('(secret)');
    expect(await response.text()).toBe(`{"you":"${'*'.repeat(19)}","and":"${'*'.repeat(12)}","end":"sk-door`);
  });

  test.each([204, 205, 304])('an answer of status %i has no body', async (status) => {
    const response = await doorTo(() => new Response(null, { status }))();
    expect([response.status, response.body]).toEqual([status, null]);
  });

  test('an answer arrives piece by piece, while the server still writes', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const response = await doorTo(() => new Response(readable))();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (const word of ['one', 'two']) {
      void writer.write(bytes(word));
      expect(await reader.read()).toEqual({ done: false, value: bytes(word) });
    }
    void writer.close();
    expect(await reader.read()).toMatchObject({ done: true });
  });

  test('a page that does not read takes one piece, and the rest stays with the server', async () => {
    const { seen, body } = counted(50);
    const response = await doorTo(() => new Response(body))();
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await expect.poll(() => seen.taken).toBe(2);
    // Every message between page and worker has had its turn.
    await doorTo(() => new Response('x'))().then((other) => other.text());
    expect(seen.taken).toBe(2);
    let rest = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      rest += new TextDecoder().decode(piece.value);
    expect(rest.trim().split(' ')).toHaveLength(49);
  });

  test('2 MB arrive as they were sent', async () => {
    const sent = new Uint8Array(2_000_000).map((_, index) => index % 251);
    const response = await doorTo(() => new Response(sent))();
    const got = new Uint8Array(await response.arrayBuffer());
    expect([got.length, got.findIndex((byte, index) => byte !== sent[index])]).toEqual([sent.length, -1]);
  });
});

describe('the end of a request', () => {
  test('an abort before the answer reaches the request, and rejects with its reason', async () => {
    const stop = new AbortController();
    let asked: AbortSignal | undefined;
    const ask = doorTo((request) => {
      asked = request.signal;
      return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)));
    });
    const answer = ask({}, stop.signal);
    await expect.poll(() => asked).toBeDefined();
    stop.abort(new Error('changed my mind'));
    await expect(answer).rejects.toThrow('changed my mind');
    await expect.poll(() => asked?.aborted).toBe(true);
  });

  test('an abort within a body ends the stream with its reason, and the server stops', async () => {
    const stop = new AbortController();
    const { seen, body } = counted(50);
    const response = await doorTo(() => new Response(body))({}, stop.signal);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    stop.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
    await expect.poll(() => seen.cancelled).toBe(true);
  });

  test('a cancelled body ends the request at the server', async () => {
    const { seen, body } = counted(50);
    const response = await doorTo(() => new Response(body))();
    await response.body?.cancel();
    await expect.poll(() => seen.cancelled).toBe(true);
  });

  test('a server that cannot be reached rejects as fetch does, with a code', async () => {
    const answer = doorTo(() => Promise.reject(new TypeError('fetch failed for sk-1')))();
    await expect(answer).rejects.toBeInstanceOf(TypeError);
    await expect(answer).rejects.toMatchObject({
      code: 'door_unreachable',
      message: expect.not.stringContaining('sk-1'),
    });
  });

  test('a connection that ends within a body fails the stream', async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes('half'));
      },
      pull(controller) {
        controller.error(new TypeError('terminated sk-1'));
      },
    });
    const response = await doorTo(() => new Response(broken))();
    await expect(drained(response)).rejects.toMatchObject({
      code: 'door_unreachable',
      message: 'The connection ended before the answer did.',
    });
  });

  test('a request that breaks a rule is not sent', async () => {
    let asked = 0;
    const ask = doorTo(() => (asked++, new Response('')));
    await expect(ask({ url: 'https://evil.example/' })).rejects.toMatchObject({
      name: 'SallyportError',
      code: 'door_refused',
      details: { rule: 'url' },
    });
    expect(asked).toBe(0);
  });

  test('an answer beyond the bytes of its kind is cut', async () => {
    const most = 1024 * 1024;
    const ask = doorTo(() => new Response(new Uint8Array(most + 1)), { kind: 'otlp' });
    const response = await ask({ method: 'POST' });
    await expect(drained(response)).rejects.toMatchObject({ details: { rule: 'response_bytes' } });
    const exact = await doorTo(() => new Response(new Uint8Array(most)), { kind: 'otlp' })({ method: 'POST' });
    expect(await drained(exact)).toBe(most);
  });

  test('a door has 32 open requests, and a finished request gives its place back', async () => {
    const ask = doorTo(() => new Response(counted(50).body));
    const open = await Promise.all(Array.from({ length: OPEN_MAX }, () => ask()));
    await expect(ask()).rejects.toMatchObject({ details: { rule: 'requests' } });
    await open[0]?.body?.cancel();
    await open[1]?.text();
    await expect
      .poll(() =>
        ask().then(
          (response) => response.status,
          () => 0,
        ),
      )
      .toBe(200);
    await expect
      .poll(() =>
        ask().then(
          (response) => response.status,
          () => 0,
        ),
      )
      .toBe(200);
  });
});
