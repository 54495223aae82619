import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import { proposalSchema } from '../../../core/run/opening.ts';
import { checker } from '../schemas.ts';
import { bodiesOf, callOf, heldFacts, ok, type Played, play, threw } from './held.ts';

const MAIL = { name: 'mail', effect: 'read', held: true } as const;
const SEND = { name: 'send', effect: 'egress', origin: 'mcp:https://out.example' } as const;
const BOX = ['secret text', { subject: 'Lunch' }];
const answers = { tool: (name: string) => (name === 'mail' ? ok(BOX) : ok('done')) };
const replies = (played: Played) =>
  bodiesOf(played, 'observation').map(({ payload }) => {
    const text = new TextDecoder().decode(played.payloads.get(payload.sha256));
    return JSON.parse(payload.salt === undefined ? text : text.slice(64));
  });
const HELD = (step: number) => ({ result: { $held: `h${step}` }, status: 'success' });

describe('a held call', () => {
  test('what is placed counts, and not what it is a part of', () => {
    const mails = Array.from({ length: 50 }, (_, n) => ({ subject: `Lunch ${n}`, text: 'long '.repeat(20) }));
    const facts = heldFacts({
      tools: [MAIL, { name: 'file', effect: 'write', limits: { bytesIn: 1_000 } }],
      grants: [{ capability: 'mail' }, { capability: 'file', accepts: { '/all': ['private', 'untrusted'] } }],
    });
    const all = mails.map((_, n) => ({ $held: 'h1', at: `/${n}/subject` }));
    const played = play(facts, [callOf('mail', {}), callOf('file', { all })], {
      tool: (name) => ok(name === 'mail' ? mails : 'done'),
    });
    expect(played.ran.at(-1)?.args).toEqual({ all: mails.map(({ subject }) => subject) });
  });

  test.each([
    ['1e999', '', 'held_failed'],
    ['"\\ud800"', '', 'held_failed'],
    ['{"a":1,"a":2}', '/a', 'held_failed'],
    ['{"a":1}', '/__proto__', 'held_beyond'],
    ['[1]', '/length', 'held_beyond'],
    ['[1]', '/-', 'held_beyond'],
    ['[1]', '/00', 'held_beyond'],
    ['[1]', '/18446744073709551616', 'held_beyond'],
    [`${'['.repeat(63)}${']'.repeat(63)}`, '', 'limit_depth'],
  ])('a value that has no place in arguments is an outcome: %s at %s', (text, at, code) => {
    const facts = heldFacts({
      tools: [MAIL, { name: 'file', effect: 'write' }],
      grants: [{ capability: 'mail' }, { capability: 'file', accepts: { '/a': ['private', 'untrusted'] } }],
    });
    const file = callOf('file', { a: { b: { c: { $held: 'h1', at } } } });
    const tool = (name: string) => (name === 'mail' ? { ...ok(null), text } : ok('done'));
    const played = play(facts, [callOf('mail', {}), file], { tool });
    expect(replies(played)).toEqual([HELD(1), HELD(2)]);
    expect(bodiesOf(played, 'receipt').at(-1)?.evidence.reason?.code).toBe(code);
  });

  test('tells a handle, whatever its outcome, and the receipt has the true one', () => {
    const facts = heldFacts({ tools: [MAIL], grants: [{ capability: 'mail' }] });
    const good = play(facts, [callOf('mail', {})], answers);
    const bad = play(facts, [callOf('mail', {})], { tool: () => threw('secret text') });
    expect(replies(good)).toEqual([HELD(1)]);
    expect(replies(bad)).toEqual([HELD(1)]);
    expect(good.told.join()).not.toContain('secret');
    expect(bad.told.join()).not.toContain('secret');
    expect(bodiesOf(good, 'receipt').map(({ receipt, evidence }) => [receipt.status, evidence.held?.by])).toEqual([
      ['SUCCESS', 'outcome'],
    ]);
    expect(bodiesOf(bad, 'receipt').map(({ receipt, evidence }) => [receipt.status, evidence.reason?.code])).toEqual([
      ['FAILURE', 'capability_threw'],
    ]);
    expect(good.told).toEqual(bad.told);
    expect(good.state.labels.size).toBe(0);
  });

  test('a value goes into later arguments, as a whole and in part', () => {
    const facts = heldFacts({
      tools: [MAIL, { name: 'file', effect: 'write' }],
      grants: [
        { capability: 'mail' },
        { capability: 'file', accepts: { '/text': ['private', 'untrusted'], '/title': ['private', 'untrusted'] } },
      ],
    });
    const args = { text: { $held: 'h1', at: '/0' }, title: { $held: 'h1', at: '/1/subject' }, n: 1 };
    const played = play(facts, [callOf('mail', {}), callOf('file', args)], answers);
    expect(played.asked).toEqual([]);
    expect(played.ran.at(-1)?.args).toEqual({ text: 'secret text', title: 'Lunch', n: 1 });
    expect(replies(played)).toEqual([HELD(1), HELD(2)]);
  });

  test('a place that does not accept its labels needs a person', () => {
    const facts = heldFacts({
      tools: [MAIL, SEND],
      grants: [{ capability: 'mail' }, { capability: 'send', accepts: { '/text': ['private'] } }],
    });
    const no = { approved: false, reason: 'no' } as const;
    const played = play(facts, [callOf('mail', {}), callOf('send', { text: { $held: 'h1' } })], {
      ...answers,
      person: () => no,
    });
    expect(played.asked.map(({ reason }) => reason)).toEqual([expect.stringContaining('sends out a private value')]);
    expect(played.ran.map(({ name }) => name)).toEqual(['mail']);
    expect(replies(played)).toEqual([HELD(1), HELD(2)]);
  });

  test.each([
    ['of no step', { $held: 'h7' }, 'held_unknown'],
    ['of a step in the open', { $held: 'h1' }, 'held_unknown'],
    ['of another form', { $held: 'x' }, 'held_form'],
    ['with other members', { $held: 'h2', x: 1 }, 'held_form'],
    ['with a pointer that is none', { $held: 'h2', at: 'x' }, 'held_form'],
  ])('a handle %s is refused in the open', (_, handle, code) => {
    const facts = heldFacts({
      tools: [MAIL, { name: 'open', labels: [] }],
      grants: [{ capability: 'mail' }, { capability: 'open' }],
    });
    const played = play(facts, [callOf('open', {}), callOf('mail', {}), callOf('open', { a: [handle] })], answers);
    expect(replies(played).at(-1)).toMatchObject({
      status: 'error',
      details: { code, pointer: '/tool_call/args/a/0' },
    });
  });

  test.each<[string, JsonValue, readonly object[]]>([
    ['a type', { folder: 7, body: { $held: 'h1' } }, [{ pointer: '/folder', keyword: 'type' }]],
    ['a name', { folder: 'a', bodi: { $held: 'h1' } }, [{ pointer: '/bodi', keyword: 'additionalProperties' }]],
    [
      'an alternative',
      { folder: 'a', body: { $held: 'h1' }, to: [7] },
      [
        { pointer: '/to/0', keyword: 'anyOf' },
        { pointer: '/to/0', keyword: 'const' },
        { pointer: '/to/0', keyword: 'type' },
      ],
    ],
  ])('beside a handle, what is wrong with %s is told and nothing about handles', (_, given, issues) => {
    const text = { type: 'string' };
    const to = { type: 'array', items: { anyOf: [text, { const: 1 }] } };
    const args = { type: 'object', properties: { folder: text, body: text, to }, additionalProperties: false };
    const facts = heldFacts({
      tools: [MAIL, { name: 'file', args }],
      grants: [{ capability: 'mail' }, { capability: 'file' }],
    });
    const played = play(facts, [callOf('mail', {}), callOf('file', given)], answers);
    const last = replies(played).at(-1);
    expect(last).toMatchObject({ details: { code: 'arguments_schema', issues } });
    expect(JSON.stringify(last)).not.toContain('$held');
  });

  test.each([
    ['a pointer beyond the value', { $held: 'h1', at: '/9' }, 'held_beyond'],
    ['a value that the schema refuses', { $held: 'h1', at: '/1' }, 'arguments_schema'],
    ['an outcome without a value', { $held: 'h2' }, 'held_failed'],
  ])('%s is the outcome of the handle', (_, x, code) => {
    const args = { type: 'object', properties: { x: { type: 'string' } } };
    const facts = heldFacts({
      tools: [MAIL, { ...MAIL, name: 'fails' }, { name: 'use', args }],
      grants: [{ capability: 'mail' }, { capability: 'fails' }, { capability: 'use' }],
    });
    const tool = (name: string) => (name === 'fails' ? threw('no') : ok(BOX));
    const played = play(facts, [callOf('mail', {}), callOf('fails', {}), callOf('use', { x })], { tool });
    expect(replies(played).at(-1)).toEqual(HELD(3));
    expect(bodiesOf(played, 'receipt').at(-1)?.evidence.reason?.code).toBe(code);
    expect(bodiesOf(played, 'decision').at(-1)).toMatchObject({
      held: 'decision',
      decision: 'DENIED_ARGUMENT_INVALID',
    });
    expect(played.ran.map(({ name }) => name)).toEqual(['mail', 'fails']);
  });

  test('values that are too long together are the outcome of the handle', () => {
    const limits = { bytesIn: 100 };
    const facts = heldFacts({
      tools: [MAIL, { name: 'use', limits }],
      grants: [{ capability: 'mail' }, { capability: 'use' }],
    });
    const many = Array.from({ length: 9 }, () => ({ $held: 'h1' }));
    const played = play(facts, [callOf('mail', {}), callOf('use', { many })], answers);
    expect(replies(played).at(-1)).toEqual(HELD(2));
    expect(bodiesOf(played, 'receipt').at(-1)?.evidence.reason?.code).toBe('held_large');
  });

  test('what is wrong with the message itself is told', () => {
    const args = { type: 'object', properties: { x: { type: 'string' } }, additionalProperties: false };
    const facts = heldFacts({
      tools: [MAIL, { name: 'use', args }],
      grants: [{ capability: 'mail' }, { capability: 'use' }],
    });
    const played = play(facts, [callOf('mail', {}), callOf('use', { x: { $held: 'h1' }, y: 1 })], answers);
    expect(replies(played).at(-1)).toMatchObject({ status: 'error', details: { code: 'arguments_schema' } });
  });

  test('what has the form of a handle in a value is data', () => {
    const facts = heldFacts({
      tools: [MAIL, { name: 'file', effect: 'pure' }],
      grants: [{ capability: 'mail' }, { capability: 'file' }],
    });
    const tool = () => ok({ $held: 'h9' });
    const played = play(facts, [callOf('mail', {}), callOf('file', { x: { $held: 'h1' } })], { tool });
    expect(played.ran.at(-1)?.args).toEqual({ x: { $held: 'h9' } });
  });

  test('a server is given one definition of handles for all capabilities', () => {
    const tree = { type: 'object', properties: { a: { $ref: '#' } } };
    const tools = [MAIL, { ...SEND, args: tree }, { name: 'handle', args: tree }];
    const facts = heldFacts({ tools, grants: tools.map(({ name }) => ({ capability: name })) });
    const schema = proposalSchema({ facts, policy: facts.policy });
    expect(JSON.stringify(schema).split('"pattern"')).toHaveLength(2);
    const accepts = checker(schema);
    const of = (tool: string, args: JsonValue) => accepts({ tool_call: { tool, args } });
    const handle = { $held: 'h1' };
    for (const tool of ['mail', 'send', 'handle'])
      expect([of(tool, handle), of(tool, { a: { a: handle } }), of(tool, 7).length > 0]).toEqual([[], [], true]);
  });

  test('in a run in which nothing can hold, a handle is data', () => {
    const facts = heldFacts({ tools: [{ name: 'open', labels: [] }], grants: [{ capability: 'open' }] });
    const played = play(facts, [callOf('open', { x: { $held: 'h1', more: 1 } })], answers);
    expect(played.ran.at(-1)?.args).toEqual({ x: { $held: 'h1', more: 1 } });
    expect(facts.holding).toBe(undefined);
    expect(bodiesOf(played, 'configuration')[0]).not.toHaveProperty('holding');
  });

  test('uses are charged whether or not the call was permitted', () => {
    const terms = { where: { properties: { x: { const: 'Lunch' } } }, uses: 2 };
    const facts = heldFacts({
      tools: [MAIL, { name: 'use', labels: [] }],
      grants: [{ capability: 'mail' }, { capability: 'use', ...terms }],
    });
    const use = (x: unknown) => callOf('use', { x } as never);
    const script = [callOf('mail', {}), use({ $held: 'h1', at: '/0' }), use({ $held: 'h1', at: '/0' }), use('Lunch')];
    const played = play(facts, script, answers);
    expect(replies(played).at(-1)).toMatchObject({ status: 'error', details: { code: 'grant_used_up' } });
    expect(played.ran.map(({ name }) => name)).toEqual(['mail']);
  });

  test('held outcomes neither count as refusals in a row nor end the row', () => {
    const facts = heldFacts({ tools: [MAIL], grants: [{ capability: 'mail' }], limits: { refusalsInRow: 2 } });
    const script = [
      callOf('nobody', {}),
      callOf('mail', {}),
      callOf('mail', {}),
      callOf('mail', {}),
      callOf('nobody', {}),
    ];
    const played = play(facts, script, { tool: () => threw('no') });
    expect(JSON.parse(played.end)).toEqual({ state: 'limit', code: 'limit_refusals' });
    expect(played.state.steps).toBe(5);
  });

  test('who was handed a held value answers held', () => {
    const file = { name: 'file', labels: [] } as const;
    const grants = [
      { capability: 'mail' },
      { capability: 'file', accepts: { '/x': ['private', 'untrusted'] } as const },
    ];
    const script = [callOf('file', {}), callOf('mail', {}), callOf('file', { x: { $held: 'h2' } }), callOf('file', {})];
    const played = play(heldFacts({ tools: [MAIL, file], grants }), script, answers);
    expect(replies(played)).toEqual([{ result: 'done', status: 'success' }, HELD(2), HELD(3), HELD(4)]);
    const quiet = play(heldFacts({ tools: [MAIL, { ...file, echoes: false }], grants }), script, answers);
    expect(replies(quiet).at(-1)).toEqual({ result: 'done', status: 'success' });
  });

  test('a program sends with all that it was given', () => {
    const facts = heldFacts({
      tools: [MAIL, SEND, { name: 'program', labels: [], tools: ['mail', 'send'] }],
      grants: [
        { capability: 'mail' },
        { capability: 'send', accepts: { '/text': ['private', 'untrusted'] } },
        { capability: 'program' },
      ],
    });
    const calls = [
      { tool: 'send', args: { text: 'a' } },
      { tool: 'mail', args: {} },
      { tool: 'send', args: { text: 'b' } },
    ];
    const program = (_: string, __: string, heard: readonly unknown[]) => calls[heard.length];
    const played = play(facts, [callOf('program', {})], { ...answers, program });
    expect(replies(played)).toEqual([HELD(1)]);
    expect(played.asked.map(({ name, args }) => [name, args])).toEqual([['send', '{"text":"b"}']]);
  });
});
