import { describe, expect, it } from 'vitest';
import { encodeText } from '../../../../core/index.ts';
import { BLANK, draftOf, readDraft } from '../../../../web/playground/workshop/draft.ts';
import { openShared, packShared, type SharePayload } from '../../../../web/playground/workshop/share-link.ts';
import { spoken } from '../../texts/spoken.ts';

function greeting(): SharePayload {
  const read = readDraft(BLANK);
  if (!read.ok) throw new Error('the blank draft is refused');
  return { capability: read.definition, script: ['{"done":true,"message":"hi"}', 'not JSON \u202e'] };
}

/** Packs any text, like a link written by hand. */
async function pack(text: string, format = 1): Promise<string> {
  const stream = new Blob([encodeText(text)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `${format}.${base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

const reasonOf = async (packed: string): Promise<string> => {
  const opened = await openShared(packed);
  return opened.ok ? 'opened' : opened.reason;
};

describe('a shared link', () => {
  it('a shared link gives back its payload, in fewer than two thousand characters', async () => {
    const packed = await packShared(greeting());
    expect(packed.length).toBeLessThan(2000);
    expect(await openShared(packed)).toMatchObject({
      ok: true,
      opened: { shared: greeting(), packed: packed.length, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
  });

  it('a shared link is refused when it is longer than the limit', async () => {
    expect(await reasonOf(`1.${'A'.repeat(70_000)}`)).toContain('the limit is 65,536');
  });

  it('a shared link is refused when it unfolds to more than a megabyte, before all of it is unfolded', async () => {
    const bomb = await pack('x'.repeat(40 << 20));
    expect(bomb.length).toBeLessThan(60_000);
    expect(await reasonOf(bomb)).toContain('unfolds to more than 1,048,576 bytes');
  });

  it('a shared link is refused when it was made for another format', async () => {
    expect(await reasonOf(await pack('{}', 3))).toContain('made for format 3, and this page knows 1');
  });

  it.each(['', 'x', '1.', '1.%%%', '1.AAAA', '01234.AAAA', '1.A', '<script>', '1.eyJhIjoxfQ'])(
    'a shared link is refused when it is damaged: %s',
    async (packed) => {
      expect(await reasonOf(packed)).toMatch(
        /^This link cannot be opened: .*Nothing was loaded, and nothing was run\.$/,
      );
    },
  );

  it('a shared link is refused when half of it is missing', async () => {
    const packed = await packShared(greeting());
    expect(await reasonOf(packed.slice(0, packed.length / 2))).toContain('cut off or changed');
  });

  it.each([
    ['a key twice', '{"capability":{},"capability":{},"script":[]}', 'appears twice'],
    ['no object', '[]', 'no object'],
    ['something unknown', '{"capability":{},"script":[],"run":true}', 'something unknown: "run"'],
    ['a script that is none', '{"capability":{},"script":[1]}', 'not a list of texts'],
    ['no capability', '{"script":[]}', 'carries no capability'],
    ['half a capability', '{"capability":{"name":"x"},"script":[]}', 'its capability is refused'],
    ['a poisoned prototype', '{"capability":{"__proto__":{"name":"x"}},"script":[]}', 'its capability is refused'],
    ['a very deep value', `{"capability":${'['.repeat(100)}${']'.repeat(100)},"script":[]}`, 'Nested too deeply'],
  ])('a shared link is refused with %s', async (_, text, reason) => {
    expect(await reasonOf(await pack(text))).toContain(reason);
  });

  it('the refusal of a link is told in the language of the moment it is read', async () => {
    const opened = await openShared(await pack('[]'));
    spoken('de');
    expect(opened).toMatchObject({
      ok: false,
      reason:
        'Dieser Link lässt sich nicht öffnen, denn sein Inhalt ist kein Objekt. Es wurde nichts geladen und nichts ausgeführt.',
    });
  });

  it('a shared link is refused with a schema that could not be checked exactly', async () => {
    const { capability, script } = greeting();
    const remote = { ...capability, args: { $ref: 'https://collect.example/schema' } };
    expect(await reasonOf(await packShared({ capability: remote, script }))).toContain('one of its schemas is refused');
  });
});

describe('a draft of a capability', () => {
  it('a draft is read with the hash of its definition, and another version has another hash', () => {
    const one = readDraft(BLANK);
    const other = readDraft({ ...BLANK, version: '0.1.1' });
    expect(one).toMatchObject({ ok: true });
    expect(one.ok && other.ok && one.hash !== other.hash).toBe(true);
  });

  it('a draft comes back from its definition unchanged', () => {
    const read = readDraft(BLANK);
    if (!read.ok) throw new Error('refused');
    expect(readDraft(draftOf(read.definition))).toEqual(read);
  });

  it.each([
    ['a comma too many', { args: '{\n  "type": "object",\n}' }, { field: 'args', line: 3, column: 1 }],
    ['a key twice', { args: '{"type":"object","type":"array"}' }, { field: 'args' }],
    [
      'a misspelt keyword',
      { args: '{\n  "type": "object",\n  "propertees": {}\n}' },
      { field: 'args', line: 3, column: 3 },
    ],
    ['a remote reference', { result: '{\n "$ref": "https://x.example/y" }' }, { field: 'result', line: 2, column: 2 }],
    ['a schema that is none', { args: '[]' }, { field: 'args' }],
    ['a name with a blank', { name: 'my greeting' }, { field: 'name' }],
    ['a version of two parts', { version: '1.0' }, { field: 'version' }],
    ['a negative limit', { limits: { fuel: -1 } }, { field: 'limits' }],
  ])('a draft is refused with the field and the place of its problem: %s', (_, change, problem) => {
    expect(readDraft({ ...BLANK, ...change })).toMatchObject({ ok: false, problems: [problem] });
  });

  it('a draft is refused with the problems of both schemas at once', () => {
    const read = readDraft({ ...BLANK, args: '{', result: '}' });
    expect(read.ok ? [] : read.problems.map(({ field }) => field)).toEqual(['args', 'result']);
  });
});
