import { describe, expect, test } from 'vitest';
import { callOf, documentOf, json, localServer, raw, sourceOf } from './server.ts';

const JSON_ANY = { content: { 'application/json': { schema: {} } } };

/** Result of a call whose server answers with these bytes. */
async function answered(
  body: string | Uint8Array,
  type: string,
  { status = 200, responses = { 200: JSON_ANY } as object, options = {} } = {},
): Promise<unknown> {
  const server = await localServer((_, response) => raw(response, body, type, status));
  const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', responses } } }), {
    baseUrl: server.origin,
    ...options,
  });
  return callOf(source, 'a', {});
}

describe('an answer of success', () => {
  test('JSON is the body', async () => {
    expect(await answered('{"a":[1,null]}', 'application/json; charset=utf-8')).toEqual({
      status: 200,
      body: { a: [1, null] },
    });
    expect(await answered('"x"', 'application/problem+json')).toEqual({ status: 200, body: 'x' });
  });

  test('text comes with its media type, bytes in base64', async () => {
    expect(await answered('a,b', 'text/csv')).toEqual({ status: 200, body: 'a,b', mediaType: 'text/csv' });
    const bytes = new Uint8Array([255, 0, 1]);
    const base64 = { status: 200, body: '/wAB', encoding: 'base64' };
    expect(await answered(bytes, 'image/png')).toEqual({ ...base64, mediaType: 'image/png' });
    expect(await answered(bytes, 'text/plain')).toEqual({ ...base64, mediaType: 'text/plain' });
  });

  test('an empty answer has a status alone', async () => {
    expect(await answered('', 'application/json', { status: 204, responses: { 204: {} } })).toEqual({ status: 204 });
  });

  test('named headers are in the result', async () => {
    const server = await localServer((_, response) => {
      response.setHeader('link', '<x>; rel=next');
      json(response, {});
    });
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', responses: {} } } }), {
      baseUrl: server.origin,
      answerHeaders: ['Link', 'ETag'],
    });
    expect(await callOf(source, 'a', {})).toEqual({ status: 200, body: {}, headers: { link: '<x>; rel=next' } });
  });

  test.each([
    ['a member twice', '{"a":1,"a":2}', 'duplicate_member'],
    ['a number that changes', '{"a":9007199254740993}', 'number_precision'],
    ['broken JSON', '{"a":', 'json_syntax'],
    ['a lone surrogate', '"\\ud800"', 'lone_surrogate'],
    ['too many levels', '['.repeat(70) + ']'.repeat(70), 'limit_depth'],
    ['a byte order mark', '\ufeff{}', 'bom'],
  ])('JSON with %s is refused', async (_, body, code) => {
    expect(await answered(body, 'application/json')).toMatchObject({
      error: 'answer_refused',
      message: expect.stringContaining(`(${code})`),
    });
  });

  test('a member named __proto__ is a member', async () => {
    const { body } = (await answered('{"__proto__":{"admin":true}}', 'application/json')) as { body: { admin?: true } };
    expect([Object.keys(body), body.admin]).toEqual([['__proto__'], undefined]);
  });

  test('a body of the bound is taken, and a longer one is refused', async () => {
    const options = { answerBytes: 100 };
    expect(await answered('x'.repeat(100), 'text/plain', { options })).toMatchObject({ body: 'x'.repeat(100) });
    expect(await answered('x'.repeat(101), 'text/plain', { options })).toMatchObject({
      error: 'answer_refused',
      message: 'The answer is refused: it has more than 100 bytes',
    });
  });

  test('a body without end is cut off at the bound', async () => {
    let isClosed = false;
    const server = await localServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => {
        clearInterval(timer);
        isClosed = true;
      });
    });
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', responses: {} } } }), {
      baseUrl: server.origin,
    });
    expect(await callOf(source, 'a', {})).toMatchObject({ error: 'answer_refused' });
    await expect.poll(() => isClosed).toBe(true);
  });

  test('a status that the document does not declare is refused', async () => {
    const undeclared = { error: 'answer_refused', message: 'The document does not declare an answer with 202.' };
    expect(await answered('{}', 'application/json', { status: 202 })).toEqual(undeclared);
    for (const responses of [{ '2XX': JSON_ANY }, { default: JSON_ANY }, {}])
      expect(await answered('{}', 'application/json', { status: 202, responses })).toEqual({ status: 202, body: {} });
  });
});

describe('an answer that breaks off', () => {
  const broken = async (status: number) => {
    const server = await localServer((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"a":', () => setTimeout(() => response.destroy(), 100));
    });
    const paths = { '/a': { get: { operationId: 'a', responses: { 200: JSON_ANY } } } };
    return callOf(sourceOf(documentOf(paths), { baseUrl: server.origin }), 'a', {});
  };

  test('is refused where it was one of success', async () => {
    expect(await broken(200)).toEqual({
      error: 'answer_refused',
      message: 'The answer is refused: the connection ended before it was complete',
    });
  });

  test('has its status and its beginning where it was one of failure', async () => {
    expect(await broken(500)).toEqual({ error: 'http_error', message: 'The server answered 500: {"a":' });
  });
});

describe('an answer of failure', () => {
  test('an error has the status and the beginning of the text', async () => {
    expect(await answered('{"message":"No\\u0000 such\n pet"}', 'application/json', { status: 404 })).toEqual({
      error: 'http_error',
      message: 'The server answered 404: {"message":"No\\u0000 such pet"}',
    });
    const long = (await answered('\u001b[31mx'.repeat(5000), 'text/plain', { status: 500 })) as { message: string };
    expect(long.message.length).toBeLessThan(1100);
    expect(long.message).not.toContain('\u001b');
    expect(await answered('', 'text/plain', { status: 503 })).toMatchObject({ message: 'The server answered 503.' });
  });

  test('a server that cannot be reached is an error without the request', async () => {
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', responses: {} } } }), {
      baseUrl: 'http://127.0.0.1:1',
    });
    expect(await callOf(source, 'a', {})).toEqual({
      error: 'unreachable',
      message: 'The server http://127.0.0.1:1 cannot be reached.',
    });
  });

  test('a call ends with its signal, and with its source', async () => {
    const server = await localServer(() => undefined);
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', responses: {} } } }), {
      baseUrl: server.origin,
    });
    const controller = new AbortController();
    const first = callOf(source, 'a', {}, controller.signal);
    const second = callOf(source, 'a', {});
    await expect.poll(() => server.arrived.length).toBe(2);
    controller.abort();
    expect(await first).toMatchObject({ error: 'AbortError' });
    await source.close();
    expect(await second).toMatchObject({ error: 'AbortError' });
    expect(await callOf(source, 'a', {})).toMatchObject({ error: 'source_closed' });
    expect(server.arrived.length).toBe(2);
  });
});

describe('results against the schema of an answer', () => {
  test('answers of several statuses have their own schemas', async () => {
    const body = (type: string) => ({ content: { 'application/json': { schema: { type } } } });
    const responses = { 200: body('string'), 201: body('number'), '2XX': body('boolean'), default: body('null') };
    const [tool] = await sourceOf(documentOf({ '/a': { get: { responses } } }), {
      baseUrl: 'https://api.example',
    }).list();
    const form = (status: object, type: string) => ({
      type: 'object',
      required: ['status', 'body'],
      properties: { status: { type: 'integer', ...status }, body: { type } },
    });
    expect(tool?.result).toEqual({
      anyOf: [
        form({ enum: [200] }, 'string'),
        form({ enum: [201] }, 'number'),
        form({ minimum: 200, maximum: 299, not: { enum: [200, 201] } }, 'boolean'),
      ],
    });
  });

  test('an answer that may have another media type has no schema', async () => {
    const content = { 'application/json': { schema: { type: 'string' } }, 'text/csv': {} };
    const [tool] = await sourceOf(documentOf({ '/a': { get: { responses: { 200: { content } } } } }), {
      baseUrl: 'https://api.example',
    }).list();
    expect(tool).not.toHaveProperty('result');
  });
});
