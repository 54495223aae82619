import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { doorRules } from '../../../../workers/bridges/endpoint/door.ts';
import type { DoorKind, DoorRequest } from '../../../../workers/bridges/endpoint/host.ts';

const SERVER = 'https://api.example/v1/';
const KINDS: readonly DoorKind[] = ['file', 'mcp', 'openai', 'otlp'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const request = (given: Partial<DoorRequest> = {}): DoorRequest => ({
  url: 'https://api.example/v1/chat',
  method: 'POST',
  headers: [],
  ...given,
});
const rules = (given: Partial<Parameters<typeof doorRules>[0]> = {}) =>
  doorRules({ kind: 'mcp', url: SERVER, ...given });
const refused = (rule: string) => expect.objectContaining({ code: 'door_refused', details: { rule } });
const sent = (door: ReturnType<typeof doorRules>, given: Partial<DoorRequest> = {}) => {
  const [url, init] = door.permit(request(given));
  return { url, init, headers: Object.fromEntries(init.headers as Headers) };
};

describe('the server of a door', () => {
  it.each(['https://api.example/v1/chat', 'https://api.example/', 'https://api.example:443/mcp?session=1'])(
    'a door asks %s, of its origin',
    (url) => {
      expect(sent(rules(), { url }).url).toBe(new URL(url).href);
    },
  );

  it.each([
    'http://api.example/v1/chat',
    'https://api.example:8443/v1/chat',
    'https://api.example.evil/v1/chat',
    'https://evil.example/https://api.example/v1/',
    'https://user@api.example/v1/chat',
    'https://api.example@evil.example/v1/',
    'data:text/plain,1',
    'blob:https://api.example/1',
  ])('a door does not ask %s, of another origin or with a name', (url) => {
    expect(() => rules().permit(request({ url }))).toThrow(refused('url'));
  });

  it.each(['https://api.example/v1', 'https://api.example/v2/chat', 'https://api.example/v1/../admin'])(
    'a door for a model does not ask %s, beside its base path',
    (url) => {
      expect(() => rules({ kind: 'openai' }).permit(request({ url }))).toThrow(refused('url'));
      expect(() => rules({ kind: 'openai', url: 'https://api.example/v1' }).permit(request({ url }))).toThrow(
        refused('url'),
      );
      expect(() => rules({ kind: 'mcp' }).permit(request({ url }))).not.toThrow();
    },
  );

  test('a door for a model asks paths under its base path', () => {
    for (const url of ['https://api.example/v1', SERVER])
      expect(sent(rules({ kind: 'openai', url })).url).toBe('https://api.example/v1/chat');
  });

  it.each([
    ['ftp://api.example', 'not http or https'],
    ['api.example', 'cannot be parsed'],
    ['https://me:secret@api.example', 'holds a password'],
  ])('a door for %s is refused without quoting it: %s', (url, words) => {
    expect(() => rules({ url })).toThrow(expect.objectContaining({ code: 'endpoint_invalid' }));
    expect(() => rules({ url })).toThrow(words);
    expect(() => rules({ url })).not.toThrow(/secret/);
  });
});

describe('the keys of a door', () => {
  const headers = { Authorization: 'Bearer sk-12345', 'x-team': 'red' };

  test('a request to the server carries the headers of the opening', () => {
    expect(sent(rules({ headers }), { headers: [['accept', 'text/plain']] }).headers).toEqual({
      accept: 'text/plain',
      authorization: 'Bearer sk-12345',
      'x-team': 'red',
    });
  });

  test('a header of a request does not replace a header of the opening', () => {
    const given = { headers: [['authorization', 'Bearer other']] as const };
    expect(sent(rules({ headers }), given).headers.authorization).toBe('Bearer sk-12345');
  });

  test('a further origin gets requests and no headers of the opening', () => {
    const door = rules({ headers, alsoAsk: ['https://login.example'] });
    expect(sent(door, { url: 'https://login.example/token' }).headers).toEqual({});
    expect(() => door.permit(request({ url: 'https://other.example/token' }))).toThrow(refused('url'));
  });

  it.each(['https://login.example/path', 'https://login.example/?a=1', 'login.example'])(
    'the further origin %s is refused',
    (origin) => {
      expect(() => rules({ alsoAsk: [origin] })).toThrow(expect.objectContaining({ code: 'endpoint_invalid' }));
    },
  );

  test('headers over plain http are refused, except to this device', () => {
    expect(() => rules({ url: 'http://api.example', headers })).toThrow(/sent over https, or to this device/);
    expect(() => rules({ url: 'http://api.example' })).not.toThrow();
    expect(() => rules({ url: 'http://127.0.0.1:8080', headers })).not.toThrow();
  });

  test('a key that is too short to be hidden in an answer is refused, unquoted', () => {
    const short = () => rules({ headers: { 'x-key': 'sk-1234' } });
    expect(short).toThrow(expect.objectContaining({ code: 'key_short', details: { place: 'the header x-key' } }));
    expect(short).not.toThrow(/sk-1/);
  });

  it.each([{ 'x y': '1' }, { 'x-key': 'sk-1\n' }, { 'x-key': '' }])('the headers %j are refused unquoted', (bad) => {
    expect(() => rules({ headers: bad as Record<string, string> })).toThrow(
      /character that cannot|name that no header/,
    );
    expect(() => rules({ headers: bad as Record<string, string> })).not.toThrow(/sk-1/);
  });
});

describe('the form of a request', () => {
  test.each([
    ['file', 'GET'],
    ['mcp', 'GET POST DELETE'],
    ['openai', 'GET POST'],
    ['otlp', 'POST'],
  ] as const)('a door of kind %s sends %s alone', (kind, methods) => {
    for (const method of METHODS) {
      const permit = () => rules({ kind }).permit(request({ method }));
      if (methods.split(' ').includes(method)) expect(permit, method).not.toThrow();
      else expect(permit, method).toThrow(refused('method'));
    }
  });

  test.each([
    [
      'mcp',
      'Accept content-type mcp-session-id MCP-Protocol-Version last-event-id mcp-method mcp-name mcp-param-region',
    ],
    ['openai', 'accept content-type'],
    ['otlp', 'accept content-type content-encoding'],
    ['file', 'accept'],
  ] as const)('a door of kind %s sends the headers %s', (kind, names) => {
    const headers = names.split(' ').map((name) => [name, '1'] as const);
    const method = kind === 'file' ? 'GET' : 'POST';
    expect(Object.keys(sent(rules({ kind }), { method, headers }).headers).sort()).toEqual(
      names.toLowerCase().split(' ').sort(),
    );
  });

  test.each(KINDS)('a door of kind %s refuses a header that its protocol does not have', (kind) => {
    const method = kind === 'file' ? 'GET' : 'POST';
    for (const name of ['x-api-key', 'cookie', 'mcp-session-id-2', 'range'])
      expect(() => rules({ kind }).permit(request({ method, headers: [[name, '1']] })), name).toThrow(
        refused('header'),
      );
  });

  test('a body of 16 MiB is sent, and a longer body is refused', () => {
    const most = 16 * 1024 * 1024;
    expect(() => rules().permit(request({ body: new ArrayBuffer(most) }))).not.toThrow();
    expect(() => rules().permit(request({ body: new ArrayBuffer(most + 1) }))).toThrow(refused('request_bytes'));
  });

  test('every request goes without cookies, referrer, cache and redirects', () => {
    expect(sent(rules()).init).toMatchObject({
      redirect: 'error',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      cache: 'no-store',
    });
  });
});

test('the table of the documentation says what each kind of door sends', () => {
  const rows = readFileSync('web/docs/doors.md', 'utf8').matchAll(/^\| `(file|mcp|openai|otlp)` \|(.*)$/gm);
  const kinds = [...rows].map(([, name = '', row = '']) => {
    const kind = name as DoorKind;
    const [methods = '', headers = '', most = '', answer = ''] = row.split(' | ');
    const door = rules({ kind });
    const method = METHODS.find((each) => methods.includes(each)) ?? '';
    const permits = (given: Partial<DoorRequest>) => {
      try {
        return door.permit(request({ method, ...given })) !== undefined;
      } catch {
        return false;
      }
    };
    expect(METHODS.filter((each) => permits({ method: each }))).toEqual(
      METHODS.filter((each) => methods.split(/\W+/).includes(each)),
    );
    const named = [...headers.matchAll(/`([^`]+)`/g)].map(([, header = '']) => header.replace('…', 'x'));
    expect(named.filter((header) => !permits({ headers: [[header, '1']] }))).toEqual([]);
    const bytes = Number.parseInt(most, 10) * 1024 * 1024;
    expect([bytes, bytes + 1].map((length) => permits({ body: new ArrayBuffer(length) }))).toEqual([true, false]);
    expect(door.responseBytesMax).toBe(Number.parseInt(answer, 10) * 1024 * 1024);
    return kind;
  });
  expect(kinds.sort()).toEqual(KINDS);
});
