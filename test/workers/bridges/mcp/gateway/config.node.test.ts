import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { encodeText } from '../../../../../core/index.ts';
import {
  addToList,
  faultText,
  lineAt,
  placesOf,
  readConfiguration,
  removeFromList,
} from '../../../../../workers/bridges/mcp/gateway/config.ts';
import { CONFIG_SCHEMA, faultsOf } from '../../../../../workers/bridges/mcp/gateway/config-schema.ts';

const HASH = 'a'.repeat(64);
const read = (value: unknown, environment = {}) =>
  readConfiguration(encodeText(typeof value === 'string' ? value : JSON.stringify(value, null, 2)), environment);
const faults = (value: unknown, environment = {}) => {
  const result = read(value, environment);
  return result.ok ? [] : result.faults.map((fault) => faultText('c.json', fault));
};

describe('the configuration of the gateway', () => {
  test('a configuration as hosts write it is taken, with keys of the environment', () => {
    const taken = read(
      {
        mcpServers: {
          files: {
            command: 'npx',
            args: ['-y', 'server', '/notes'],
            env: { A: 'x${KEY}', B: '${env:KEY}' },
            type: 'stdio',
          },
          web: {
            url: 'https://api.example/mcp',
            headers: { Authorization: 'Bearer ${KEY}' },
            numbers: 'text',
            effect: 'read',
            labels: [],
          },
        },
        grants: [{ tool: 'files.read', mode: 'allow', definition: HASH }],
      },
      { KEY: 'k1' },
    );
    expect(taken).toMatchObject({
      ok: true,
      warnings: [],
      value: {
        guard: true,
        mcpServers: { files: { env: { A: 'xk1', B: 'k1' } }, web: { headers: { Authorization: 'Bearer k1' } } },
      },
    });
  });

  test.each<[string, unknown, string]>([
    [
      'names without a prefix of one server of two',
      { mcpServers: { a: { command: 'x', prefix: '' }, b: { command: 'y' } } },
      'c.json:5:17 /mcpServers/a/prefix: The configuration has 2 servers, and names without a prefix are for a single one: give "a" a prefix.',
    ],
    ['a member twice', '{"guard":true,\n"guard":false}', 'c.json:2:9 /guard: Ambiguous: member "guard" appears twice'],
    ['a comma too many', '{\n  "guard": true,\n}', 'c.json:3:1 This is no JSON: "}" stands where it cannot stand.'],
    ['a comment', '{\n  // mine\n  "guard": true\n}', 'c.json:2:3 This is no JSON: "/" stands where it cannot stand.'],
    ['an empty file', '', 'c.json:1:1 This is no JSON: the end stands where it cannot stand.'],
    [
      'a byte order mark',
      '\ufeff{}',
      'c.json:1:1 The file begins with a byte order mark. Save it in UTF-8 without one.',
    ],
    [
      'half of a character',
      '{\n  "$schema": "\\ud800"\n}',
      'c.json:2:14 /$schema: This text holds half of a character',
    ],
    [
      'a number that no double holds',
      '{\n "limits": {"steps": 1e400}\n}',
      'c.json:2:22 /limits/steps: The number 1e400',
    ],
    [
      'an unknown member',
      '{\n  "grant": []\n}',
      'c.json:2:12 /grant: Remove the member "grant", or write "$schema", "mcpServers", "grants", "effects", "limits", "hold", "notify", "guard" or "auth".',
    ],
    ['a wrong type', { guard: 'no' }, '/guard: Write true or false here.'],
    [
      'a wrong effect',
      { mcpServers: { a: { command: 'x', effect: 'safe' } } },
      '/mcpServers/a/effect: Write "pure", "read", "write" or "egress" here.',
    ],
    ['a word that holds nothing', { hold: true }, '/hold: Write "untrusted", "private" or "all" here.'],
    [
      'a word of a tool that holds nothing',
      { mcpServers: { a: { command: 'x', tools: { t: { hold: 'none' } } } } },
      '/mcpServers/a/tools/t/hold: Write "untrusted", "private" or "all" here.',
    ],
    ['a grant without a mode', { grants: [{ tool: 'a.b' }] }, '/grants/0: Add the member "mode" here.'],
    [
      'no hash',
      { grants: [{ tool: 'a.b', mode: 'allow', definition: 'x' }] },
      '/grants/0/definition: Write a text of the form',
    ],
    [
      'persons without an issuer',
      { grants: [{ tool: 'a.b', mode: 'allow', for: ['ada'] }] },
      '/grants/0/for: "for" names subjects of an issuer: add "auth"',
    ],
    [
      'an issuer that is asked in the clear',
      { auth: { issuer: 'http://id.example', audience: 'https://tools.example/mcp' } },
      '/auth/issuer: Write an address of https, or of this machine',
    ],
    ['an issuer without a resource', { auth: { issuer: 'https://id.example' } }, '/auth: Add the member "audience"'],
    ['neither a command nor an address', { mcpServers: { a: {} } }, '/mcpServers/a: Write either "command" or "url"'],
    [
      'a command and an address',
      { mcpServers: { a: { command: 'x', url: 'http://x' } } },
      'Write either "command" or "url"',
    ],
    [
      'a prefix twice',
      { mcpServers: { 'a.b': { command: 'x' }, a_b: { command: 'y' } } },
      'have the prefixes "a_b" and "a_b"',
    ],
    [
      'a prefix that is the beginning of another, so that their tools could have the same names at a host',
      { mcpServers: { notes: { command: 'x' }, notes_db: { command: 'y' } } },
      '/mcpServers/notes_db: The servers "notes" and "notes_db" have the prefixes "notes" and "notes_db"',
    ],
    ['a list', [], 'Write an object here.'],
  ])('%s is refused with its line, its pointer and advice', (_, value, text) => {
    const found = faults(value);
    expect(found.join('\n')).toContain(text);
    expect(found.join('\n')).not.toMatch(/\bSend\b|exactly one JSON/);
    expect(found.every((line) => /^c\.json:\d+:\d+ /.test(line))).toBe(true);
  });

  test('bytes that are not UTF-8 have their place', () => {
    const result = readConfiguration(Uint8Array.of(0x7b, 0x0a, 0x20, 0xff, 0x7d), {});
    expect(result.ok ? [] : result.faults).toMatchObject(
      [{ line: 2, column: 2, message: /not UTF-8/ }].map((each) => ({
        ...each,
        message: expect.stringMatching(each.message) as string,
      })),
    );
  });

  test('a variable that is missing is named', () => {
    expect(faults({ mcpServers: { a: { command: 'x', env: { T: '${NOPE}' } } } })).toEqual([
      expect.stringMatching(/\/mcpServers\/a\/env\/T: The environment has no variable NOPE: set NOPE/),
    ]);
    expect(faults({ mcpServers: { a: { command: 'x', env: { T: '${__proto__}' } } } })).toHaveLength(1);
  });

  test('a key in the arguments or in the address is refused, because questions and records show them', () => {
    const found = faults(
      { mcpServers: { a: { command: 'x', args: ['--key=${K}'] }, b: { url: 'https://x/?k=${K}' } } },
      { K: 'v' },
    );
    expect(found).toHaveLength(2);
    expect(found.join()).not.toContain('=v');
  });

  test.each(['sk-abcdefghijklmnop1234', 'ghp_abcdefghijklmnopqrst', 'Bearer 0123456789abcdef0123456789abcdef01'])(
    'the literal %s is warned of, and not repeated',
    (key) => {
      const result = read({ mcpServers: { a: { command: 'x', args: [`--k=${key}`], env: { OTHER: key } } } });
      expect(result.ok && result.warnings.map(({ pointer }) => pointer)).toEqual([
        '/mcpServers/a/env/OTHER',
        '/mcpServers/a/args/0',
      ]);
      expect(JSON.stringify(result.ok && result.warnings)).not.toContain(key);
    },
  );

  test('paths, packages and short values are not warned of', () => {
    const args = [
      '-y',
      '@modelcontextprotocol/server-filesystem@2026.8.31',
      '/home/person/Documents/project-2026/notes',
    ];
    expect(
      read({ mcpServers: { a: { command: 'npx', args, env: { MODE: 'fast', TOKEN: '${T}' } } } }, { T: 'x' }),
    ).toMatchObject({ warnings: [] });
  });

  test('the published schema is valid, and ajv judges samples as the command does', () => {
    const validate = new Ajv2020({ strict: false }).compile(CONFIG_SCHEMA);
    const samples = [
      {},
      [],
      null,
      { guard: 1 },
      { limits: { steps: 0 } },
      { limits: { steps: 1.5 } },
      { limits: { steps: 3 } },
      { limits: { x: 3 } },
      { mcpServers: { 'a/b': { command: 'x' } } },
      { mcpServers: { a: { command: '' } } },
      { mcpServers: { a: { command: 'x', args: [1] } } },
      { mcpServers: { a: { command: 'x', tools: { t: { effect: 'read', labels: ['private'], enabled: false } } } } },
      { mcpServers: { a: { command: 'x', tools: { t: { effect: 'none' } } } } },
      { mcpServers: { a: { url: 'ftp://x' } } },
      { grants: [{ tool: 'a', mode: 'allow', where: {}, uses: 2, expires: 3, definition: HASH }] },
      { grants: [{ tool: 'a', mode: 'yes' }] },
      { mcpServers: { a: { command: 'x', env: { K: 1 } } } },
      { mcpServers: { a: { command: 'x', labels: ['secret'] } } },
      { hold: 'all', mcpServers: { a: { command: 'x', hold: 'private', tools: { t: { hold: 'untrusted' } } } } },
      { hold: 'none' },
    ];
    for (const sample of samples)
      expect([sample, faultsOf(CONFIG_SCHEMA, sample as never).length === 0]).toEqual([sample, validate(sample)]);
  });
});

describe('messages about questions', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const notify = (given: object, environment = {}) => read({ notify: given }, environment);

  test('have an address and a secret that may stand in the environment', () => {
    const given = { url: 'https://push.example/${TOPIC}', secret: '${SECRET}' };
    const taken = notify(given, { TOPIC: 'mine', SECRET: secret });
    expect(taken).toMatchObject({
      ok: true,
      warnings: [],
      value: { notify: { url: 'https://push.example/mine', secret } },
    });
    expect(notify({ url: 'http://127.0.0.1:8080/a', secret })).toMatchObject({
      ok: true,
      warnings: [{ pointer: '/notify/secret', message: expect.stringContaining('looks like a key') }],
    });
    expect(readConfiguration(encodeText(JSON.stringify({ notify: given })), undefined)).toMatchObject({ ok: true });
  });

  test.each([
    [{ url: 'https://push.example', secret: '${SECRET}' }, '/notify/secret: The environment has no variable SECRET'],
    [{ url: 'http://push.example', secret }, '/notify/url: Write an address of https, or of this machine'],
    [{ url: 'https://a:b@push.example', secret }, '/notify/url: Write an address'],
    [{ url: 'https://push.example', secret: 'a word' }, '/notify/secret: Write whsec_ and 24 to 64 bytes'],
    [{ url: 'https://push.example' }, '/notify: Add the member "secret" here'],
    [{ url: 'https://push.example', secret, topic: 'x' }, '/notify/topic: Remove the member "topic"'],
  ])('are refused for %j', (given, text) => {
    expect(faults({ notify: given })).toEqual([expect.stringContaining(text)]);
  });
});

describe('the text of a configuration', () => {
  const grant = { tool: 'a.b', mode: 'allow' };

  test.each([
    '{}',
    '{ }\n',
    '{\n  "guard": true\n}\n',
    '{\n\t"grants": [],\n\t"guard": true\n}',
    '{"grants":[{"tool":"x","mode":"ask"}],"mcpServers":{"a":{"command":"]},{"}}}',
    '{\n  "grants": [\n    { "tool": "x", "mode": "ask" }\n  ]\n}\n',
  ])('a grant is added to %j, and the rest of the text stays', (text) => {
    const next = addToList(text, 'grants', grant);
    const before = JSON.parse(text) as { grants?: unknown[] };
    expect(JSON.parse(next)).toEqual({ ...before, grants: [...(before.grants ?? []), grant] });
    const [head = ''] = text.split(/\}\s*$|\]\s*,/);
    expect(next.startsWith(head.trimEnd().replace(/\[$/, '').slice(0, 10))).toBe(true);
    expect(next.endsWith(text.slice(text.trimEnd().length))).toBe(true);
  });

  test.each([
    ['{"grants":[]}', 0, []],
    ['{"grants":[1]}', 0, []],
    ['{"grants": [1, 2,3 ]}', 0, [2, 3]],
    ['{\n  "grants": [\n    1,\n    2,\n    3\n  ]\n}\n', 1, [1, 3]],
    ['{\n  "grants": [\n    1,\n    {"a": "],"}\n  ]\n}\n', 1, [1]],
    ['{}', 0, undefined],
  ])('an entry is removed from %j, and the rest of the text stays', (text, at, grants) => {
    const next = removeFromList(text, 'grants', at);
    expect((JSON.parse(next) as { grants?: unknown }).grants).toEqual(grants);
    expect(next).not.toMatch(/\n\s*\n/);
    expect(addToList(next, 'grants', 9).replaceAll(/\s/g, '')).toBe(
      JSON.stringify({ grants: [...((grants as unknown[] | undefined) ?? []), 9] }),
    );
  });

  test('each value has its place, also behind escapes and inside lists', () => {
    const text = '{"a\\n/b": [1, {"c": "x]\\""}],\n "d": null}';
    const places = placesOf(text);
    const at = (pointer: string) => text.slice(places.get(pointer)?.start, places.get(pointer)?.end);
    expect([at('/a\n~1b/1/c'), at('/a\n~1b/0'), at('/d'), at('')]).toEqual(['"x]\\""', '1', 'null', text]);
    expect(lineAt(text, places.get('/d')?.start ?? 0)).toEqual({ line: 2, column: 7 });
  });
});
