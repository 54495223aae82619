import { Ajv2020 } from 'ajv/dist/2020.js';
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

describe('a cookie', () => {
  const cookie = (name: string, more: object = {}) => ({ name, in: 'cookie', schema: {}, ...more });
  const parameters = [cookie('theme'), cookie('page')];
  test('is sent beside the cookies of the program, which keep their names', async () => {
    const made = (await sent('/a', { parameters }, { cookies: { theme: 'dark', page: 2 } })) as { headers: object };
    expect(made.headers).toMatchObject({ cookie: 'theme=dark; page=2' });
    const server = await localServer();
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'op', ...OK, parameters } } }), {
      baseUrl: server.origin,
      headers: () => ({ cookie: 'sid=a-session-of-the-program; theme=light' }),
    });
    await callOf(source, 'op', { cookies: { theme: 'dark', page: 2 } });
    expect(server.arrived[0]?.headers.cookie).toBe('sid=a-session-of-the-program; theme=light; page=2');
  });

  test.each<JsonValue>(['a; admin=1', 'a,b', '"a"', 'a\r\nX: y', 'a b', 'é', '\\', ['a'], { a: 'b' }])(
    '%j is refused before a request is sent',
    async (value) => {
      expect(await sent('/a', { parameters }, { cookies: { theme: value } })).toBe('argument_refused');
    },
  );

  test('a cookie that holds a key is no argument, also where it is required', async () => {
    const keys = ['JSESSIONID', 'csrftoken', 'auth_token', 'x'].map((name) => cookie(name, { required: true }));
    const schemes = { components: { securitySchemes: { own: { type: 'apiKey', in: 'cookie', name: 'x' } } } };
    const source = sourceOf(documentOf({ '/a': { get: { ...OK, parameters: [...keys, ...parameters] } } }, schemes), {
      baseUrl: 'https://a.example',
    });
    const [tool] = (await source.list()) as unknown as { args: { properties: { cookies: object } } }[];
    expect(tool?.args.properties.cookies).toMatchObject({ properties: { theme: {}, page: {} } });
    expect(JSON.stringify(tool?.args)).not.toMatch(/SESSION|token/);
  });

  test('does not follow a redirect to another origin', async () => {
    const there = await localServer();
    const here = await localServer((_, response) => void response.writeHead(307, { location: there.origin }).end());
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'op', ...OK, parameters } } }), {
      baseUrl: here.origin,
      servers: [there.origin],
    });
    await callOf(source, 'op', { cookies: { theme: 'dark' } });
    expect([here.arrived[0]?.headers.cookie, there.arrived[0]?.headers.cookie]).toEqual(['theme=dark', undefined]);
  });
});

describe('a file', () => {
  const FILE = { type: 'string', format: 'binary' };
  const upload = (properties: object, encoding: object = {}) => ({
    requestBody: {
      required: true,
      content: { 'multipart/form-data': { schema: { type: 'object', properties }, encoding } },
    },
  });
  const formOf = async (operation: object, body: JsonValue): Promise<FormData | string> => {
    const made = await sent('/a', operation, { body }, 'post');
    if (typeof made === 'string') return made;
    const { headers, body: text } = made as { headers: { 'content-type': string }; body: string };
    return new Response(text, { headers: { 'content-type': headers['content-type'] } }).formData();
  };
  const told = async (file: FormDataEntryValue | null) =>
    typeof file === 'object' && file !== null ? [file.name, file.type, await file.text()] : file;

  test('is a part with its name, its media type and its bytes', async () => {
    const properties = { file: FILE, more: { type: 'array', items: FILE }, purpose: { type: 'string' } };
    const form = (await formOf(upload(properties), {
      file: { base64: btoa('{"a":1}\n'), name: 'a "b"\'.jsonl' },
      more: [
        { text: 'eins', name: 'a.txt' },
        { text: 'x', type: 'text/csv' },
      ],
      purpose: 'fine-tune',
    })) as FormData;
    expect(await told(form.get('file'))).toEqual([
      expect.stringContaining('.jsonl'),
      'application/octet-stream',
      '{"a":1}\n',
    ]);
    expect(await Promise.all(form.getAll('more').map(told))).toEqual([
      ['a.txt', 'text/plain', 'eins'],
      ['file', 'text/csv', 'x'],
    ]);
    expect(form.get('purpose')).toBe('fine-tune');
  });

  test('may be one or several, behind references, with media types of the document', async () => {
    const either = { anyOf: [FILE, { type: 'array', items: FILE, maxItems: 2 }] };
    const pictures = upload(
      { image: either, mask: { allOf: [FILE] } },
      { image: { contentType: 'image/png, image/*' }, mask: { contentType: 'image/png' } },
    );
    const form = (await formOf(pictures, {
      image: [{ base64: 'iVBO' }, { base64: 'AAAA', type: 'image/webp' }],
      mask: { text: '' },
    })) as FormData;
    expect(form.getAll('image').map((each) => (each as File).type)).toEqual(['image/png', 'image/webp']);
    expect((form.get('mask') as File).type).toBe('image/png');
    expect(await formOf(pictures, { image: { base64: 'AAAA', type: 'text/html' } })).toBe('argument_refused');
    const open = upload({ image: FILE }, { image: { contentType: 'image/*' } });
    expect(await formOf(open, { image: { base64: 'AAAA' } })).toBe('argument_refused');
  });

  test.each<[string, JsonValue]>([
    ['bytes that are no base64', { base64: 'a' }],
    ['base64 of another alphabet', { base64: '_-__' }],
    ['a name that leads upwards', { text: '', name: '../a' }],
    ['a name that is a folder', { text: '', name: '..' }],
    ['a name with a backslash', { text: '', name: 'a\\b' }],
    ['a name with a line break', { text: '', name: 'a\r\nb' }],
    ['a media type with a line break', { text: '', type: 'a/b\r\nX: y' }],
    ['a range of media types', { text: '', type: 'image/*' }],
  ])('%s is refused before a request is sent', async (_, file) => {
    expect(await formOf(upload({ file: FILE }), { file })).toBe('argument_refused');
  });

  test('its argument is an object of a text or bytes, closed', async () => {
    const source = sourceOf(
      documentOf({ '/a': { post: { ...OK, ...upload({ file: { ...FILE, description: 'CSV.' } }) } } }),
      {
        baseUrl: 'https://a.example',
      },
    );
    const [{ args } = {} as { args: object }] = (await source.list()) as unknown as { args: object }[];
    const shape = new Ajv2020({ strict: false }).compile(args);
    expect(shape({ body: { file: { text: 'a' } } })).toBe(true);
    expect(shape({ body: { file: { base64: 'AAAA', name: 'a', type: 'a/b' } } })).toBe(true);
    for (const file of ['a', {}, { text: 'a', base64: 'AAAA' }, { text: 'a', path: '/etc/passwd' }, { name: 'a' }])
      expect(shape({ body: { file } }), JSON.stringify(file)).toBe(false);
  });

  test('a text that stands for bytes stays a text', async () => {
    const form = (await formOf(upload({ a: { type: 'string', format: 'byte' } }), { a: 'AAAA' })) as FormData;
    expect(form.get('a')).toBe('AAAA');
  });

  test('an encoding says how the other members are written', async () => {
    const properties = {
      file: FILE,
      link: { type: 'object' },
      meta: {},
      xml: { type: 'string' },
      note: { type: 'string' },
    };
    const encoding = {
      link: { style: 'deepObject', explode: true },
      meta: { contentType: 'application/json' },
      xml: { contentType: 'application/xml' },
      note: { contentType: 'text/plain' },
    };
    const body = { file: { text: 'a' }, link: { create: true, expand: ['x&y'] }, meta: 'm', xml: '<a/>', note: 'n' };
    const form = (await formOf(upload(properties, encoding), body)) as FormData;
    expect([form.get('link[create]'), form.get('link[expand][0]'), form.get('note')]).toEqual(['true', 'x&y', 'n']);
    expect(await told(form.get('meta'))).toEqual(['blob', 'application/json', '"m"']);
    expect(await told(form.get('xml'))).toEqual(['blob', 'application/xml', '<a/>']);
  });

  test.each<[string, object, JsonValue, string]>([
    ['bytes', { 'application/octet-stream': {} }, { base64: btoa('abc') }, 'application/octet-stream'],
    ['a picture', { 'image/png': { schema: FILE } }, { base64: btoa('abc') }, 'image/png'],
    ['a picture of a kind', { 'image/*': { schema: FILE } }, { text: 'abc', type: 'image/webp' }, 'image/webp'],
    ['anything', { '*/*': { schema: FILE } }, { text: 'abc' }, 'text/plain'],
    ['a text in XML', { 'application/xml': { schema: { type: 'string' } } }, { text: 'abc' }, 'application/xml'],
  ])('%s may be the whole body', async (_, content, body, type) => {
    expect(await sent('/a', { requestBody: { content } }, { body }, 'post')).toMatchObject({
      body: 'abc',
      headers: { 'content-type': type },
    });
  });
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
