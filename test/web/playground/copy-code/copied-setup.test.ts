import { describe, expect, test } from 'vitest';
import { define, type JsonObject } from '../../../../core/index.ts';
import { authorityOf } from '../../../../web/playground/copy-code/copied-setup.ts';
import { formatEmbed } from '../../../../web/playground/copy-code/formats/embed-code.ts';
import { formatNodeCode } from '../../../../web/playground/copy-code/formats/node-code.ts';
import { formatPageCode } from '../../../../web/playground/copy-code/formats/page-code.ts';
import { HOSTILE_SETUP } from './hostile.ts';

const ARGS = { type: 'object', properties: {}, additionalProperties: false };

function made(name: string, more: object = {}) {
  const source = 'host' in more ? '' : 'export default () => 1;';
  const definition = { name, version: '1.0.0', description: 'd', effect: 'pure', args: ARGS, source, ...more };
  const outcome = define(definition);
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return { hash: outcome.value.hash, manifest: outcome.value.manifest as unknown as JsonObject };
}

function grant(capability: string, capability_hash: string, more: object = {}): JsonObject {
  return { id: 'x', capability, capability_hash, mode: 'allow', ...more };
}

describe('the setup of a run as data', () => {
  const kept = made('a.kept', { limits: { fuel: 5_000 } });
  const plain = made('a.plain');
  const off = made('a.off');
  const tool = made('a.tool', { host: {} });
  const definitions = [kept, plain, off, tool].map(({ manifest }) => manifest);
  const enabled = [kept.hash, plain.hash, tool.hash];

  test('a definition is copied with its hash, and without what is filled in', () => {
    const { capabilities } = authorityOf({ definitions, enabled, grants: [] });
    expect(capabilities.map(({ name }) => name)).toEqual(['a.kept', 'a.plain']);
    expect(capabilities.map((each) => define(each))).toMatchObject([
      { ok: true, value: { hash: kept.hash } },
      { ok: true, value: { hash: plain.hash } },
    ]);
    expect(capabilities[0]?.limits).toMatchObject({ fuel: 5_000 });
    expect(Object.keys(capabilities[1] ?? {})).not.toContain('limits');
  });

  test('a disabled capability is not copied, nor is its grant: the copy would enable it', () => {
    const grants = [grant('a.off', off.hash), grant('a.plain', plain.hash, { uses: 2 })];
    expect(authorityOf({ definitions, enabled, grants }).grants).toEqual([
      { capability: 'a.plain', mode: 'allow', uses: 2 },
    ]);
  });

  test('an answer of a person is no grant of the copy', () => {
    const answers = [{ answer: 'a'.repeat(64) }, { args_hash: 'a'.repeat(64) }];
    const grants = answers.map((more) => grant('a.plain', plain.hash, more));
    expect(authorityOf({ definitions, enabled, grants }).grants).toEqual([]);
  });

  test('a tool of a program is named, and not copied', () => {
    const { left, grants } = authorityOf({ definitions, enabled, grants: [grant('a.tool', tool.hash)] });
    expect([left, grants]).toEqual([['a.tool'], []]);
  });
});

describe('the copied code', () => {
  const server = { kind: 'server', baseUrl: "http://localhost:1/v1'", model: 'm</script>', tools: 'json' } as const;

  test('no text of the setup leaves its literal', () => {
    for (const proposer of [HOSTILE_SETUP.proposer, { kind: 'person' } as const, server])
      for (const format of [formatNodeCode, formatPageCode]) {
        const code = format({ ...HOSTILE_SETUP, proposer });
        expect(code).not.toMatch(/<[/!]|<script|\u2028|\u202e/iu);
      }
  });

  test('a run that began with labels begins with them again', () => {
    for (const format of [formatNodeCode, formatPageCode]) {
      expect(format({ ...HOSTILE_SETUP, labels: ['untrusted'] })).toMatch(/^ {2}labels: \[\s*'untrusted',?\s*\],$/mu);
      expect(format(HOSTILE_SETUP)).not.toContain('labels: [');
    }
  });

  test('the page holds the task as an attribute, and the scenario as JSON', () => {
    const [page, scenario, ...others] = formatEmbed(HOSTILE_SETUP);
    expect(others).toEqual([]);
    expect(page?.text.match(/<script/gu)).toHaveLength(1);
    expect(page?.text.match(/[<>"]/gu)).toHaveLength(
      (formatEmbed({ ...HOSTILE_SETUP, task: '' })[0]?.text ?? '').match(/[<>"]/gu)?.length ?? 0,
    );
    const { proposer } = HOSTILE_SETUP;
    expect(JSON.parse(scenario?.text ?? '')).toMatchObject({
      dialect: 'xct',
      script: proposer.kind === 'script' ? proposer.script : [],
    });
  });

  test('a model behind a server is set by a script of the page, without a key', () => {
    const files = formatEmbed({ ...HOSTILE_SETUP, proposer: server });
    expect(files.map(({ name }) => name)).toEqual(['index.html', 'scenario.json', 'agent.js']);
    expect(files[2]?.text).toContain("model: 'm\\u003c/script>'");
    expect(JSON.parse(files[1]?.text ?? '')).not.toHaveProperty('script');
  });
});

test('the code of a run whose results are held holds them, too', () => {
  const held = { ...HOSTILE_SETUP, hold: 'untrusted' } as const;
  for (const format of [formatNodeCode, formatPageCode]) {
    expect(format(held)).toMatch(/^ {2}hold: ['"]untrusted['"],$/mu);
    expect(format(HOSTILE_SETUP)).not.toMatch(/^ {2}hold/mu);
  }
  expect(formatEmbed(held)[0]?.text).toContain(' hold="untrusted"></sallyport-run>');
});
