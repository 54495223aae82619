import { describe, expect, test } from 'vitest';
import { fromOpenApi } from '../../../../workers/openapi.ts';
import { callOf, documentOf, localServer, refusalsOf, sourceOf } from './server.ts';

const baseUrl = 'https://api.example/v1';
const GET = { responses: { 200: { description: 'ok' } } };

function codeOf(document: unknown): unknown {
  const read = fromOpenApi(document as object, { prefix: 'api', baseUrl });
  return read.ok ? 'taken' : [read.refusal.code, read.refusal.pointer];
}

describe('a document', () => {
  test('a document is an object, a text or bytes', async () => {
    const document = documentOf({ '/pets': { get: { operationId: 'listPets', ...GET } } });
    const text = JSON.stringify(document);
    for (const given of [document, text, new TextEncoder().encode(text)]) {
      const [tool] = await sourceOf(given, { baseUrl }).list();
      expect(tool).toMatchObject({
        name: 'api.listPets',
        version: '1.2.3',
        description: 'GET https://api.example/v1/pets: listPets',
        effect: 'egress',
        labels: ['private', 'untrusted'],
        origin: 'openapi:https://api.example',
        args: { type: 'object', properties: {}, additionalProperties: false },
      });
    }
  });

  test.each([
    ['Swagger 2.0', { swagger: '2.0', paths: {} }, ['definition_invalid', '/openapi']],
    ['OpenAPI 3.2', { openapi: '3.2.0', paths: {} }, ['definition_invalid', '/openapi']],
    ['a list', [], ['definition_invalid', '']],
    ['text with a member twice', '{"openapi":"3.0.0","openapi":"3.1.0"}', ['duplicate_member', '/openapi']],
    ['broken text', '{"openapi":', ['json_syntax', '']],
    [
      'a dialect that is no text',
      { openapi: '3.1.0', jsonSchemaDialect: 1 },
      ['definition_invalid', '/jsonSchemaDialect'],
    ],
  ])('%s is refused', (_, document, code) => {
    const [given, pointer] = codeOf(document) as [string, string];
    expect([given, pointer ?? '']).toEqual(code);
  });

  test('a document of version 3.1 has types in lists and null as a type', async () => {
    const parameters = [{ name: 'limit', in: 'query', schema: { type: ['integer', 'null'], exclusiveMinimum: 0 } }];
    const source = sourceOf(
      { openapi: '3.1.0', info: {}, paths: { '/a': { get: { parameters, ...GET } } } },
      { baseUrl },
    );
    const [tool] = await source.list();
    expect(tool?.args).toMatchObject({
      properties: { query: { properties: { limit: { type: ['integer', 'null'], exclusiveMinimum: 0 } } } },
    });
    expect(tool?.name).toBe('api.GET_a');
  });

  test('names follow the operation, and collisions are numbered', () => {
    const paths = {
      '/a': { get: { operationId: 'pets/list', ...GET }, post: { operationId: 'pets list', ...GET } },
      '/b/{id}': {
        get: { parameters: [path('id')], ...GET },
        delete: { operationId: 'pets/list', ...GET, parameters: [path('id')] },
      },
    };
    const names = async (operations?: readonly string[]) =>
      (await sourceOf(documentOf(paths), { baseUrl, ...(operations && { operations }) }).list()).map(
        ({ name }) => name,
      );
    return expect(Promise.all([names(), names(['GET /b/{id}', 'pets list'])])).resolves.toEqual([
      ['api.pets_list', 'api.pets_list_2', 'api.GET_b_id', 'api.pets_list_3'],
      ['api.pets_list_2', 'api.GET_b_id'],
    ]);
  });

  test('two paths that share a path item have names of their own', async () => {
    const components = { pathItems: { shared: { get: GET } } };
    const item = { $ref: '#/components/pathItems/shared' };
    const source = sourceOf(documentOf({ '/a': item, '/b': item }, { components }), { baseUrl });
    expect([...source.names]).toEqual([
      ['GET /a', 'api.GET_a'],
      ['GET /b', 'api.GET_b'],
    ]);
  });

  test('a choice that the document does not have is refused by name', () => {
    const source = sourceOf(documentOf({ '/a': { get: { operationId: 'a', ...GET } } }), {
      baseUrl,
      operations: ['a', 'z'],
    });
    expect(refusalsOf(source)).toEqual([[undefined, 'there is no operation "z"', '/paths']]);
  });

  test('effect, labels and choice are functions of the operation', async () => {
    const paths = { '/a': { get: { operationId: 'get', ...GET }, post: { operationId: 'post', ...GET } } };
    const source = sourceOf(documentOf(paths), {
      baseUrl,
      operations: ({ path }) => path === '/a',
      effect: ({ method }) => (method === 'GET' ? 'read' : undefined),
      labels: ({ id }) => (id === 'get' ? [] : undefined),
    });
    expect((await source.list()).map(({ effect, labels }) => [effect, labels])).toEqual([
      ['read', []],
      ['egress', ['private', 'untrusted']],
    ]);
  });

  test('version and time come from the program, or the version from the document where it has three numbers', async () => {
    const terms = async (version: string, options: object) => {
      const document = { openapi: '3.0.0', info: { version }, paths: { '/a': { get: GET } } };
      const [tool] = await sourceOf(document, { baseUrl, ...options }).list();
      return [tool?.version, tool?.timeoutMs];
    };
    expect(await terms('1.2.3', {})).toEqual(['1.2.3', undefined]);
    expect(await terms('v1', {})).toEqual(['0.0.0', undefined]);
    expect(await terms('2025-10-15', { version: '4.0.0', timeoutMs: 1000 })).toEqual(['4.0.0', 1000]);
    const wrong = sourceOf(documentOf({ '/a': { get: GET } }), { baseUrl, version: 'v1' });
    expect(refusalsOf(wrong)).toEqual([['GET /a', expect.stringContaining('MAJOR.MINOR.PATCH'), '/paths/~1a/get']]);
  });

  test('members named __proto__ are data', async () => {
    const text =
      '{"openapi":"3.0.0","info":{},"__proto__":{"paths":{"/b":{}}},"paths":{"/a":{"__proto__":{"get":{}},"get":{"operationId":"__proto__","parameters":[{"name":"__proto__","in":"query","schema":{"type":"string"}}],"responses":{}}}}}';
    const source = sourceOf(text, { baseUrl });
    // a schema that names such a member is refused, because validators skip it
    expect(refusalsOf(source).map(([id, reason]) => [id, reason])).toEqual([
      ['__proto__', 'A member named __proto__: ajv skips it, so it would constrain nothing.'],
    ]);
    expect(({} as { paths?: object }).paths).toBeUndefined();
  });

  test('a getter of a given object is read once', async () => {
    let reads = 0;
    const document = {
      openapi: '3.0.0',
      info: {},
      get paths() {
        return reads++ === 0 ? { '/a': { get: { operationId: 'a', responses: {} } } } : { '/evil': {} };
      },
    };
    const [tool] = await sourceOf(document, { baseUrl }).list();
    expect([tool?.description, reads]).toEqual(['GET https://api.example/v1/a: a', 1]);
  });

  test('the text of a document cannot take the place of the address in a description', async () => {
    const summary = `GET https://trusted.example/: harmless\n${'x'.repeat(5000)}`;
    const [tool] = await sourceOf(documentOf({ '/a': { delete: { summary, ...GET } } }), { baseUrl }).list();
    expect(tool?.description).toMatch(/^DELETE https:\/\/api\.example\/v1\/a: GET https/);
    expect(tool?.description.length).toBe(1000);
  });
});

describe('references', () => {
  test('parameters, bodies, answers and schemas may be references', async () => {
    const server = await localServer();
    const document = documentOf(
      {
        '/pets/{id}': {
          parameters: [{ $ref: '#/components/parameters/id' }],
          put: {
            operationId: 'put',
            requestBody: { $ref: '#/components/requestBodies/pet' },
            responses: { 200: { $ref: '#/components/responses/pet' } },
          },
        },
      },
      {
        components: {
          parameters: { id: { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/id' } } },
          requestBodies: {
            pet: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/pet' } } } },
          },
          responses: {
            pet: {
              description: 'a pet',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/pet' } } },
            },
          },
          schemas: {
            id: { type: 'integer' },
            pet: {
              type: 'object',
              properties: { name: { type: 'string' }, friend: { $ref: '#/components/schemas/pet' } },
            },
          },
        },
      },
    );
    const source = sourceOf(document, { baseUrl: server.origin });
    expect([source.refused, source.unchecked]).toEqual([[], []]);
    expect(await callOf(source, 'put', { path: { id: 7 }, body: { name: 'Rex', friend: { name: 'Tom' } } })).toEqual({
      status: 200,
      body: {},
    });
    const [tool] = await source.list();
    expect(tool?.args).toMatchObject({
      required: ['path', 'body'],
      $defs: { pet: { properties: { friend: { $ref: '#/$defs/pet' } }, additionalProperties: false } },
    });
    expect(server.arrived).toMatchObject([
      { method: 'PUT', url: '/pets/7', body: '{"name":"Rex","friend":{"name":"Tom"}}' },
    ]);
  });

  test.each([
    ['into another document', 'https://evil.example/p.json', 'a reference leads out of the document'],
    ['into a file', 'other.json#/a', 'a reference leads out of the document'],
    ['to no place', '#/components/parameters/absent', 'a reference leads to no place of the document'],
    ['to an inherited member', '#/components/constructor', 'a reference leads to no place of the document'],
    ['to itself', '#/components/parameters/loop', 'a row of references is longer than 16'],
    ['with a broken escape', '#/%E0%A4%A', 'a reference leads to no place of the document'],
  ])('a reference %s refuses the operation', (_, $ref, reason) => {
    const components = { parameters: { loop: { $ref: '#/components/parameters/loop' } } };
    const source = sourceOf(
      documentOf({ '/a': { get: { operationId: 'a', parameters: [{ $ref }], ...GET } } }, { components }),
      { baseUrl },
    );
    expect(refusalsOf(source).map(([id, why]) => [id, why])).toEqual([['a', reason]]);
  });

  test('references that multiply end at the bounds of a schema', () => {
    const levels = Array.from({ length: 40 }, (_, level) => [
      `s${level}`,
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 40 }, (__, nth) => [`p${nth}`, { $ref: `#/components/schemas/s${level + 1}` }]),
        ),
      },
    ]);
    const schemas = { ...Object.fromEntries(levels), s40: { type: 'string' } };
    const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/s0' } } } };
    const source = sourceOf(
      documentOf({ '/a': { post: { operationId: 'a', requestBody, ...GET } } }, { components: { schemas } }),
      { baseUrl },
    );
    expect(refusalsOf(source).map(([id, why]) => [id, why])).toEqual([['a', 'schema_too_large']]);
  });

  test('a schema of endless references is refused', () => {
    const schemas = { a: { $ref: '#/components/schemas/b' }, b: { allOf: [{ $ref: '#/components/schemas/a' }] } };
    const requestBody = { content: { 'application/json': { schema: { $ref: '#/components/schemas/a' } } } };
    const source = sourceOf(
      documentOf({ '/a': { post: { operationId: 'a', requestBody, ...GET } } }, { components: { schemas } }),
      { baseUrl },
    );
    expect(refusalsOf(source)).toEqual([
      ['a', expect.stringContaining('validation would never end'), expect.stringContaining('/components/schemas/')],
    ]);
  });
});

describe('schemas of both directions', () => {
  const pet = {
    type: 'object',
    required: ['id', 'name', 'key'],
    properties: {
      id: { type: 'integer', readOnly: true },
      name: { type: 'string', nullable: true, description: 'A name.' },
      key: { type: 'string', writeOnly: true },
      kind: { nullable: true, allOf: [{ type: 'string' }] },
    },
  };
  const content = { 'application/json': { schema: pet } };
  const source = sourceOf(
    documentOf({
      '/a': { post: { operationId: 'a', requestBody: { required: true, content }, responses: { 201: { content } } } },
    }),
    { baseUrl },
  );

  test('a request has no member that is only read, and is closed', async () => {
    const [tool] = await source.list();
    const body = (tool as unknown as { args: { properties: { body: object } } }).args.properties.body;
    expect(body).toEqual({
      type: 'object',
      required: ['name', 'key'],
      properties: {
        name: { type: ['string', 'null'], description: 'A name.' },
        key: { type: 'string', writeOnly: true },
        kind: { allOf: [{ type: 'string' }] },
      },
      additionalProperties: false,
    });
  });

  test('an answer has no member that is only written, is open, and takes null where it says nullable', async () => {
    const [tool] = await source.list();
    expect(tool?.result).toEqual({
      type: 'object',
      required: ['status', 'body'],
      properties: {
        status: { type: 'integer', enum: [201] },
        body: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'integer', readOnly: true },
            name: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            kind: { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
          },
        },
      },
    });
  });

  test('an answer whose schema cannot be imported is not checked, or refuses the operation', async () => {
    const bad = { 'application/json': { schema: { type: 'string', pattern: '(' } } };
    const document = documentOf({ '/a': { get: { operationId: 'a', responses: { 200: { content: bad } } } } });
    const at = '/paths/~1a/get/responses/200/content/application~1json/schema/pattern';
    const loose = sourceOf(document, { baseUrl });
    expect(loose.unchecked).toMatchObject([
      { operation: { id: 'a' }, refusal: { code: 'schema_refused', pointer: at } },
    ]);
    expect((await loose.list())[0]).not.toHaveProperty('result');
    const strict = sourceOf(document, { baseUrl, results: 'required' });
    expect(strict.refused).toMatchObject([
      { operation: { id: 'a' }, refusal: { code: 'schema_refused', pointer: at } },
    ]);
  });
});

const FILE = { type: 'string', format: 'binary' };

describe('operations that are refused', () => {
  test('a schema that is too large has the place of its operation', () => {
    const properties = Object.fromEntries([...Array(900)].map((_, nth) => [`${'m'.repeat(80)}${nth}`, {}]));
    const content = { 'application/json': { schema: { type: 'object', properties } } };
    const source = sourceOf(documentOf({ '/a': { post: { ...GET, requestBody: { content } } } }), { baseUrl });
    expect(source.refused).toMatchObject([{ refusal: { code: 'schema_too_large', pointer: '/paths/~1a/post' } }]);
  });

  const id = path('id');
  test.each<[string, string, object, string]>([
    ['a method', '/a', { trace: GET }, 'the method TRACE is not taken'],
    [
      'a cookie whose name ends it',
      '/a',
      { get: { ...GET, parameters: [{ name: 'a;b', in: 'cookie', required: true, schema: {} }] } },
      'a cookie of this name cannot be sent',
    ],
    [
      'a parameter of an unknown place',
      '/a',
      { get: { ...GET, parameters: [{ name: 's', in: 'trailer', required: true, schema: {} }] } },
      'a parameter of this place cannot be set',
    ],
    [
      'a header that is required and forbidden',
      '/a',
      { get: { ...GET, parameters: [{ name: 'Host', in: 'header', required: true, schema: {} }] } },
      'a call cannot set a header of this name',
    ],
    [
      'a header with a line break',
      '/a',
      { get: { ...GET, parameters: [{ name: 'X\r\nY', in: 'header', required: true, schema: {} }] } },
      'a call cannot set a header of this name',
    ],
    [
      'a parameter without a schema',
      '/a',
      { get: { ...GET, parameters: [{ name: 'x', in: 'query' }] } },
      'a parameter has no schema',
    ],
    [
      'a style of a path',
      '/a/{id}',
      { get: { ...GET, parameters: [{ ...id, style: 'matrix' }] } },
      'this style of a parameter is not taken',
    ],
    [
      'a path parameter that is not declared',
      '/a/{x}',
      { get: GET },
      'the path names a parameter that is not declared',
    ],
    ['a path that leads upwards', '/a/../admin', { get: GET }, 'the path is not a plain path'],
    ['a path that leads upwards encoded', '/a/%2e%2E/admin', { get: GET }, 'the path is not a plain path'],
    ['a path with an encoded slash', '/a/..%2fadmin', { get: GET }, 'the path is not a plain path'],
    ['a path with a query', '/a?admin=1', { get: GET }, 'the path is not a plain path'],
    ['a path without a slash', '@evil.example/a', { get: GET }, 'the path is not a plain path'],
    ['a path with a backslash', '/\\evil.example/a', { get: GET }, 'the path is not a plain path'],
    [
      'a body of a schema in another language',
      '/a',
      { post: { ...GET, requestBody: { content: { 'application/xml': { schema: { type: 'object' } } } } } },
      'no media type of the body is taken: application/xml',
    ],
    [
      'a media type with a line break',
      '/a',
      { post: { ...GET, requestBody: { content: { 'application/json;\r\nx: y': {} } } } },
      'no media type of the body is taken',
    ],
    [
      'a member that is a file or something else',
      '/a',
      { post: { ...GET, requestBody: multipart({ properties: { f: { anyOf: [FILE, { type: 'object' }] } } }) } },
      'a member is a file or something else',
    ],
    [
      'a file whose schema has no end',
      '/a',
      { post: { ...GET, requestBody: multipart({ properties: { f: { anyOf: [FILE, { $ref: '#/x-loop' }] } } }) } },
      'a member is a file or something else',
    ],
    [
      'a file in an alternative of the body',
      '/a',
      { post: { ...GET, requestBody: multipart({ properties: {}, allOf: [{ properties: { f: FILE } }] }) } },
      'a file among alternatives is not taken',
    ],
    [
      'a multipart body without members',
      '/a',
      { post: { ...GET, requestBody: multipart({ type: 'object' }) } },
      'the members of a multipart body are not listed',
    ],
    [
      'a part with a header of its own',
      '/a',
      {
        post: {
          ...GET,
          requestBody: multipart({ properties: { f: FILE } }, { f: { headers: { 'X-Id': { required: true } } } }),
        },
      },
      'a part cannot have a header of its own',
    ],
    [
      'a part with a line break in its media type',
      '/a',
      { post: { ...GET, requestBody: multipart({ properties: { f: FILE } }, { f: { contentType: 'a/b\r\nx: y' } }) } },
      'this is no list of media types',
    ],
    [
      'a style of a part',
      '/a',
      { post: { ...GET, requestBody: multipart({ properties: { f: {} } }, { f: { style: 'pipeDelimited' } }) } },
      'this style of a part is not taken',
    ],
    [
      'a GET with a body',
      '/a',
      { get: { ...GET, requestBody: { required: true, content: {} } } },
      'a request with GET has no body',
    ],
    ['an operation that is no object', '/a', { get: 1 }, 'an object is expected here'],
  ])('%s', (_, at, item, reason) => {
    const loop = { 'x-loop': { anyOf: [FILE, { type: 'array', items: { $ref: '#/x-loop' } }] } };
    const source = sourceOf(documentOf({ [at]: item }, loop), { baseUrl });
    expect(source.refused.map(({ refusal }) => refusal.details['reason'])).toEqual([reason]);
    expect(source.refused[0]?.refusal.pointer).toMatch(/^\/paths\//);
  });

  test('a parameter that no call may set is left out where it is optional', async () => {
    const parameters = [
      { name: 'session', in: 'cookie', required: true, schema: {} },
      { name: 'a;b', in: 'cookie', schema: {} },
      { name: 'Transfer-Encoding', in: 'header', schema: {} },
      { name: 'X-HTTP-Method-Override', in: 'header', schema: { type: 'string' } },
      { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
      { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
    ];
    const [tool] = await sourceOf(documentOf({ '/a': { get: { ...GET, parameters } } }), { baseUrl }).list();
    expect(
      Object.keys(
        (tool as unknown as { args: { properties: { headers: { properties: object } } } }).args.properties.headers
          .properties,
      ),
    ).toEqual(['X-Trace']);
  });
});

describe('options', () => {
  const document = documentOf({});
  test.each<[string, object]>([
    ['prefix', {}],
    ['prefix', { prefix: 'a b' }],
    ['baseUrl', { prefix: 'a', baseUrl: 'ftp://api.example' }],
    ['baseUrl', { prefix: 'a', baseUrl: 'https://user:pass@api.example' }],
    ['servers', { prefix: 'a', servers: ['api.example'] }],
    ['baseUrl', { prefix: 'a', headers: () => ({}) }],
    ['headers', { prefix: 'a', baseUrl: 'http://api.example', headers: () => ({}) }],
    ['headers', { prefix: 'a', baseUrl: 'https://api.example', headers: { authorization: 'key' } }],
    ['answerBytes', { prefix: 'a', answerBytes: 2 ** 21 }],
    ['retries', { prefix: 'a', retries: 1 }],
  ])('the option %s is refused: %j', (name, options) => {
    expect(() => fromOpenApi(document, options as never)).toThrow(
      expect.objectContaining({ code: 'option_invalid', details: expect.objectContaining({ name }) }),
    );
  });
});

function path(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

function multipart(schema: object, encoding: object = {}): object {
  return { content: { 'multipart/form-data': { schema, encoding } } };
}

test.each([
  [
    'an address',
    'https://api.example/openapi.json',
    'Not JSON: line 1, column 1, found "h". Give its text or its value: an address is fetched, and YAML is parsed, by the program',
  ],
  ['a text of YAML', 'openapi: 3.0.0\n', 'Not JSON: line 1, column 1, found "o". Give its'],
  ['a document of Swagger', { swagger: '2.0', paths: {} }, 'it is Swagger 2.0: convert it to OpenAPI 3'],
])('%s in the place of a document is refused with what to give', (_, given, said) => {
  const made = fromOpenApi(given, { prefix: 'a' });
  expect(made.ok ? '' : made.refusal.message).toContain(said);
});

test('a document whose server has no full address names the option that gives one', () => {
  const paths = { '/p': { get: { operationId: 'a', responses: { 200: { description: 'x' } } } } };
  const made = fromOpenApi({ openapi: '3.0.0', info: {}, servers: [{ url: '/v1' }], paths }, { prefix: 'a' });
  expect(made.ok && made.value.refused[0]?.refusal.message).toContain('give the option baseUrl');
});
