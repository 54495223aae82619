import { describe, expect, test } from 'vitest';
import { checkTerms } from '../../../core/capability/grant-terms.ts';
import type { Grant } from '../../../core/capability/policy.ts';
import { attenuate, makeGrant } from '../../../core/capability/policy.ts';
import type { JsonObject, JsonValue } from '../../../core/json/value.ts';
import {
  bodiesOf,
  callOf,
  type Env,
  type HeldSpec,
  heldFacts,
  type Kept,
  ok,
  type Played,
  play,
  threw,
} from './held.ts';

const BOOLEAN: JsonObject = { type: 'boolean' };
const MAIL = { name: 'mail', effect: 'read', held: true } as const;
const NOTE = { name: 'note', effect: 'write', labels: [], origin: 'mcp:note' } as const;
const ANY = { name: 'any', labels: ['private', 'untrusted'], guest: true, result: BOOLEAN } as const;
const told = (played: Played) =>
  bodiesOf(played, 'observation').map(({ payload }) => {
    const text = new TextDecoder().decode(played.payloads.get(payload.sha256));
    return JSON.parse(payload.salt === undefined ? text : text.slice(64)) as { readonly result: JsonValue };
  });
const results = (played: Played) => told(played).map(({ result }) => result);
const codes = (played: Played) => bodiesOf(played, 'receipt').map(({ evidence }) => evidence.reason?.code);

type Terms = Omit<HeldSpec['grants'][number], 'capability'>;
const run = (terms: Terms, calls: readonly Uint8Array[], env: Env, kept?: Kept, more: Partial<HeldSpec> = {}) => {
  const grants = [{ capability: 'any', ...terms }, { capability: 'mail' }, { capability: 'note' }];
  return play(heldFacts({ tools: [MAIL, NOTE, ANY], grants, ...more }), calls, env, undefined, kept);
};
const call = (args: JsonValue = {}) => callOf('any', args);
const says = (value: JsonValue): Env => ({ tool: (name) => ok(name === 'any' ? value : 'done') });

describe('a release', () => {
  test('tells the value, with its labels', () => {
    const played = run({ release: { bits: 2 } }, [call()], says(true));
    expect(results(played)).toEqual([true]);
    expect([...played.state.labels]).toEqual(['private', 'untrusted']);
    expect(played.state.held.size).toBe(0);
    const [{ evidence }] = bodiesOf(played, 'receipt') as [ReturnType<typeof bodiesOf<'receipt'>>[number]];
    expect(evidence.held?.release).toMatchObject({ bits: 2, grants: [expect.any(String)] });
  });

  test('that drops what is untrusted keeps what is private, and asks no later question', () => {
    const release = { bits: 2, drops: ['untrusted'] } as const;
    const kept = run({ release: { bits: 2 } }, [call(), callOf('note', {})], says(false));
    const dropped = run({ release }, [call(), callOf('note', {})], says(false));
    expect([kept.asked.length, dropped.asked.length]).toEqual([1, 0]);
    expect([...dropped.state.labels]).toEqual(['private']);
    expect(bodiesOf(dropped, 'receipt')[0]?.evidence.held?.release?.drops).toEqual(['untrusted']);
  });

  const TYPED = { type: 'object', properties: { x: { type: 'string' } }, additionalProperties: false };
  const WHERE = { type: 'object', properties: { x: { const: 'a' } }, required: ['x'] };
  const HANDLE = { x: { $held: 'h1', at: '/0' } };
  test.each<[string, Terms, JsonValue, Env, string]>([
    ['a failure', {}, {}, { tool: () => threw('secret') }, 'capability_threw'],
    ['a value that the schema refuses', {}, {}, says('yes'), 'result_schema'],
    ['text that is no value', {}, {}, { tool: () => ({ ...ok(0), text: '{' }) }, 'result_not_json'],
    ['a hang', {}, {}, { tool: () => ({ ...threw('x'), kind: 'hang' }) as ReturnType<typeof ok> }, 'hang_killed'],
    ['a constraint that the arguments do not meet', { where: WHERE }, { x: 'b' }, says(true), 'grant_constraint'],
    ['a constraint that a held value does not meet', { where: WHERE }, HANDLE, says(true), 'grant_constraint'],
    ['a held value that does not fit', {}, { x: { $held: 'h1', at: '/1' } }, says(true), 'arguments_schema'],
    ['a pointer beyond the value', {}, { x: { $held: 'h1', at: '/9' } }, says(true), 'held_beyond'],
    [
      'a person’s no',
      { mode: 'ask' },
      {},
      { ...says(true), person: () => ({ approved: false, reason: 'no' }) },
      'approval_denied',
    ],
  ])('tells %s as no release, and is charged for it', (_, terms, args, env, code) => {
    const tool: Env['tool'] = (name, ...more) => (name === 'mail' ? ok(['b', 1]) : env.tool(name, ...more));
    const tools = [MAIL, NOTE, { ...ANY, args: TYPED }];
    const grants = [{ capability: 'any', release: { bits: 2 }, ...terms }, { capability: 'mail' }];
    const calls = [callOf('mail', {}), call(args), call(args)];
    const played = play(heldFacts({ tools, grants }), calls, { ...env, tool });
    expect(codes(played)[1]).toBe(code);
    expect(told(played)[1]).toEqual({ result: 'no_release', status: 'success' });
    // the second call has no bits left
    expect(results(played)[2]).not.toBe('no_release');
    expect([...played.state.released.values()]).toEqual([{ own: 2, all: 2 }]);
    expect([...played.state.labels]).toEqual(['private', 'untrusted']);
  });

  test('is none where no bits are left: the call holds', () => {
    const played = run({ release: { bits: 5 } }, [call(), call(), call()], says(true));
    expect(results(played)).toEqual([true, true, { $held: 'h3' }]);
  });

  test('is counted over all runs, and each definition by its terms', () => {
    const kept: Kept = new Map();
    const first = run({ release: { bits: 4 } }, [call()], says(true), kept);
    const second = run({ release: { bits: 4 } }, [call(), call()], says(true), kept);
    expect([results(first), results(second)]).toEqual([[true], [true, { $held: 'h2' }]]);
    expect(bodiesOf(second, 'decision').map(({ charges }) => charges?.grants.map(({ before }) => before))).toEqual([
      [2],
      [4],
    ]);
  });

  test('ends with its uses, its rate and its time', () => {
    const used = run({ release: { bits: 90 }, uses: 1 }, [call(), call()], says(true));
    const late = run({ release: { bits: 90 }, expires: 900 }, [call()], says(true));
    expect([results(used)[0], codes(used)[1]]).toEqual([true, 'grant_used_up']);
    expect(codes(late)).toEqual(['grant_expired']);
  });

  test('is told of a definition that is denied, or that nobody may call, as of every other', () => {
    const grants = [
      { capability: 'any', release: { bits: 9 } },
      { capability: 'any', mode: 'deny' as const },
    ];
    const denied = play(heldFacts({ tools: [ANY], grants }), [call()], says(true));
    expect(told(denied)).toMatchObject([{ status: 'error', details: { code: 'grant_denied' } }]);
    expect(denied.state.released.size).toBe(0);
  });

  test('is permitted by the grants that release alone', () => {
    const where = { type: 'object', required: ['x'] };
    const grants = [{ capability: 'any' }, { capability: 'any', release: { bits: 9 }, where }];
    const played = play(heldFacts({ tools: [ANY], grants }), [call(), call({ x: 1 })], says(true));
    expect(results(played)).toEqual(['no_release', true]);
  });

  test('drops labels only where every grant that it is charged to drops them', () => {
    const grants = [
      { capability: 'any', release: { bits: 4, drops: ['untrusted'] as const } },
      { capability: 'any', release: { bits: 2 } },
    ];
    const played = play(heldFacts({ tools: [ANY], grants }), [call(), call()], says(true));
    const drops = bodiesOf(played, 'receipt').map(({ evidence }) => evidence.held?.release?.drops);
    expect(drops).toEqual([undefined, ['untrusted']]);
    expect([...played.state.labels]).toEqual(['private', 'untrusted']);
  });

  test('asks a person with what it tells at most', () => {
    const asked: unknown[] = [];
    const facts = heldFacts({ tools: [ANY], grants: [{ capability: 'any', mode: 'ask', release: { bits: 5 } }] });
    const played = play(facts, [call(), call()], {
      ...says(true),
      person: (step) => (asked.push(step), { approved: true, standing: { args: 'any' } }),
    });
    // a standing answer serves the release after it
    expect([results(played), asked]).toEqual([[true, true], [1]]);
  });

  test('a standing answer about a release serves no call that is told', () => {
    const facts = heldFacts({ tools: [ANY], grants: [{ capability: 'any', mode: 'ask', release: { bits: 2 } }] });
    const played = play(facts, [call(), call()], {
      ...says(true),
      person: () => ({ approved: true, standing: { args: 'any' } }),
    });
    expect([results(played), played.asked.map(({ step }) => step)]).toEqual([
      [true, { $held: 'h2' }],
      [1, 2],
    ]);
  });

  test('a caller of a session is told as a model is', () => {
    const played = run({ release: { bits: 2 } }, [call(), call()], says(true), undefined, { caller: true });
    expect(results(played)).toEqual([true, { $held: 'h2' }]);
  });
});

describe('the term', () => {
  const subject = { name: 'any', hash: 'a'.repeat(64) };
  const narrowed = (given: Grant['release'], asked: NonNullable<Grant['release']>) => {
    const made = attenuate(makeGrant(subject, { mode: 'allow', ...(given && { release: given }) }), { release: asked });
    return made.ok ? made.value.release : made.refusal.code;
  };
  test('is narrowed to the smaller bits, and to the labels that both drop', () => {
    expect(narrowed({ bits: 5, drops: ['untrusted'] }, { bits: 9, drops: ['untrusted'] })).toEqual({
      bits: 5,
      drops: ['untrusted'],
    });
    expect(narrowed({ bits: 5 }, { bits: 2, drops: ['untrusted'] })).toEqual({ bits: 2 });
    expect(narrowed(undefined, { bits: 2 })).toBe('grant_widens');
  });

  test('a denial that was narrowed from a release releases nothing', () => {
    const made = attenuate(makeGrant(subject, { mode: 'allow', release: { bits: 2 } }), { mode: 'deny' });
    expect(made).toMatchObject({ ok: true, value: { mode: 'deny' } });
    expect(made.ok && made.value.release).toBeUndefined();
  });

  test.each([
    [{ mode: 'deny', release: { bits: 1 } }, 'release'],
    [{ mode: 'allow', release: { bits: 0 } }, 'release'],
    [{ mode: 'allow', release: { bits: 1.5 } }, 'release'],
    [{ mode: 'allow', release: { bits: 65_537 } }, 'release'],
    [{ mode: 'allow', release: { bits: 1, drops: ['private'] } }, 'release'],
    [{ mode: 'allow', release: { bits: 1, drops: [] } }, 'release'],
    [{ mode: 'allow', release: { bits: 1, more: 1 } }, 'release'],
    [{ mode: 'allow', release: 1 }, 'release'],
  ])('is refused as %j', (terms, name) => {
    expect(checkTerms(terms)).toMatchObject({ ok: false, refusal: { code: 'option_invalid', details: { name } } });
  });
});
