import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelRequest } from '../../../../workers/api.ts';
import { fromOpenAI, type OpenAIOptions } from '../../../../workers/bridges/models/openai.ts';
import { DONE, delta, JSON_TYPE, SSE, STOP, sendPieces, serve, type TestServer } from './server.ts';

const KEY = 'sk-quince-4711';
const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', kind: 'opening', content: 'Propose.' },
    { role: 'user', kind: 'task', content: 'Grüße 😀' },
  ],
  dialect: 'xct',
  tools: [],
  proposalSchema: { type: 'object' },
  maxTokens: 99,
  seed: 7,
};
const SAID = '{"done":true,"message":"é€😀"}';
const MODELS = JSON.stringify({ data: [{ id: 'tiny' }, { id: 'other:latest' }] });
const whole = (content: string) =>
  JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] });

const BOMB = gzipSync(Buffer.alloc((16 << 20) + 1, ' '));
/** Megabytes that the server `endless` has sent. */
let endless = 0;

let server: TestServer;
let elsewhere: TestServer;

beforeAll(async () => {
  elsewhere = await serve({ stolen: (response) => void response.writeHead(200, JSON_TYPE).end(MODELS) });
  server = await serve({
    good: async (response, { path }) => {
      if (path.endsWith('/models')) return void response.writeHead(200, JSON_TYPE).end(MODELS);
      response.writeHead(200, SSE);
      await sendPieces(response, [delta('{"done":true,'), ': ping\n\n', delta('"message":"é€😀"}'), STOP, DONE]);
      response.end();
    },
    bytewise: async (response) => {
      response.writeHead(200, SSE);
      const bytes = new TextEncoder().encode(delta(SAID) + STOP + DONE);
      await sendPieces(
        response,
        Array.from({ length: Math.ceil(bytes.length / 3) }, (_, at) => bytes.subarray(at * 3, at * 3 + 3)),
      );
      response.end();
    },
    repeats: async (response) => {
      response.writeHead(200, SSE);
      const escaped = KEY.replaceAll('-', '\\u002d');
      await sendPieces(response, [
        delta('{"a":"sk-quin'),
        delta('ce-4711'),
        delta(`","b":"${escaped}","c":"sk-q"}`),
        STOP,
        DONE,
      ]);
      response.end();
    },
    returns: async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta(SAID).slice(0, -2), '\r', '\n\r', '\n', STOP, DONE.trimEnd(), '\r\n\r\n']);
      response.end();
    },
    whole: (response) => void response.writeHead(200, JSON_TYPE).end(whole(SAID)),
    truncated: async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta(SAID)]);
      response.end();
    },
    reset: async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta(SAID), STOP]);
      response.destroy();
    },
    hang: async (response) => {
      response.writeHead(200, SSE);
      await sendPieces(response, [delta('{')]);
    },
    silent: () => undefined,
    html: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    huge: async (response) => {
      response.writeHead(200, SSE);
      for (let at = 0; at < 40 && !response.destroyed; at++) {
        if (!response.write('x'.repeat(1 << 20)))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      }
    },
    /** Sends sixteen thousand bytes that unpack to sixteen megabytes and a byte, as an answer and as a list. */
    bomb: (response, { path }) => {
      const type = path.endsWith('/models') ? JSON_TYPE : SSE;
      response.writeHead(200, { ...type, 'content-encoding': 'gzip' }).end(BOMB);
    },
    endless: async (response) => {
      response.writeHead(200, JSON_TYPE);
      endless = 0;
      for (; endless < 64 && !response.destroyed; endless++) {
        if (!response.write(' '.repeat(1 << 20)))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      }
      response.end(MODELS);
    },
    redirect: (response) => void response.writeHead(307, { location: `${elsewhere.origin}/stolen` }).end(),
    broken: (response, { headers }) =>
      void response.writeHead(500, JSON_TYPE).end(JSON.stringify({ error: headers.authorization })),
    busy: (response) => void response.writeHead(429).end('slow down'),
    locked: (response, { headers }) =>
      void response.writeHead(401, JSON_TYPE).end(JSON.stringify({ error: `Bad key: ${headers.authorization}` })),
    forbidden: (response) => void response.writeHead(403).end(),
    page: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>'),
    listless: (response) => void response.writeHead(200, JSON_TYPE).end('{"object":"list"}'),
    v1missing: (response, { path }) => {
      if (path === '/v1missing/v1/models') response.writeHead(200, JSON_TYPE).end(MODELS);
      else response.writeHead(404).end();
    },
    /** The server `schema` understands a JSON schema, `object` only JSON objects, and `prose` neither. */
    schema: (response, { body }) =>
      void response.writeHead(200, JSON_TYPE).end(whole(body.includes('json_schema') ? '{"ok":true}' : 'no')),
    object: (response, { body }) => {
      if (body.includes('json_schema')) response.writeHead(400).end('unknown response_format');
      else response.writeHead(200, JSON_TYPE).end(whole('{"fine":1}'));
    },
    prose: (response) => void response.writeHead(200, JSON_TYPE).end(whole('Sure! {"ok":true}')),
  });
});

afterAll(async () => {
  await server.close();
  await elsewhere.close();
});

function port(behaviour: string, more: Partial<OpenAIOptions> = {}) {
  return fromOpenAI({ baseUrl: `${server.origin}/${behaviour}`, model: 'tiny', apiKey: KEY, ...more });
}

const propose = (behaviour: string, signal = new AbortController().signal) =>
  port(behaviour).propose(REQUEST, { signal });

describe('a proposal', () => {
  test.each(['good', 'bytewise', 'returns', 'whole'])(
    'a proposal arrives unchanged from the server %s',
    async (behaviour) => {
      expect((await propose(behaviour)).text).toBe(SAID);
    },
  );

  test('a proposal is asked for by a single request that carries every member', async () => {
    const before = server.seen.length;
    await propose('good');
    const asked = server.seen.slice(before);
    expect(asked.length).toBe(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/good/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
    });
    expect(JSON.parse(asked[0]?.body ?? '')).toEqual({
      model: 'tiny',
      messages: REQUEST.messages.map(({ role, content }) => ({ role, content })),
      max_tokens: 99,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true },
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'proposal', schema: { type: 'object' }, strict: true },
      },
    });
  });

  test.each([
    ['truncated', 'cut_off'],
    ['reset', 'cut_off'],
    ['html', 'content_type'],
    ['huge', 'too_long'],
    ['bomb', 'too_long'],
    ['redirect', 'unreachable'],
    ['broken', 'status'],
    ['busy', 'status'],
    ['locked', 'status'],
    ['nowhere', 'status'],
  ])('a proposal fails without a retry at a server that is %s', async (behaviour, fault) => {
    const before = server.seen.length;
    await expect(propose(behaviour)).rejects.toMatchObject({ code: 'model_failed', details: { fault } });
    expect(server.seen.length).toBe(before + 1);
  });

  test('a proposal fails with unreachable when no server listens', async () => {
    const closed = await serve({});
    await closed.close();
    const gone = fromOpenAI({ baseUrl: closed.origin, model: 'tiny' });
    await expect(gone.propose(REQUEST, { signal: new AbortController().signal })).rejects.toMatchObject({
      // Outside a page only the server can be the cause.
      message: 'The endpoint cannot be reached.',
      details: { fault: 'unreachable' },
    });
  });

  test.each(['hang', 'silent'])('a proposal to the server %s is given up at its signal', async (behaviour) => {
    const controller = new AbortController();
    const waiting = propose(behaviour, controller.signal);
    setTimeout(() => controller.abort(), 60);
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the key', () => {
  test('the key goes to no other origin', async () => {
    await expect(propose('redirect')).rejects.toThrow();
    expect(await port('redirect').testEndpoint()).toEqual({ status: 'redirected' });
    expect(elsewhere.seen.filter(({ headers }) => JSON.stringify(headers).includes(KEY))).toEqual([]);
  });

  test('the key is in no proposal and no text that arrives, where the model’s server repeats it', async () => {
    const pieces: string[] = [];
    const onText = (piece: string): void => void pieces.push(piece);
    const { text } = await port('repeats').propose(REQUEST, { signal: new AbortController().signal, onText });
    expect(text).toBe('{"a":"(secret)","b":"(secret)","c":"sk-q"}');
    expect(pieces.join('')).toBe(text);
  });

  test('a short key is refused where the server is not on this device', () => {
    const to = (baseUrl: string) => () => fromOpenAI({ baseUrl, model: 'tiny', apiKey: 'EMPTY' });
    expect(to('https://api.example/v1')).toThrow(expect.objectContaining({ code: 'key_short' }));
    expect(to('http://localhost:8000/v1')).not.toThrow();
  });

  test('the key is in no string, inspection or serialization of the model port', () => {
    const model = port('good', { headers: { 'x-team': 'team-quince-0815' } });
    for (const shown of [
      JSON.stringify(model),
      inspect(model, { depth: 9, showHidden: true }),
      model.id,
      Object.values(model).map(String).join(),
    ]) {
      expect(shown).not.toContain('quince');
    }
    expect(model.id).toBe(`openai-compatible:${server.origin}/tiny`);
  });

  test.each(['broken', 'locked', 'redirect', 'reset', 'html', 'silent'])(
    'the key is in no error of a server that is %s',
    async (behaviour) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 150);
      const error: unknown = await propose(behaviour, controller.signal).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(KEY);
    },
  );

  test.each([
    ['a line end', { apiKey: `${KEY}\n` }],
    ['a letter that no header carries', { apiKey: `${KEY}€` }],
    ['a line end in a header', { headers: { 'x-key': `${KEY}\r\n` } }],
    ['a header name that is none', { headers: { [`${KEY} `]: 'x' } }],
  ])('a key or header with %s is refused without being quoted', (_, options) => {
    let error: unknown;
    try {
      port('good', options);
    } catch (caught) {
      error = caught;
    }
    expect(error).toMatchObject({ code: 'endpoint_invalid' });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('quince');
  });

  test('a key is refused for plain http to another device, and accepted for https and for this device', () => {
    const to = (baseUrl: string) => () => fromOpenAI({ baseUrl, model: 'tiny', apiKey: KEY });
    expect(to('http://192.168.1.7:11434/v1')).toThrow('a key is sent over https');
    expect(to('http://localhost.example/v1')).toThrow('a key is sent over https');
    expect(to('https://models.example/v1')).not.toThrow();
    expect(to('http://localhost:11434/v1')).not.toThrow();
    expect(() => fromOpenAI({ baseUrl: 'http://192.168.1.7:11434/v1', model: 'tiny' })).not.toThrow();
  });

  test('a base URL that contains a key is refused without being quoted', () => {
    for (const baseUrl of [
      `http://me:${KEY}@localhost/v1`,
      `http://localhost/v1?key=${KEY}`,
      `http://localhost/v1#${KEY}`,
      `file:///${KEY}`,
      KEY,
    ]) {
      expect(() => fromOpenAI({ baseUrl, model: 'tiny' })).toThrow(/^(?!.*quince)Not an endpoint: /);
    }
  });
});

describe('a test of the connection', () => {
  test.each([
    ['good', 'tiny', { status: 'ok', models: ['tiny', 'other:latest'] }],
    ['good', 'other', { status: 'ok', models: ['tiny', 'other:latest'] }],
    ['good', 'huge', { status: 'unknown_model', models: ['tiny', 'other:latest'] }],
    ['locked', 'tiny', { status: 'unauthorized', http: 401 }],
    ['forbidden', 'tiny', { status: 'unauthorized', http: 403 }],
    ['nowhere', 'tiny', { status: 'wrong_path', http: 404 }],
    ['broken', 'tiny', { status: 'http_error', http: 500, said: '{"error":"Bearer (secret)"}' }],
    ['busy', 'tiny', { status: 'http_error', http: 429, said: 'slow down' }],
    ['page', 'tiny', { status: 'not_json' }],
    ['listless', 'tiny', { status: 'not_json' }],
    ['redirect', 'tiny', { status: 'redirected' }],
    ['bomb', 'tiny', { status: 'not_json' }],
  ])('testEndpoint returns the status of a server that is %s, for the model %s', async (behaviour, model, expected) => {
    expect(await port(behaviour, { model }).testEndpoint()).toEqual(expected);
  });

  test('testEndpoint suggests the base URL when only /v1 was missing', async () => {
    const suggestion = `${server.origin}/v1missing/v1`;
    expect(await port('v1missing').testEndpoint()).toEqual({ status: 'wrong_path', http: 404, suggestion });
  });

  test('testEndpoint stops reading a list of models that has no end', async () => {
    expect(await port('endless').testEndpoint()).toEqual({ status: 'not_json' });
    expect(endless).toBeLessThan(32);
  });

  test('testEndpoint reports unreachable when no server listens', async () => {
    const closed = await serve({});
    await closed.close();
    expect(await fromOpenAI({ baseUrl: closed.origin, model: 'tiny' }).testEndpoint()).toEqual({
      status: 'unreachable',
    });
  });

  test('testEndpoint reports timeout when no answer comes', async () => {
    expect(await port('silent').testEndpoint({ timeoutMs: 100 })).toEqual({ status: 'timeout' });
  });

  test('testEndpoint reports mixed_content for an https page and a remote http endpoint', async () => {
    const page = 'https://app.example/';
    expect(await fromOpenAI({ baseUrl: 'http://192.0.2.1/v1', model: 'tiny' }).testEndpoint({ page })).toEqual({
      status: 'mixed_content',
    });
    expect(await port('good').testEndpoint({ page })).toMatchObject({ status: 'ok' });
  });
});

describe('a probe', () => {
  test.each([
    ['schema', 'json_schema', 1],
    ['object', 'json_object', 3],
    ['prose', 'none', 3],
    ['broken', 'none', 3],
  ])('probe of the server %s chooses the response format %s', async (behaviour, responseFormat, answers) => {
    const model = port(behaviour);
    expect(model.responseFormat).toBe('json_schema');
    const found = await model.probe();
    expect(found).toMatchObject({ responseFormat });
    expect(found.answers.length).toBe(answers);
    expect(model.responseFormat).toBe(responseFormat);
  });

  test('the next proposal uses the response format that probe chose', async () => {
    const model = port('object');
    await model.probe();
    await model.propose(REQUEST, { signal: new AbortController().signal });
    expect(JSON.parse(server.seen.at(-1)?.body ?? '')).toMatchObject({ response_format: { type: 'json_object' } });
  });

  test('probe fails at a server that refuses the key, and keeps the response format', async () => {
    const model = port('locked');
    await expect(model.probe()).rejects.toMatchObject({ details: { fault: 'status', status: 401 } });
    expect(model.responseFormat).toBe('json_schema');
  });
});

test.each([
  ['http://localhost:11434/v1', { kind: 'local' }],
  ['http://127.0.0.1:8080', { kind: 'local' }],
  ['http://127.1.2.3/', { kind: 'local' }],
  ['http://2130706433/', { kind: 'local' }],
  ['http://[::1]:1/v1', { kind: 'local' }],
  ['http://models.localhost/v1', { kind: 'remote', origin: 'http://models.localhost' }],
  ['http://localhost./v1', { kind: 'remote', origin: 'http://localhost.' }],
  ['http://[::ffff:127.0.0.1]/v1', { kind: 'remote', origin: 'http://[::ffff:7f00:1]' }],
  ['http://2130706433/v1', { kind: 'local' }],
  ['http://0x7f.1/v1', { kind: 'local' }],
  ['http://192.168.1.5:8000/v1', { kind: 'remote', origin: 'http://192.168.1.5:8000' }],
  ['https://localhost.example.com/v1', { kind: 'remote', origin: 'https://localhost.example.com' }],
  ['https://127.0.0.1.example.com/v1', { kind: 'remote', origin: 'https://127.0.0.1.example.com' }],
  ['http://0.0.0.0:8000/v1', { kind: 'remote', origin: 'http://0.0.0.0:8000' }],
  ['https://notlocalhost/v1', { kind: 'remote', origin: 'https://notlocalhost' }],
])('the locality of the endpoint %s is %j', (baseUrl, locality) => {
  expect(fromOpenAI({ baseUrl, model: 'tiny' }).locality).toEqual(locality);
});
