import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../../core/index.ts';
import { callOf, documentOf, localServer, sourceOf } from './server.ts';

const OK = { responses: { 200: { description: 'ok' } } };

/** Method, address and body of the request that a call makes, or the name of its error. */
async function sent(path: string, operation: object, args: JsonValue, method = 'get'): Promise<unknown> {
  const server = await localServer();
  const source = sourceOf(documentOf({ [path]: { [method]: { operationId: 'op', ...OK, ...operation } } }), {
    baseUrl: `${server.origin}/v1/`,
  });
  const result = await callOf(source, 'op', args);
  const [arrived] = server.arrived;
  return arrived === undefined ? (result as { error: string }).error : arrived;
}

async function urlOf(path: string, parameters: readonly object[], args: JsonValue): Promise<unknown> {
  const made = await sent(path, { parameters }, args);
  return typeof made === 'string' ? made : (made as { url: string }).url;
}

const id = { name: 'id', in: 'path', required: true, schema: {} };

describe('a value of a path', () => {
  test.each<[JsonValue, string]>([
    ['a b', '/v1/pets/a%20b/toys'],
    ['a/b', '/v1/pets/a%2Fb/toys'],
    ['../admin', '/v1/pets/..%2Fadmin/toys'],
    ['%2f', '/v1/pets/%252f/toys'],
    ['%2e%2e', '/v1/pets/%252e%252e/toys'],
    ['a\\b', '/v1/pets/a%5Cb/toys'],
    ['a?b#c', '/v1/pets/a%3Fb%23c/toys'],
    ["(')!*", '/v1/pets/%28%27%29%21%2A/toys'],
    ['\r\nHost: evil', '/v1/pets/%0D%0AHost%3A%20evil/toys'],
    ['..a', '/v1/pets/..a/toys'],
    ['日', '/v1/pets/%E6%97%A5/toys'],
    [7, '/v1/pets/7/toys'],
    [false, '/v1/pets/false/toys'],
    [['a', 'b/c'], '/v1/pets/a,b%2Fc/toys'],
    [{ a: 1, b: '/' }, '/v1/pets/a,1,b,%2F/toys'],
  ])('%j stays in its part of the path: %s', async (value, url) => {
    expect(await urlOf('/pets/{id}/toys', [id], { path: { id: value } })).toBe(url);
  });

  test.each<JsonValue>(['.', '..', '', [], [''], ['a,b', 'c'], [['a']], null, [null]])(
    '%j is refused before a request is sent',
    async (value) => {
      expect(await urlOf('/pets/{id}/toys', [id], { path: { id: value } })).toBe('argument_refused');
    },
  );

  test('two values that make one part cannot lead upwards together', async () => {
    const parameters = [id, { ...id, name: 'x' }];
    expect(await urlOf('/a/{id}{x}/b', parameters, { path: { id: '.', x: '.' } })).toBe('argument_refused');
    expect(await urlOf('/a/{id}.{x}/b', parameters, { path: { id: 'a', x: 'b' } })).toBe('/v1/a/a.b/b');
  });

  test('an exploded object has signs of equality', async () => {
    const parameters = [{ ...id, explode: true }];
    expect(await urlOf('/a/{id}', parameters, { path: { id: { a: 1, b: '=' } } })).toBe('/v1/a/a=1,b=%3D');
    expect(await urlOf('/a/{id}', parameters, { path: { id: { 'a=b': 1 } } })).toBe('argument_refused');
  });
});

describe('a value of a query', () => {
  const q = (more: object) => ({ name: 'q', in: 'query', schema: {}, ...more });
  test.each<[string, object, JsonValue, string]>([
    ['a text', {}, 'a&b=c d+e', '?q=a%26b%3Dc%20d%2Be'],
    ['an empty text', {}, '', '?q='],
    ['a number', {}, 1.5, '?q=1.5'],
    ['null', {}, null, ''],
    ['a list', {}, ['a', 'b,c'], '?q=a&q=b%2Cc'],
    ['an empty list', {}, [], ''],
    ['a list in one', { explode: false }, ['a', 'b&c'], '?q=a,b%26c'],
    ['an object', {}, { a: 1, b: true }, '?a=1&b=true'],
    ['an object in one', { explode: false }, { a: 1, b: true }, '?q=a,1,b,true'],
    ['a list with blanks', { style: 'spaceDelimited', explode: false }, ['a', 'b'], '?q=a%20b'],
    ['a list with bars', { style: 'pipeDelimited', explode: false }, ['a', 'b'], '?q=a%7Cb'],
    [
      'a deep object',
      { style: 'deepObject', explode: true },
      { a: { b: 1 }, c: ['x', 'y'] },
      '?q%5Ba%5D%5Bb%5D=1&q%5Bc%5D%5B0%5D=x&q%5Bc%5D%5B1%5D=y',
    ],
    ['JSON', { content: { 'application/json': { schema: {} } } }, { a: ['&'] }, '?q=%7B%22a%22%3A%5B%22%26%22%5D%7D'],
  ])('%s is sent in its style', async (_, more, value, query) => {
    expect(await urlOf('/a', [q(more)], { query: { q: value } })).toBe(`/v1/a${query}`);
  });

  test.each<[string, object, JsonValue]>([
    ['a list in a list', {}, [['a']]],
    ['an object in an object', {}, { a: { b: 1 } }],
    ['a text with the separator', { explode: false }, ['a,b']],
    ['a text with a blank', { style: 'spaceDelimited', explode: false }, ['a b']],
    ['a text with a bar', { style: 'pipeDelimited', explode: false }, ['a|b']],
    ['a name with a bracket', { style: 'deepObject' }, { 'a][b': 1 }],
    ['a name of another parameter', {}, { limit: 100 }],
    ['a name of a member of another parameter', {}, { 'filter[name]': 1 }],
  ])('%s is refused before a request is sent', async (_, more, value) => {
    const limit = { name: 'limit', in: 'query', schema: {} };
    expect(await urlOf('/a', [limit, q(more)], { query: { q: value } })).toBe('argument_refused');
    expect(await urlOf('/a', [q(more), limit], { query: { q: value, limit: 1 } })).toBe('argument_refused');
  });

  test('parameters of the operation replace those of the path', async () => {
    const item = {
      parameters: [q({ explode: false })],
      get: { operationId: 'op', ...OK, parameters: [q({ explode: true })] },
    };
    const server = await localServer();
    const source = sourceOf(documentOf({ '/a': item }), { baseUrl: server.origin });
    await callOf(source, 'op', { query: { q: ['a', 'b'] } });
    expect(server.arrived[0]?.url).toBe('/a?q=a&q=b');
  });
});

describe('a value of a header', () => {
  const parameters = [{ name: 'X-Tag', in: 'header', schema: {} }];
  test('a value is sent as it is', async () => {
    const made = (await sent('/a', { parameters }, { headers: { 'X-Tag': ['a b', 'c'] } })) as { headers: object };
    expect(made.headers).toMatchObject({ 'x-tag': 'a b,c', accept: 'application/json, */*' });
  });

  test.each<JsonValue>(['a\r\nHost: evil', 'a\n', '\ta', 'é', 'a\0', ' a', ['a,b'], { a: 'x\ny' }])(
    '%j is refused before a request is sent',
    async (value) => {
      expect(await sent('/a', { parameters }, { headers: { 'X-Tag': value } })).toBe('argument_refused');
    },
  );
});

describe('a body', () => {
  const bodies = (...types: readonly string[]) => ({
    requestBody: { content: Object.fromEntries(types.map((type) => [type, { schema: {} }])) },
  });
  test.each<[string, object, JsonValue, string, string]>([
    ['JSON', bodies('text/plain', 'application/json'), { a: [1, null] }, 'application/json', '{"a":[1,null]}'],
    ['JSON of a kind', bodies('application/merge-patch+json'), 'x', 'application/merge-patch+json', '"x"'],
    ['JSON for any type', bodies('*/*'), [1], 'application/json', '[1]'],
    [
      'a form',
      bodies('application/x-www-form-urlencoded'),
      { a: 'b c&d', e: [1, 2] },
      'application/x-www-form-urlencoded',
      'a=b%20c%26d&e=1&e=2',
    ],
    [
      'a form with an object',
      bodies('application/x-www-form-urlencoded'),
      { a: { b: [{ c: 1 }] } },
      'application/x-www-form-urlencoded',
      'a%5Bb%5D%5B0%5D%5Bc%5D=1',
    ],
    ['a text', bodies('text/markdown'), '# A', 'text/markdown', '# A'],
  ])('%s is sent with its media type', async (_, operation, body, type, text) => {
    const made = (await sent('/a', operation, { body }, 'post')) as {
      headers: { 'content-type': string };
      body: string;
    };
    expect([made.headers['content-type'], made.body]).toEqual([type, text]);
  });

  test('an encoding says how a member of a form is written', async () => {
    const encoding = { ids: { style: 'form', explode: false }, meta: { contentType: 'application/json' } };
    const requestBody = { content: { 'application/x-www-form-urlencoded': { schema: {}, encoding } } };
    const made = await sent('/a', { requestBody }, { body: { ids: [1, 2], meta: { a: 1 } } }, 'post');
    expect(made).toMatchObject({ body: 'ids=1,2&meta=%7B%22a%22%3A1%7D' });
  });

  test('a plain multipart body has a part for each value', async () => {
    const properties = {
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      meta: { type: 'object' },
    };
    const requestBody = { content: { 'multipart/form-data': { schema: { type: 'object', properties } } } };
    const body = { name: 'Rex\r\n--x', tags: ['a', 'b'], meta: { a: 1 } };
    const made = (await sent('/a', { requestBody }, { body }, 'post')) as {
      headers: { 'content-type': string };
      body: string;
    };
    const form = await new Response(made.body, {
      headers: { 'content-type': made.headers['content-type'] },
    }).formData();
    expect([form.get('name'), form.getAll('tags')]).toEqual(['Rex\r\n--x', ['a', 'b']]);
    expect(await (form.get('meta') as File).text()).toBe('{"a":1}');
  });

  test('an operation without the optional body sends none', async () => {
    const made = (await sent('/a', bodies('application/json'), {}, 'post')) as { headers: object; body: string };
    expect([made.body, 'content-type' in made.headers]).toEqual(['', false]);
  });
});
