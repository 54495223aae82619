import { describe, expect, test } from 'vitest';
import { Secrets } from '../../../../workers/bridges/models/secrets.ts';

const KEY = 'abcd/EFGH+ijkl/MNOP&1234';
const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function keyed(...keys: readonly string[]): Secrets {
  const secrets = new Secrets();
  for (const key of keys) secrets.add(key);
  return secrets;
}

function ofHeaders(headers: Readonly<Record<string, string>>): Secrets {
  const secrets = new Secrets();
  secrets.addHeaders(Object.entries(headers));
  return secrets;
}

/** The text of pieces that have passed a hider of bytes. */
function through(pieces: readonly string[], secrets: Secrets): string {
  const { push, rest } = secrets.bytePieces();
  return [...pieces.map((piece) => push(encode(piece))), rest()].map(decode).join('');
}

const hexOf = (letter: string) => letter.charCodeAt(0).toString(16).padStart(2, '0');
const each = (spell: (letter: string, at: number) => string) => [...KEY].map(spell).join('');

const SPELLINGS: readonly (readonly [name: string, text: string])[] = [
  ['as it is', KEY],
  ['as PHP writes JSON', KEY.replaceAll('/', '\\/')],
  ['as Go writes JSON', KEY.replaceAll('&', '\\u0026')],
  ['with every character escaped', each((letter) => `\\u00${hexOf(letter)}`)],
  ['in percent encoding', encodeURIComponent(KEY)],
  ['in percent encoding of every character, in lower case', each((letter) => `%${hexOf(letter)}`)],
  ['in a JSON pointer', KEY.replaceAll('/', '~1')],
  ['with entities of HTML', KEY.replaceAll('&', '&amp;').replaceAll('/', '&#x2F;').replaceAll('+', '&#43;')],
  ['with entities of HTML that have zeros', KEY.replaceAll('&', '&#038;').replaceAll('/', '&#x002F;')],
  ['with entities of HTML that have many zeros', each((letter) => `&#${'0'.repeat(30)}${letter.charCodeAt(0)};`)],
  ['in upper case', KEY.toUpperCase()],
  ['mixed', each((letter, at) => [letter, `%${hexOf(letter)}`, `\\u00${hexOf(letter)}`][at % 3] ?? letter)],
];

describe('a key in a text', () => {
  test.each(SPELLINGS)('%s is hidden', (_, spelled) => {
    expect(keyed(KEY).hide(`a ${spelled} b`)).toBe('a (secret) b');
    expect(decode(keyed(KEY).cover(encode(`a ${spelled} b`)))).toBe(`a ${'*'.repeat(spelled.length)} b`);
  });

  test.each(SPELLINGS)('%s is hidden wherever the text is cut', (_, spelled) => {
    const text = `ab ${spelled} abcd/`;
    for (let at = 0; at <= text.length; at++) {
      const { push, rest } = keyed(KEY).pieces();
      expect(push(text.slice(0, at)) + push(text.slice(at)) + rest()).toBe('ab (secret) abcd/');
    }
  });

  test('is hidden in the values and the names of a value', () => {
    expect(keyed(KEY).hideIn({ [`a ${KEY}`]: [KEY + KEY, 1, null, { b: true }] })).toEqual({
      'a (secret)': ['(secret)(secret)', 1, null, { b: true }],
    });
  });

  test.each([
    ['481516234210815', '481516234210815'],
    ['481516234210815', '-481516234210815'],
    ['481516234210815', '4.81516234210815E14'],
    ['481516234210815', '1481516234210815'],
    ['48151623', '148151623.5'],
    ['48151623', '0.0000000048151623'],
    ['48151623', '-4815162300000000000000000000'],
    ['48151623421081548151', '48151623421081548151'],
    ['481516234210815481516234', '481516234210815481516234'],
    ['0048151623', '48151623'],
    ['48151623.40', '48151623.4'],
    ['0.000000048151623', '0.000000048151623'],
  ])('%s is hidden as the number %s', (key, number) => {
    const value = JSON.parse(`{"e":[${number},4711,1e300]}`);
    expect(keyed(key).hideIn(value)).toEqual({ e: ['(secret)', 4711, 1e300] });
  });

  test('of digits is hidden in the texts of the number that a server makes of it', () => {
    const secrets = keyed('48151623421081548151');
    for (const text of ['48151623421081550000', '4.815162342108155e+19'])
      expect(secrets.hide(`a ${text} b`)).toBe('a (secret) b');
  });

  test('is hidden where a longer key begins as it does', () => {
    const secrets = keyed('key-of-mine', 'key-of-mine-and-more');
    expect(secrets.hide('key-of-mine')).toBe('(secret)');
    expect(secrets.hide('key-of-mine-and-more!')).toBe('(secret)!');
    expect(through(['key-of-', 'mine'], secrets)).toBe('*'.repeat(11));
  });

  test('is hidden in any division of bytes, also where it overlaps its own beginning', () => {
    const secrets = ofHeaders({ authorization: 'Bearer sk-sk-4711' });
    const text = `sk-sk-sk-4711 Bearer sk-47 sk-sk-4711sk-sk-4711`;
    const covered = through([text], secrets);
    expect(covered).toBe(`sk-${'*'.repeat(10)} Bearer sk-47 ${'*'.repeat(20)}`);
    for (let one = 0; one <= text.length; one++)
      for (let other = one; other <= text.length; other++)
        expect(through([text.slice(0, one), text.slice(one, other), text.slice(other)], secrets)).toBe(covered);
    expect(through([...text], secrets)).toBe(covered);
  });

  test('does not keep other text back: only an end that may be the beginning of a key', () => {
    const { push, rest } = keyed(KEY).bytePieces();
    expect(decode(push(encode('data: ab')))).toBe('data: ');
    expect(decode(push(encode('x\n\nabcd')))).toBe('abx\n\n');
    expect(decode(rest())).toBe('abcd');
    expect(keyed(KEY).hideCut('what was read: abcd/EF')).toBe('what was read: ');
  });

  test('bytes that are no text pass unchanged', () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, at) => at);
    expect(keyed(KEY).cover(bytes)).toEqual(bytes);
    expect(keyed().bytePieces().push(bytes)).toBe(bytes);
  });

  test('is found in a large text in little time', () => {
    const text = 'a%\\u0061bcd/'.repeat(100_000);
    expect(keyed(KEY).hide(text)).toBe(text);
  });
});

describe('the keys of headers', () => {
  test('are the value, its words, and the password of Basic', () => {
    const secrets = ofHeaders({
      authorization: `Basic ${btoa('ada:correct-horse')}`,
      cookie: 'a=1; sid=session-4711',
      'x-api-key': 'key-of-mine',
      'x-version': '2026-01-01',
      'x-team': 'team-quince-0815',
    });
    for (const key of [btoa('ada:correct-horse'), 'ada:correct-horse', 'correct-horse', 'session-4711', 'key-of-mine'])
      expect(secrets.hide(key), key).not.toContain(key.slice(1, -1));
    expect(secrets.hide('team-quince-0815')).toBe('(secret)');
    expect(secrets.hide('2026-01-01 Basic a=1')).toBe('2026-01-01 Basic a=1');
  });

  test.each(['authorization', 'x-api-key', 'Cookie'])('of fewer than eight characters are refused: %s', (name) => {
    expect(() => ofHeaders({ [name]: 'Bearer abc4567' })).toThrow(
      expect.objectContaining({ code: 'key_short', details: { place: `the header ${name}` } }),
    );
    expect(() => ofHeaders({ [name]: 'Bearer abc45678' })).not.toThrow();
  });
});

/** Ways in which a header gives a key to a server. */
const quotedPair = (key: string) => `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
const GIVEN: readonly (readonly [way: string, give: (key: string) => string])[] = [
  ['a word', (key) => key],
  ['a scheme', (key) => `DeepL-Auth-Key ${key}`],
  ['a scheme behind a tab', (key) => `Bearer\t${key}`],
  ['a second scheme', (key) => `Negotiate, Bearer ${key}`],
  ['a parameter', (key) => `Token token=${key}`],
  ['a quoted word', (key) => `Token ${quotedPair(key)}`],
  ['a quoted parameter', (key) => `Token token=${quotedPair(key)}`],
  ['a parameter in apostrophes', (key) => `Token token='${key}'`],
  ['a parameter behind blanks', (key) => `Token realm="of the long name", token = ${quotedPair(key)}`],
  ['OAuth', (key) => `OAuth oauth_consumer_key="aaaaaaaa1111", oauth_token=${quotedPair(encodeURIComponent(key))}`],
  ['Digest', (key) => `Digest username="ada", uri="/a-long-way", response=${quotedPair(key)}, qop=auth`],
  ['a cookie', (key) => `theme=dark-and-long; session=${key}`],
  ['a pair', (key) => `AWS4-HMAC-SHA256 Credential=AKIA12345678/2026, Signature=${key}`],
  ['Basic', (key) => `Basic ${btoa(`somebody:${key}`)}`],
  ['Basic in lower case', (key) => `basic  ${btoa(`ada:${key}`)}`],
  [
    'Basic without padding, for URLs',
    (key) => `Basic ${btoa(`ada??>:${key}`).replaceAll('/', '_').replaceAll('=', '')}`,
  ],
  ['Basic in Latin-1', (key) => `Basic ${btoa(`\u00e9t\u00e9:${key}`)}`],
  ['Basic with a name alone', (key) => `Basic ${btoa(`${key}:`)}`],
  ['a second Basic', (key) => `Bearer abcdefghijkl, Basic ${btoa(`ada:${key}`)}`],
];

describe.each(GIVEN)('a key that is given as %s', (way, give) => {
  const letters = /word|scheme$|tab|parameter$|cookie|pair|apostrophes/.test(way)
    ? "aZ09-._~+/&<'"
    : `aZ09-._~+/&<,; ="\\`;
  const keys = Array.from({ length: 40 }, (_, seed) =>
    Array.from({ length: 8 + (seed % 9) }, (__, at) => letters[(seed * 31 + at * (seed + 7)) % letters.length]).join(
      '',
    ),
  ).map((key) => (/apostrophes/.test(way) ? key.replaceAll("'", 'q') : `k${key}k`));

  test('is hidden', () => {
    for (const key of [...keys, 'zyxwvuts98765432', '481516234210815']) {
      const secrets = ofHeaders({ authorization: give(key) });
      for (const text of [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)])
        expect(secrets.hide(`echo ${text}!`), give(key)).toBe('echo (secret)!');
    }
    expect(ofHeaders({ authorization: give('481516234210815') }).hideIn(481516234210815)).toBe('(secret)');
  });

  test('is refused with fewer than eight characters', () => {
    for (const key of ['a', 'abc', 'pw12', 'abc4567'])
      expect(() => ofHeaders({ authorization: give(key) }), give(key)).toThrow(
        expect.objectContaining({ code: 'key_short', details: { place: 'the header authorization' } }),
      );
  });
});

test('short words beside a key are not refused, and short text that is no key is not', () => {
  for (const header of [
    'Signature keyId="k1",algorithm="hs2019",signature="c2lnbmF0dXJl"',
    'OAuth oauth_consumer_key="abc", oauth_token="", oauth_signature="0123456789"',
    'DeepL-Auth-Key 279a2e9d-83b3-c416:fx',
    'id=1; cookie_consent=yes; session=0123456789',
  ])
    expect(() => ofHeaders({ authorization: header }), header).not.toThrow();
  expect(() => ofHeaders({ 'x-plan': 'Basic plan', accept: 'a/b; token=1' })).not.toThrow();
  expect(() => ofHeaders({ 'x-upstream': `Basic ${btoa('user:pw12')}` })).toThrow();
});

test('a variable is a key by its name or its form', () => {
  const secrets = new Secrets();
  secrets.addVariables({
    NODE_ENV: 'production',
    MEMORY_FILE_PATH: '/home/ada/notes/memory-2026.json',
    LOG: 'warnings and errors',
    API_TOKEN: 'Bearer abc-def-ghi',
    DB_PASSWORD: 'correct horse',
    DATABASE: 'postgres://ada:lovelace@db.test/notes',
    LICENCE: 'a1b2c3d4e5f6a1b2c3d4e5f6',
    SESSION: 'abc',
    GIT_AUTHOR_EMAIL: 'ada@example.test',
    AUTHORIZATION: 'Custom of-the-server',
    UPSTREAM_AUTH: 'Token token="zyxwvuts98765432"',
    PROXY_AUTH: `Basic ${btoa('ada:pw-secret-9')}`,
  });
  const text = 'production /home/ada/notes/memory-2026.json warnings and errors abc ada@example.test';
  expect(secrets.hide(text)).toBe(text);
  expect(secrets.hide('abc-def-ghi, Bearer abc-def-ghi')).toBe('(secret), (secret)');
  for (const key of [
    'zyxwvuts98765432',
    'pw-secret-9',
    'of-the-server',
    'correct horse',
    'postgres://ada:lovelace@db.test/notes',
    'a1b2c3d4e5f6a1b2c3d4e5f6',
  ])
    expect(secrets.hide(key)).toBe('(secret)');
});
