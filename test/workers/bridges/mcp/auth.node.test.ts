import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { TokenChecker } from '../../../../workers/bridges/mcp/server/auth.ts';

const ISSUER = 'https://id.example/realms/a';
const AUDIENCE = 'https://tools.example/mcp';
const METADATA = 'https://id.example/.well-known/oauth-authorization-server/realms/a';
const OPENID = 'https://id.example/realms/a/.well-known/openid-configuration';
const KEYS = 'https://id.example/keys';
const START = Date.UTC(2026, 0, 1);

const keyPair = async (alg: string, kid: string) => {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
};
const rsa = await keyPair('RS256', 'rsa');
const ec = await keyPair('ES256', 'ec');
const okp = await keyPair('EdDSA', 'okp');
const next = await keyPair('ES256', 'next');
const ps = await keyPair('PS256', 'ps');

let now = START;
let asked: string[] = [];
let served: { [url: string]: Response | ((signal: AbortSignal) => Promise<Response>) };
const host = {
  now: () => now,
  limit: () => AbortSignal.timeout(20),
  fetch: (url: string, signal: AbortSignal): Promise<Response> => {
    asked.push(url);
    const found = served[url];
    if (typeof found === 'function') return found(signal);
    return Promise.resolve(found?.clone() ?? new Response('', { status: 404 }));
  },
};
const json = (value: unknown) => Response.json(value);
const keysOf = (...keys: (typeof rsa)[]) => json({ keys: keys.map(({ jwk }) => jwk) });

beforeEach(() => {
  now = START;
  asked = [];
  served = { [METADATA]: json({ issuer: ISSUER, jwks_uri: KEYS }), [KEYS]: keysOf(rsa, ec, okp, ps) };
});

const second = () => Math.floor(now / 1000);
const token = (by = ec, claims: JWTPayload = {}, header: object = {}) =>
  new SignJWT({ iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: second() + 300, ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, ...header })
    .sign(by.privateKey);
const checker = () => new TokenChecker({ issuer: ISSUER, audience: AUDIENCE }, host);
const codeOf = async (header: string | undefined, by = checker()) => {
  const found = await by.check(header);
  return 'code' in found ? found.code : found.subject;
};

describe('a bearer token', () => {
  it.each([
    ['RS256', rsa],
    ['ES256', ec],
    ['EdDSA', okp],
  ] as const)('of %s stands for its subject', async (_, key) => {
    expect(await checker().check(`Bearer ${await token(key)}`)).toEqual({ issuer: ISSUER, subject: 'ada' });
  });

  it.each([
    ['of another issuer', { iss: `${ISSUER}/` }, 'token_issuer'],
    ['for another resource', { aud: 'https://tools.example/' }, 'token_audience'],
    ['without a resource', { aud: undefined }, 'token_audience'],
    ['without a subject', { sub: undefined }, 'token_form'],
    ['with an empty subject', { sub: '' }, 'token_form'],
    ['without an end', { exp: undefined }, 'token_form'],
    ['that ended over a minute ago', { exp: START / 1000 - 61 }, 'token_expired'],
    ['that begins in over a minute', { nbf: START / 1000 + 61 }, 'token_early'],
  ] satisfies [string, { [claim: string]: unknown }, string][])('%s is refused', async (_, claims, code) => {
    expect(await codeOf(`Bearer ${await token(ec, claims as JWTPayload)}`)).toBe(code);
  });

  it('may be a minute off', async () => {
    const claims = { exp: START / 1000 - 59, nbf: START / 1000 + 59 };
    expect(await codeOf(`Bearer ${await token(ec, claims)}`)).toBe('ada');
  });

  it('is refused without a signature, and with an algorithm that is not listed', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', exp: second() + 300 };
    expect(await codeOf(`Bearer ${part({ alg: 'none' })}.${part(claims)}.`)).toBe('token_algorithm');
    expect(await codeOf(`Bearer ${await token(ps)}`)).toBe('token_algorithm');
    const bytes = new TextEncoder().encode(JSON.stringify(rsa.jwk));
    const confused = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(bytes);
    expect(await codeOf(`Bearer ${confused}`)).toBe('token_algorithm');
  });

  it('is refused with a signature of another key, or after a change', async () => {
    const by = { ...next, kid: 'ec' };
    expect(await codeOf(`Bearer ${await token(by)}`)).toBe('token_signature');
    const [head, , signature] = (await token()).split('.');
    const claims = Buffer.from(JSON.stringify({ iss: ISSUER, aud: AUDIENCE, sub: 'eve', exp: second() + 300 }));
    expect(await codeOf(`Bearer ${head}.${claims.toString('base64url')}.${signature}`)).toBe('token_signature');
  });

  it.each([
    ['no header', undefined, 'token_missing'],
    ['another scheme', 'Basic YWRh', 'token_missing'],
    ['a word', 'Bearer x', 'token_form'],
    ['over 8,192 characters', `Bearer ${'x'.repeat(8_193)}`, 'token_form'],
    ['nothing between points', 'Bearer ..', 'token_form'],
  ])('is refused as %s', async (_, header, code) => {
    expect(await codeOf(header)).toBe(code);
  });
});

describe('the keys of the issuer', () => {
  it('are kept for ten minutes', async () => {
    const by = checker();
    for (const minute of [0, 5, 9.9]) {
      now = START + minute * 60_000;
      expect(await codeOf(`Bearer ${await token()}`, by)).toBe('ada');
    }
    expect(asked).toEqual([METADATA, KEYS]);
    now = START + 10 * 60_000;
    expect(await codeOf(`Bearer ${await token()}`, by)).toBe('ada');
    expect(asked).toHaveLength(4);
  });

  it('are read once for requests that come together', async () => {
    const by = checker();
    const all = await Promise.all([token(rsa), token(ec), token(okp)]);
    expect(await Promise.all(all.map((each) => codeOf(`Bearer ${each}`, by)))).toEqual(['ada', 'ada', 'ada']);
    expect(asked).toHaveLength(2);
  });

  it('are read again for an unknown key, once a minute', async () => {
    const by = checker();
    expect(await codeOf(`Bearer ${await token()}`, by)).toBe('ada');
    served[KEYS] = keysOf(next);
    expect(await codeOf(`Bearer ${await token(next)}`, by)).toBe('token_key');
    now += 60_000;
    expect(await codeOf(`Bearer ${await token(next)}`, by)).toBe('ada');
    expect(await codeOf(`Bearer ${await token({ ...next, kid: 'other' })}`, by)).toBe('token_key');
    expect(asked).toHaveLength(4);
  });

  it('are named by OpenID Connect, too', async () => {
    delete served[METADATA];
    served[OPENID] = json({ issuer: ISSUER, jwks_uri: KEYS });
    expect(await codeOf(`Bearer ${await token()}`)).toBe('ada');
  });

  it.each([
    ['metadata of another issuer', { [METADATA]: json({ issuer: 'https://id.example', jwks_uri: KEYS }) }],
    ['an address without TLS', { [METADATA]: json({ issuer: ISSUER, jwks_uri: 'http://id.example/keys' }) }],
    ['an error', { [KEYS]: new Response('', { status: 500 }) }],
    ['no JSON', { [KEYS]: new Response('<html>') }],
    ['no keys', { [KEYS]: json({}) }],
    ['over 64 KiB', { [KEYS]: json({ keys: [], more: 'x'.repeat(65_536) }) }],
    [
      'silence',
      { [KEYS]: (signal) => new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason))) },
    ],
    ['nothing at all', { [METADATA]: () => Promise.reject(new TypeError('fetch failed')) }],
  ] satisfies [string, typeof served][])('are unreachable behind %s', async (_, more) => {
    served = { ...served, ...more };
    const by = checker();
    expect(await codeOf(`Bearer ${await token()}`, by)).toBe('issuer_unreachable');
    const before = asked.length;
    expect(await codeOf(`Bearer ${await token()}`, by)).toBe('issuer_unreachable');
    // asked again after a minute, and not by each request
    expect(asked).toHaveLength(before);
    served = { [METADATA]: json({ issuer: ISSUER, jwks_uri: KEYS }), [KEYS]: keysOf(ec) };
    now += 60_000;
    expect(await codeOf(`Bearer ${await token()}`, by)).toBe('ada');
  });
});
