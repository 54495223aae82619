import { describe, expect, test } from 'vitest';
import { DECODE_LIMITS, decode, encodeText } from '../../../../core/index.ts';
import { readCompletion } from '../../../../workers/bridges/models/completion.ts';

type Piece = string | Uint8Array;

/** A real response over a real stream without a network. It works in Node and in browsers. */
function response(type: string, pieces: readonly Piece[], failing = false): Response {
  const left = [...pieces];
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = left.shift();
      if (left.length > 100) await new Promise((resolve) => setTimeout(resolve));
      if (piece !== undefined) controller.enqueue(typeof piece === 'string' ? encodeText(piece) : piece);
      else if (failing) controller.error(new TypeError('terminated'));
      else controller.close();
    },
  });
  return new Response(stream, { headers: { 'content-type': type } });
}

const SSE = 'text/event-stream';
const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const STOP = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n';
const DONE = 'data: [DONE]\n\n';
const whole = (content: string) =>
  JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] });

const textOf = async (type: string, ...pieces: Piece[]) => (await readCompletion(response(type, pieces))).text;

describe('the text of an answer', () => {
  test.each([
    ['two objects', '{"done":true,"message":""}{"done":true,"message":""}'],
    ['a member twice', '{"done":true,"done":true,"message":""}'],
    ['prose around it', 'Sure! ```json\n{"done":true}\n```'],
    ['a prototype', '{"__proto__":{"done":true}}'],
    ['nothing', ''],
    ['a byte order mark', '\ufeff{}'],
    ['a null character', '\u0000{}'],
  ])('an answer with %s is returned unchanged', async (_, text) => {
    expect(await textOf(SSE, chunk(text), STOP, DONE)).toBe(text);
    expect(await textOf('application/json', whole(text))).toBe(text);
  });

  test('readCompletion joins the deltas of a stream in order, and reports each delta', async () => {
    const told: string[] = [];
    const pieces = ['{"do', 'ne":', 'true', '}'];
    const { text } = await readCompletion(response(SSE, [...pieces.map(chunk), STOP, DONE]), {
      onText: (piece) => void told.push(piece),
    });
    expect(text).toBe('{"done":true}');
    expect(told).toEqual(pieces);
  });

  test('readCompletion joins a surrogate pair that was cut between two chunks', async () => {
    const halves = '😀'
      .split('')
      .map((half) => `data: {"choices":[{"delta":{"content":"\\u${half.charCodeAt(0).toString(16)}"}}]}\n\n`);
    expect(await textOf(SSE, ...halves, STOP, DONE)).toBe('😀');
  });

  test('readCompletion returns half a surrogate pair as bytes that decode refuses, and never as U+FFFD', async () => {
    const said = await textOf(
      SSE,
      'data: {"choices":[{"delta":{"content":"{\\"a\\":\\"\\ud83d\\"}"}}]}\n\n',
      STOP,
      DONE,
    );
    expect(said).toBeInstanceOf(Uint8Array);
    expect(decode(said as Uint8Array, DECODE_LIMITS)).toMatchObject({ ok: false, refusal: { code: 'utf8' } });
  });

  test('readCompletion reads a character whose bytes come in separate pieces', async () => {
    const bytes = encodeText(chunk('é€😀') + STOP + DONE);
    expect(await textOf(SSE, ...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe('é€😀');
  });
});

describe('the rest of the envelope', () => {
  test('comments, roles, reasoning and tool calls are not part of the text of an answer', async () => {
    const extras = [
      ': ping\n\n',
      'data: {"choices":[{"delta":{"role":"assistant","content":null,"reasoning_content":"hm"}}]}\n\n',
    ];
    const tool = 'data: {"choices":[{"delta":{"tool_calls":[{"function":{"name":"x","arguments":"{}"}}]}}]}\n\n';
    expect(await textOf(SSE, ...extras, chunk('a'), tool, STOP, DONE)).toBe('a');
  });

  // a search through all calls for each piece would take minutes; between two events the time of the test can end
  test('readCompletion reads 200,000 calls of an answer in linear time', { timeout: 20_000 }, async () => {
    const made = Array.from({ length: 200 }, (_, nth) => {
      const ids = Array.from({ length: 1000 }, (__, at) => `{"id":"${nth} ${at}","function":{"name":"a"}}`);
      return `data: {"choices":[{"delta":{"tool_calls":[${ids.join(',')}]}}]}\n\n`;
    });
    const { calls } = await readCompletion(response(SSE, [...made, STOP, DONE]));
    expect(calls).toHaveLength(200_000);
  });

  test('a piece without an id belongs to the newest call of its index', async () => {
    const piece = (index: number, id: string | undefined, args: string) =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index, ...(id && { id }), function: { ...(id && { name: 'x' }), arguments: args } }] } }] })}\n\n`;
    const pieces = [
      piece(0, 'a', '1'),
      piece(1, 'b', '2'),
      piece(0, 'c', '3'),
      piece(0, 'a', '4'),
      piece(0, undefined, '5'),
    ];
    const { calls } = await readCompletion(response(SSE, [...pieces, piece(1, undefined, '6'), STOP, DONE]));
    expect(calls?.map(({ args }) => args)).toEqual(['14', '26', '35']);
  });

  test('readCompletion returns the usage that the stream reports', async () => {
    const usage = 'data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}\n\n';
    expect(await readCompletion(response(SSE, [chunk('a'), STOP, usage, DONE]))).toEqual({
      text: 'a',
      usage: { input: 7, output: 3 },
      finish: 'stop',
    });
  });

  test.each([
    ['"stop"', 'stop'],
    ['"STOP"', 'stop'],
    ['"eos_token"', 'stop'],
    ['"end_turn"', 'stop'],
    ['"length"', 'length'],
    ['"max_tokens"', 'length'],
    ['"tool_calls"', 'other'],
    ['"function_call"', 'other'],
    ['"content_filter"', 'other'],
  ])('the finish reason %s is returned as %s, streamed or whole', async (reason, finish) => {
    const end = `data: {"choices":[{"index":0,"delta":{},"finish_reason":${reason}}]}\n\n`;
    expect(await readCompletion(response(SSE, [chunk('a'), end, DONE]))).toEqual({ text: 'a', finish });
    const text = whole('a').replace('"stop"', reason);
    expect(await readCompletion(response('application/json', [text]))).toEqual({ text: 'a', finish });
  });

  test.each([['""'], ['" "'], ['"null"'], ['"abort"'], ['"insufficient_system_resource"'], ['"constructor"']])(
    'the finish reason %s is none: the answer is cut off, streamed to [DONE] or not, or whole',
    async (reason) => {
      const half = `data: {"choices":[{"index":0,"delta":{"content":"Do not "},"finish_reason":${reason}}]}\n\n`;
      const text = whole('Do not ').replace('"stop"', reason);
      for (const cut of [response(SSE, [half]), response(SSE, [half, DONE]), response('application/json', [text])])
        await expect(readCompletion(cut)).rejects.toMatchObject({ retryable: true, details: { fault: 'cut_off' } });
      expect(await textOf(SSE, half, STOP)).toBe('Do not ');
      expect(await textOf(SSE, half, STOP, half, DONE)).toBe('Do not Do not ');
      await expect(readCompletion(response(SSE, [half, STOP, half]))).rejects.toMatchObject({ retryable: true });
    },
  );

  test.each(['null', 'true', '0'])(
    'a stream needs a finish reason, and %s is none; whole JSON needs none',
    async (reason) => {
      const half = `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":${reason}}]}\n\n`;
      await expect(readCompletion(response(SSE, [half, DONE]))).rejects.toMatchObject({
        details: { fault: 'cut_off' },
      });
      const text = whole('a').replace('"stop"', reason);
      expect(await readCompletion(response('application/json', [text]))).toEqual({ text: 'a' });
    },
  );

  test('the error of an unknown finish reason tells the developer the word', async () => {
    const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}\n\n';
    await expect(readCompletion(response(SSE, [chunk('a'), end, DONE]))).rejects.toMatchObject({
      said: 'finish_reason: "abort"',
    });
  });

  test.each(['-1', '"7"', '1.5', 'null'])('readCompletion leaves out a usage of %s', async (count) => {
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":${count},"completion_tokens":3}}\n\n`;
    expect(await readCompletion(response(SSE, [chunk('a'), usage, STOP, DONE]))).toEqual({ text: 'a', finish: 'stop' });
  });

  test('a stream without [DONE] is complete when it gave a finish reason', async () => {
    expect(await textOf(SSE, chunk('a'), STOP)).toBe('a');
  });

  test('readCompletion reads no events behind [DONE]', async () => {
    expect(await textOf(SSE, chunk('a'), STOP, DONE, chunk('b'), 'data: {\n\n')).toBe('a');
  });
});

const fault = async (type: string, pieces: readonly Piece[], failing = false) => {
  const error: unknown = await readCompletion(response(type, pieces, failing)).catch((caught: unknown) => caught);
  return error;
};

describe('faults of an answer', () => {
  test.each<[string, string, readonly Piece[]]>([
    ['cut_off', SSE, [chunk('{"done":true,"message":""}')]],
    ['cut_off', SSE, [chunk('a'), 'data: [DONE]\n']],
    ['cut_off', SSE, []],
    ['not_json', SSE, ['data: {\n\n']],
    ['not_json', 'application/json', ['<html>']],
    ['not_json', 'application/json', [whole('a').slice(0, -1)]],
    ['not_json', 'application/json', [whole('a'), whole('b')]],
    ['not_completion', SSE, ['data: []\n\n', DONE]],
    ['not_completion', SSE, ['data: {"choices":{}}\n\n', DONE]],
    ['cut_off', SSE, ['data: {"choices":[null]}\n\n', DONE]],
    ['not_completion', SSE, ['data: {"choices":[{"delta":{"content":{}}}]}\n\n', DONE]],
    ['not_completion', SSE, ['data: {"choices":["b"]}\n\n', DONE]],
    ['not_completion', 'application/json', ['{}']],
    ['reported', SSE, [chunk('a'), 'data: {"error":{"message":"sk-secret"}}\n\n', DONE]],
    ['not_utf8', SSE, ['data: {"choices":[{"delta":{"content":"', Uint8Array.of(0xff), '"}}]}\n\n', DONE]],
    ['not_utf8', SSE, [chunk('a'), STOP, Uint8Array.of(0xe2, 0x82)]],
    ['not_utf8', 'application/json', [whole('a'), Uint8Array.of(0xff)]],
    ['content_type', 'text/html', ['<html><body>Bad Gateway</body></html>']],
    ['content_type', '', ['Not Found']],
    ['cut_off', '', [chunk('a'), DONE]],
  ])('readCompletion fails with %s for the content type %s and the pieces %j', async (expected, type, pieces) => {
    const error = await fault(type, pieces);
    expect(error).toMatchObject({ name: 'SallyportError', code: 'model_failed', details: { fault: expected } });
    expect(String(error)).not.toContain('sk-secret');
  });

  test('readCompletion fails with cut_off when the connection breaks', async () => {
    expect(await fault(SSE, [chunk('a'), STOP], true)).toMatchObject({ details: { fault: 'cut_off' } });
  });

  test('readCompletion fails with too_long beyond sixteen megabytes', async () => {
    const line = `: ${'x'.repeat(1 << 20)}\n`;
    const most = Array.from({ length: 15 }, () => line);
    expect(await textOf(SSE, ...most, chunk('a'), STOP, DONE)).toBe('a');
    expect(await fault(SSE, [...most, line, chunk('a'), DONE])).toMatchObject({ details: { fault: 'too_long' } });
  });

  test('readCompletion rejects with AbortError when its stream is aborted', async () => {
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new DOMException('', 'AbortError')),
    });
    const aborted = new Response(stream, { headers: { 'content-type': SSE } });
    await expect(readCompletion(aborted)).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('readCompletion cancels its stream after success and after failure', async () => {
    for (const pieces of [[chunk('a'), STOP, DONE], ['data: {\n\n']]) {
      let cancelled = false;
      const left = [...pieces];
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(encodeText(left.shift() ?? ': ping\n\n')),
        cancel: () => void (cancelled = true),
      });
      await readCompletion(new Response(stream, { headers: { 'content-type': SSE } })).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve));
      expect(cancelled).toBe(true);
    }
  });
});
