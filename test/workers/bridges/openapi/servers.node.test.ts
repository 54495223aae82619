import { describe, expect, test } from 'vitest';
import type { OpenApiOptions } from '../../../../workers/openapi.ts';
import { callOf, documentOf, json, localServer, raw, refusalsOf, sourceOf } from './server.ts';

const OK = { responses: { 200: { description: 'ok' } } };
const KEY = 'Bearer secret-of-the-program';

async function originsOf(document: object, options: Partial<OpenApiOptions>): Promise<readonly (string | undefined)[]> {
  return (await sourceOf(document, options).list()).map(({ description }) =>
    description.split(':').slice(0, -1).join(':'),
  );
}

describe('the server of an operation', () => {
  const paths = {
    '/a': { get: { ...OK } },
    '/b': { servers: [{ url: 'https://b.example/x/' }], get: { ...OK } },
    '/c': {
      servers: [{ url: 'https://b.example' }],
      get: { ...OK, servers: [{ url: 'https://evil.example' }, { url: '/v2' }] },
    },
  };
  const servers = [{ url: 'https://api.example/v1/' }];

  test('an operation whose server is not permitted is refused', async () => {
    const document = documentOf(paths, { servers });
    const reason = 'the server of the operation is not permitted: https://b.example';
    expect(refusalsOf(sourceOf(document, { baseUrl: 'https://own.example/v9' }))).toEqual([
      ['GET /b', reason, '/paths/~1b/servers'],
    ]);
    expect(
      await originsOf(document, { baseUrl: 'https://own.example/v9', servers: ['https://b.example/any'] }),
    ).toEqual(['GET https://own.example/v9/a', 'GET https://b.example/x/b', 'GET https://own.example/v2/c']);
  });

  test('without a server of the program the first server of the document is the only one', async () => {
    const document = documentOf(paths, { servers: [...servers, { url: 'https://b.example' }] });
    expect(await originsOf(document, {})).toEqual(['GET https://api.example/v1/a']);
    expect(refusalsOf(sourceOf(document, {})).map(([id]) => id)).toEqual(['GET /b', 'GET /c']);
    for (const url of ['/v1', 'http://127.0.0.1:8080', 'http://api.example'])
      expect(await originsOf(documentOf(paths, { servers: [{ url }] }), {})).toEqual([]);
    expect(await originsOf(documentOf(paths), {})).toEqual([]);
  });

  test('the program gives an operation a server in the place of its own', async () => {
    const document = documentOf(paths, { servers });
    const cluster = { serverFor: () => 'https://cluster.example/k8s/' };
    expect(await originsOf(document, cluster)).toEqual([
      'GET https://cluster.example/k8s/a',
      'GET https://cluster.example/k8s/b',
      'GET https://cluster.example/k8s/c',
    ]);
    const onlyB: Partial<OpenApiOptions> = {
      baseUrl: 'https://own.example/v9',
      serverFor: ({ path }) => (path === '/b' ? 'https://b2.example' : undefined),
    };
    expect(await originsOf(document, onlyB)).toEqual([
      'GET https://own.example/v9/a',
      'GET https://b2.example/b',
      'GET https://own.example/v2/c',
    ]);
    expect((await sourceOf(document, onlyB).list())[1]?.origin).toBe('openapi:https://b2.example');
  });

  test('with headers, a document never decides where the key goes', async () => {
    const options = { headers: () => ({ 'x-key': KEY }), serverFor: () => undefined };
    expect(await originsOf(documentOf({ '/a': { get: OK } }, { servers }), options)).toEqual([]);
  });

  test.each<[name: string, options: object]>([
    ['serverFor', { serverFor: () => 'api.example' }],
    ['serverFor', { serverFor: () => 'https://user:pass@api.example' }],
    ['headers', { serverFor: () => 'http://api.example', headers: () => ({}) }],
  ])('the option %s is refused: %j', (name, options) => {
    expect(() => sourceOf(documentOf({ '/a': { get: OK } }), options)).toThrow(
      expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name }) }),
    );
  });

  test('a redirect within a server that the program gave one operation is followed there alone', async () => {
    const server = await localServer(({ url }, response) => {
      if (url === '/end') return json(response, { at: url });
      response.writeHead(307, { location: `${server.origin}/end` }).end();
    });
    const other = await localServer((_, response) => void response.writeHead(307, { location: server.origin }).end());
    const operation = (id: string) => ({ get: { operationId: id, ...OK } });
    const source = sourceOf(documentOf({ '/a': operation('a'), '/b': operation('b') }), {
      baseUrl: other.origin,
      serverFor: ({ id }) => (id === 'a' ? server.origin : undefined),
    });
    expect(await callOf(source, 'a', {})).toMatchObject({ body: { at: '/end' } });
    expect(await callOf(source, 'b', {})).toMatchObject({ error: 'redirect_refused' });
  });

  test('variables have the value of the program, or their default, within their list', async () => {
    const variables = { host: { default: 'eu', enum: ['eu', 'us'] }, path: { default: 'v1' } };
    const document = documentOf(
      { '/a': { get: OK } },
      { servers: [{ url: 'https://{host}.example/{path}', variables }] },
    );
    const all = ['https://eu.example', 'https://us.example', 'https://evil.example'];
    expect(await originsOf(document, { servers: all })).toEqual(['GET https://eu.example/v1/a']);
    expect(await originsOf(document, { servers: all, variables: { host: 'us', path: 'v2' } })).toEqual([
      'GET https://us.example/v2/a',
    ]);
    expect(await originsOf(document, { servers: all, variables: { host: 'evil' } })).toEqual([]);
    expect(await originsOf(document, { servers: all, variables: { host: 'evil.example/?' } })).toEqual([]);
  });

  test.each([
    'https://user:pass@api.example',
    'https://api.example/?a',
    'https://api.example/#a',
    'file:///etc',
    '//evil.example',
    'https://api.example.evil.example',
    'https://{x}.example',
  ])('the server %s is refused', (url) => {
    const document = documentOf({ '/a': { servers: [{ url }], get: OK } });
    expect(refusalsOf(sourceOf(document, { baseUrl: 'https://api.example' }))).toHaveLength(1);
  });
});

describe('headers of the program', () => {
  const document = documentOf({
    '/a': {
      get: {
        operationId: 'a',
        ...OK,
        parameters: [
          { name: 'Authorization2', in: 'header', schema: {} },
          { name: 'X-Key', in: 'header', schema: {} },
        ],
      },
    },
  });

  test('they are asked for each call, and replace headers of the call', async () => {
    const server = await localServer();
    const asked: unknown[] = [];
    const source = sourceOf(document, {
      baseUrl: server.origin,
      headers: async ({ operation, origin, signal }) => {
        asked.push([operation, origin, signal.aborted]);
        return { Authorization: KEY, 'x-key': 'another-key', other: undefined };
      },
    });
    await callOf(source, 'a', { headers: { 'X-Key': 'of the model' } });
    await callOf(source, 'a', {});
    expect(asked).toEqual([
      [{ id: 'a', method: 'GET', path: '/a' }, server.origin, false],
      [{ id: 'a', method: 'GET', path: '/a' }, server.origin, false],
    ]);
    expect(server.arrived.map(({ headers }) => [headers.authorization, headers['x-key'], headers['other']])).toEqual([
      [KEY, 'another-key', undefined],
      [KEY, 'another-key', undefined],
    ]);
  });

  test('they may be an object of the class Headers', async () => {
    const server = await localServer();
    const headers = () => new Headers({ Authorization: KEY }) as never;
    await callOf(sourceOf(document, { baseUrl: server.origin, headers }), 'a', {});
    expect(server.arrived[0]?.headers.authorization).toBe(KEY);
  });

  test('a header that cannot be sent ends the call without its value', async () => {
    const server = await localServer();
    for (const headers of [{ authorization: `${KEY}\r\nx: y` }, { 'a b': KEY }, { a: 1 }, [KEY], KEY, null]) {
      const result = await callOf(
        sourceOf(document, { baseUrl: server.origin, headers: () => headers as never }),
        'a',
        {},
      );
      expect(result).toMatchObject({ error: 'headers_failed' });
      expect(JSON.stringify(result)).not.toContain('secret-of');
    }
    const throws = () => {
      throw new Error(KEY);
    };
    const result = await callOf(sourceOf(document, { baseUrl: server.origin, headers: throws }), 'a', {});
    expect(result).toEqual({ error: 'headers_failed', message: 'The program gave no headers for this call.' });
    expect(server.arrived).toEqual([]);
  });

  test('a key that a server repeats is in no result and no error', async () => {
    for (const status of [200, 401]) {
      const server = await localServer(({ headers }, response) => {
        response.setHeader('x-echo', String(headers.authorization));
        json(response, { given: headers.authorization, bare: headers.authorization?.slice(7) }, status);
      });
      const source = sourceOf(document, {
        baseUrl: server.origin,
        headers: () => ({ authorization: KEY }),
        answerHeaders: ['x-echo'],
      });
      const text = JSON.stringify(await callOf(source, 'a', {}));
      expect(text).toContain('(secret)');
      expect(text).not.toContain('secret-of');
    }
  });
});

describe('a key that a server sends back', () => {
  const SENT = 'abcd/EFGH+ijkl/MNOP&1234';
  const document = documentOf({ '/a': { get: { operationId: 'a', responses: { default: { description: 'x' } } } } });
  const php = JSON.stringify({ echo: SENT }).replaceAll('/', '\\/');
  const escaped = `{"${[...SENT].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join('')}":1}`;

  test.each<[name: string, status: number, type: string, body: string | Uint8Array]>([
    ['in JSON with escaped slashes', 200, 'application/json', php],
    ['in the name of a member, escaped', 200, 'application/json', escaped],
    ['in bytes that become base64', 200, 'application/octet-stream', new TextEncoder().encode(`  ${SENT}`)],
    ['in a form', 200, 'application/x-www-form-urlencoded', `k=${encodeURIComponent(SENT)}`],
    ['in the type of an answer', 200, `text/plain; k=${SENT.replaceAll('/', '')}`, 'text'],
    ['in server-sent events', 200, 'text/event-stream', `data: ${php}\n\n`],
    ['in an error', 400, 'application/json', php],
    ['in an error that is cut off', 400, 'text/plain', SENT.repeat(400)],
    ['in an error about a member twice', 200, 'application/json', `{"${SENT}":1,"${SENT}":2}`],
  ])('is in no result and no error: %s', async (_, status, type, body) => {
    const server = await localServer((_request, response) => raw(response, body, type, status));
    const headers = () => ({ authorization: `Bearer ${SENT}`, 'x-other-key': SENT.replaceAll('/', '') });
    const source = sourceOf(document, { baseUrl: server.origin, headers });
    const told = JSON.stringify(await callOf(source, 'a', {}));
    const bytes = [...told.matchAll(/[\w+/]{8,}=*/g)].map(([text]) => Buffer.from(text, 'base64').toString('latin1'));
    for (const text of [told, ...bytes]) expect(text).not.toMatch(/EFGH|abcd.{0,3}E/);
  });

  test('is in no error about a redirect to an address that holds it', async () => {
    const key = 'key-of-the-host-4711';
    const server = await localServer((_, response) => {
      response.writeHead(302, { location: `https://${key}.example/` });
      response.end();
    });
    const source = sourceOf(document, { baseUrl: server.origin, headers: () => ({ 'x-key': key }) });
    expect(await callOf(source, 'a', {})).toEqual({
      error: 'redirect_refused',
      message: 'The server redirects the call: the origin https://(secret).example is not permitted.',
    });
  });

  test('is refused before it is sent, if it is too short to be hidden', async () => {
    const server = await localServer();
    const source = sourceOf(document, { baseUrl: server.origin, headers: () => ({ authorization: 'Bearer short' }) });
    const { error, message } = (await callOf(source, 'a', {})) as { error: string; message: string };
    expect([error, server.arrived]).toEqual(['key_short', []]);
    expect(message).toContain('The key in the header authorization has fewer than 8 characters');
    expect(message).not.toContain('short,');
  });
});

describe('redirects', () => {
  const document = documentOf({
    '/a': {
      get: { operationId: 'get', ...OK },
      post: { operationId: 'post', ...OK, requestBody: { content: { 'application/json': { schema: {} } } } },
    },
  });
  const headers = () => ({ authorization: KEY });
  const redirecting = (status: number, location: () => string) =>
    localServer(({ url }, response) => {
      if (url === '/end') return json(response, { at: 'end' });
      response.writeHead(status, { location: location() });
      response.end();
    });

  test('a redirect to an origin that is not permitted is refused, and gets no request', async () => {
    const other = await localServer();
    const server = await redirecting(302, () => `${other.origin}/end`);
    const source = sourceOf(document, { baseUrl: server.origin, headers });
    expect(await callOf(source, 'get', {})).toEqual({
      error: 'redirect_refused',
      message: `The server redirects the call: the origin ${other.origin} is not permitted.`,
    });
    expect(other.arrived).toEqual([]);
  });

  test('a redirect to a permitted origin loses the key, also on the way back', async () => {
    let home = '';
    const other = await localServer((_, response) => {
      response.writeHead(302, { location: `${home}/end` });
      response.end();
    });
    const server = await redirecting(302, () => `${other.origin}/x`);
    home = server.origin;
    const source = sourceOf(document, { baseUrl: server.origin, servers: [other.origin], headers });
    expect(await callOf(source, 'get', {})).toEqual({ status: 200, body: { at: 'end' } });
    expect(
      [...server.arrived, ...other.arrived].map(({ url, headers: { authorization } }) => [url, authorization]),
    ).toEqual([
      ['/a', KEY],
      ['/end', undefined],
      ['/x', undefined],
    ]);
  });

  test.each([
    [301, 'GET', ''],
    [302, 'GET', ''],
    [303, 'GET', ''],
    [307, 'POST', '{"a":1}'],
    [308, 'POST', '{"a":1}'],
  ])('a redirect with %i goes on with %s', async (status, method, body) => {
    const server = await redirecting(status, () => '/end');
    const source = sourceOf(document, { baseUrl: server.origin, headers });
    expect(await callOf(source, 'post', { body: { a: 1 } })).toEqual({ status: 200, body: { at: 'end' } });
    expect(server.arrived[1]).toMatchObject({ method, url: '/end', body, headers: { authorization: KEY } });
    expect(server.arrived[1]?.headers['content-type']).toBe(body === '' ? undefined : 'application/json');
  });

  test.each(['ftp://127.0.0.1/', 'http://u:p@127.0.0.1/', 'http://'])(
    'a redirect to %s is refused',
    async (location) => {
      const server = await redirecting(302, () => location);
      expect(await callOf(sourceOf(document, { baseUrl: server.origin }), 'get', {})).toMatchObject({
        error: 'redirect_refused',
      });
    },
  );

  test('an answer behind a redirect that a function of the program has followed is refused', async () => {
    const server = await redirecting(302, () => '/end');
    const follow = (input: string | URL | Request, init?: RequestInit) => fetch(input, { ...init, redirect: 'follow' });
    expect(await callOf(sourceOf(document, { baseUrl: server.origin, fetch: follow }), 'get', {})).toEqual({
      error: 'redirect_refused',
      message: 'The server redirects the call: the function fetch has followed it.',
    });
  });

  test('redirects end after five in a row', async () => {
    const server = await redirecting(302, () => '/a');
    expect(await callOf(sourceOf(document, { baseUrl: server.origin }), 'get', {})).toEqual({
      error: 'redirect_refused',
      message: 'The server redirects the call: there are more than 5 in a row.',
    });
    expect(server.arrived.length).toBe(6);
  });
});
