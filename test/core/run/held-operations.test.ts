import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import { unsalted } from '../../../core/ledger/payload-ref.ts';
import { sourcesIn } from '../../../core/run/commit/storage.ts';
import {
  bodiesOf,
  callOf,
  type Env,
  type HeldSpec,
  heldFacts,
  messageOf,
  ok,
  type Played,
  play,
  threw,
} from './held.ts';

const MAIL = { name: 'mail', effect: 'read', held: true } as const;
const OPEN = { name: 'open', effect: 'read', labels: [] } as const;
const FILE = { name: 'file', effect: 'write', labels: [] } as const;
const PURE = { name: 'pure', effect: 'pure', labels: [], guest: true } as const;
const BOX = ['secret text', { subject: 'Lunch' }];
const answers: Env = { tool: (name) => (name === 'mail' ? ok(BOX) : ok('done')) };
const ANY = ['private', 'untrusted'] as const;

const run = (spec: Partial<HeldSpec>, env: Env, ...messages: readonly Uint8Array[]): Played =>
  play(
    heldFacts({
      dialect: 'catalytic',
      tools: [MAIL, OPEN, FILE, PURE],
      grants: [
        { capability: 'mail' },
        { capability: 'open' },
        { capability: 'file', accepts: { '': ANY, '/text': ANY } },
        { capability: 'pure' },
      ],
      ...spec,
    }),
    messages,
    env,
  );

const textOf = ({ payloads }: Played, ref: Parameters<typeof unsalted>[0] & { readonly sha256: string }) =>
  new TextDecoder().decode(unsalted(ref, payloads.get(ref.sha256) ?? new Uint8Array()));
const replies = (played: Played): JsonValue[] =>
  bodiesOf(played, 'observation').map(({ payload }) => JSON.parse(textOf(played, payload)));
const receipts = (played: Played) =>
  bodiesOf(played, 'receipt').map(({ receipt }) => [receipt.status, ...receipt.actions.map(({ status }) => status)]);
const outcome = (played: Played, nth = -1) => {
  const ref = bodiesOf(played, 'receipt').at(nth)?.evidence.held?.outcome;
  return ref && JSON.parse(textOf(played, ref));
};
const HELD = (handle: string) => ({ result: { $held: handle }, status: 'success' });
const last = (played: Played) => replies(played).at(-1);
const CONTENT = [{ capability: 'content.read' }, { capability: 'content.write' }];

describe('a message with an operation that holds', () => {
  test('is held from that operation on, and the receipt has the true status of each', () => {
    const message = messageOf(['open', {}], ['mail', {}], ['file', { text: 'a' }]);
    const good = run({}, answers, message);
    const bad = run({}, { tool: (name) => (name === 'mail' ? threw('secret text') : ok('done')) }, message);
    const told = { type: 'EXECUTE', target: '@TOOLS/open', status: 'SUCCESS', result: 'done' };
    expect(replies(good)).toEqual([{ result: { operations: [told], rest: { $held: 'h1.1' } }, status: 'success' }]);
    expect(good.told).toEqual(bad.told);
    expect(good.told.join()).not.toContain('secret');
    expect([receipts(good), receipts(bad)]).toEqual([
      [['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS']],
      [['FAILURE', 'SUCCESS', 'FAILURE']],
    ]);
    expect(outcome(good)).toEqual({
      operations: [
        { type: 'EXECUTE', target: '@TOOLS/mail', status: 'SUCCESS', result: BOX },
        { type: 'EXECUTE', target: '@TOOLS/file', status: 'SUCCESS', result: 'done' },
      ],
    });
    expect(outcome(bad)).toMatchObject({ code: 'capability_threw' });
  });

  test('ends in the open before it, like every other message', () => {
    const fails: Env = { tool: () => threw('no') };
    const played = run({}, fails, messageOf(['open', {}], ['mail', {}]));
    expect(last(played)).toMatchObject({ status: 'error', details: { code: 'capability_threw' } });
    expect(played.state.held.size).toBe(0);
  });

  test('a failure that is not critical is part of the value', () => {
    const message = messageOf(['mail', {}, { critical: false }], ['open', {}]);
    const fails: Env = { tool: (name) => (name === 'mail' ? threw('no') : ok('done')) };
    const grants = [{ capability: 'mail' }, { capability: 'open', accepts: { '': ANY } }];
    const played = run(
      { grants },
      fails,
      message,
      messageOf(['pure', { x: { $held: 'h1.0', at: '/operations/1/result' } }]),
    );
    expect(receipts(played)[0]).toEqual(['PARTIAL', 'FAILURE', 'SUCCESS']);
    expect(outcome(played, 0)).toMatchObject({
      operations: [{ status: 'FAILURE' }, { status: 'SUCCESS', result: 'done' }],
    });
  });

  test('a READ can be held, and its text stays unread', () => {
    const grants = [{ capability: 'content.read', held: true as const }];
    const content = () => 'secret text\n';
    const played = run({ grants }, { ...answers, content }, messageOf(['READ']));
    expect(replies(played)).toEqual([HELD('h1.0')]);
    expect(played.told.join()).not.toContain('secret');
    expect(outcome(played)).toMatchObject({ operations: [{ type: 'READ', status: 'SUCCESS', text: 'secret text\n' }] });
  });

  test('a held READ has a budget of its own', () => {
    const grants = (held: boolean) => [
      { capability: 'content.read', ...(held && { held: true as const }) },
      { capability: 'mail' },
    ];
    const env = (text: string): Env => ({ ...answers, content: () => text });
    const long = 'x'.repeat(60);
    const limits = { expandedBytes: 100 };
    const both = (held: boolean) =>
      [env('a'), env(long)].map((each) =>
        run({ grants: grants(held), limits }, each, messageOf(['READ']), messageOf(['READ'])),
      );
    const [short, full] = both(true);
    expect(short?.told).toEqual(full?.told);
    expect([short?.state.expandedBytes, full?.state.expandedBytes]).toEqual([0, 0]);
    expect(receipts(full as Played)).toEqual([
      ['SUCCESS', 'SUCCESS'],
      ['FAILURE', 'FAILURE'],
    ]);
    expect(receipts(both(false)[1] as Played)).toEqual([
      ['SUCCESS', 'SUCCESS'],
      ['FAILURE', 'FAILURE'],
    ]);
  });

  test('each part of a message is charged to its own budget', () => {
    const grants = [{ capability: 'content.read' }, { capability: 'mail' }];
    const played = run({ grants }, answers, messageOf(['READ'], ['mail', {}], ['READ']));
    expect([played.state.expandedBytes, played.state.heldBytes]).toEqual([6, 6]);
    // what was read in the open is told with its labels
    expect([...played.state.labels]).toEqual(ANY);
  });

  test('an operation behind a held one is made or not by its outcome, and needs a person', () => {
    const grants = [{ capability: 'mail' }, { capability: 'file' }];
    const played = run({ grants }, answers, messageOf(['mail', {}], ['file', { text: 'a' }]));
    expect(played.asked.map(({ name }) => name)).toEqual(['file']);
    expect(run({}, answers, messageOf(['mail', {}], ['file', { text: 'a' }])).asked).toEqual([]);
    expect(run({ grants }, answers, messageOf(['file', { text: 'a' }], ['mail', {}])).asked).toEqual([]);
  });

  test('asks again where the decision is told, whatever a person has answered about held values', () => {
    const person: Env['person'] = () => ({ approved: true, standing: { args: 'any' } });
    const grants = [{ capability: 'mail' }, { capability: 'file' }];
    const carries = messageOf(['file', { text: { $held: 'h1.0' } }]);
    const behind = messageOf(['mail', {}], ['file', { text: 'a' }]);
    const played = run({ grants }, { ...answers, person }, messageOf(['mail', {}]), carries, carries, behind);
    expect(played.asked.map(({ step }) => step)).toEqual([2, 4]);
  });

  test('an answer about held values without labels says nothing about the next call', () => {
    const text = { type: 'object', properties: { text: { type: 'string' } } };
    const tools = [{ ...MAIL, labels: [] }, { ...PURE, args: text }, FILE];
    const grants = [
      { capability: 'mail' },
      { capability: 'pure', where: text },
      { capability: 'file', mode: 'ask' },
    ] as const;
    const two = messageOf(['pure', { text: { $held: 'h1.0', at: '/operations/0/result' } }], ['file', { text: 'a' }]);
    const asked = ['fits', 7].map((value) => {
      const person: Env['person'] = () => ({ approved: true, standing: { args: 'any' } });
      const env: Env = { tool: (name) => ok(name === 'mail' ? value : 'done'), person };
      const played = run({ tools, grants }, env, messageOf(['mail', {}]), two, messageOf(['file', { text: 'a' }]));
      return played.asked.map(({ step }) => step);
    });
    expect(asked).toEqual([[2, 3], [3]]);
  });

  test('what a message stores has the labels of its values, whichever of its operations were made', () => {
    const notes = { name: 'notes', effect: 'write', labels: [], store: true } as const;
    const tools = [MAIL, { ...OPEN, held: true } as const, { name: 'box', labels: ['private'] } as const, notes];
    const grants = tools.map(({ name }) => ({ capability: name }));
    const stored = (fails: boolean, ...messages: readonly Uint8Array[]) => {
      const kept = new Map<string, unknown>();
      const env: Env = {
        tool: (name) => (fails && name === 'open' ? threw('no') : ok(name)),
        program: (_name, _args, heard) => (heard.length > 0 ? undefined : { tool: 'store.put', args: ['a', 1] }),
      };
      play(heldFacts({ dialect: 'catalytic', tools, grants }), messages, env, undefined, kept);
      return [...sourcesIn([...kept].filter(([key]) => key.startsWith('labels/')))];
    };
    const isMarked = (labels: readonly string[]) => [{ source: 'store:notes', labels, held: true }];
    const given = messageOf(['notes', { x: { $held: 'h1.0' } }]);
    expect(stored(false, messageOf(['mail', {}]), given)).toEqual(isMarked(ANY));
    const behind = messageOf(['open', {}], ['box', {}], ['notes', {}]);
    const marks = [true, false].map((fails) => stored(fails, behind).filter(({ held }) => held));
    expect(marks).toEqual([isMarked(['private']), isMarked(['private'])]);
  });

  test('who was called behind a held operation answers held from then on', () => {
    const played = run({}, answers, messageOf(['mail', {}], ['file', {}]), messageOf(['open', {}]));
    expect(last(played)).toEqual(HELD('h2.0'));
  });

  test.each([
    ['a WRITE beside an operation that holds', messageOf(['WRITE', 'first\n'], ['mail', {}]), '/ops/0'],
    [
      'a WRITE behind an operation with handles',
      messageOf(['pure', { x: { $held: 'h1.0' } }], ['WRITE', 'first\n']),
      '/ops/1',
    ],
    ['held.read among others', messageOf(['pure', {}], ['held.read', { handle: { $held: 'h1.0' } }]), '/ops/1'],
    ['a handle beside args', messageOf(['pure', {}, { output: { $held: 'h1.0' } }]), '/ops/0/params/output'],
  ])('%s is refused in the open', (_, message, pointer) => {
    const grants = [...CONTENT, { capability: 'mail' }, { capability: 'pure' }, { capability: 'held.read' }];
    const played = run({ grants }, answers, messageOf(['mail', {}]), message);
    expect(last(played)).toMatchObject({ status: 'error', details: { code: 'held_place', pointer } });
  });

  test('a message that writes alone is told as ever', () => {
    const played = run({ grants: CONTENT }, answers, messageOf(['WRITE', 'first\n']), messageOf(['READ']));
    expect(last(played)).toMatchObject({ result: { operations: [{ text: 'more\n' }] } });
  });
});

describe('handles in a message', () => {
  test('stand for values in the arguments of an EXECUTE, and hold the whole message', () => {
    const x = { $held: 'h1.0', at: '/operations/0/result/0' };
    const played = run({}, answers, messageOf(['mail', {}]), messageOf(['pure', { a: 1 }], ['file', { text: x }]));
    expect(replies(played)).toEqual([HELD('h1.0'), HELD('h2.0')]);
    expect(played.ran.at(-1)).toMatchObject({ name: 'file', args: { text: 'secret text' } });
    expect(played.asked).toEqual([]);
    expect(bodiesOf(played, 'receipt').at(-1)?.evidence.held).toMatchObject({
      by: 'handles',
      operation: 0,
      steps: [1],
    });
  });

  test('a value that does not fit keeps every operation from being made', () => {
    const args = { type: 'object', properties: { text: { type: 'string' } } };
    const tools = [MAIL, { ...FILE, args }, PURE];
    const accepts = { '': ANY, '/text': ANY } as const;
    const grants = [{ capability: 'mail' }, { capability: 'file', accepts }];
    const two = messageOf(['file', { text: 'a' }], ['file', { text: { $held: 'h1.0', at: '/operations/0/result/1' } }]);
    const played = run({ tools, grants }, answers, messageOf(['mail', {}]), two);
    expect(played.ran.map(({ name }) => name)).toEqual(['mail']);
    expect([last(played), outcome(played).code]).toEqual([HELD('h2.0'), 'arguments_schema']);
  });

  test('a handle of no step is refused in the open, and so is a call that its own schema refuses', () => {
    const unknown = run({}, answers, messageOf(['pure', { x: { $held: 'h9.0' } }]));
    expect(last(unknown)).toMatchObject({ details: { code: 'held_unknown', pointer: '/ops/0/params/args/x' } });
    const form = run({}, answers, messageOf(['pure', { x: { $held: 'h9.0', more: 1 } }]));
    expect(last(form)).toMatchObject({ details: { code: 'held_form' } });
  });

  test('two operations of a message share the uses of a grant, which are charged to both whatever was decided', () => {
    const once = { capability: 'file', uses: 1, accepts: { '': ANY, '/text': ANY } } as const;
    const x = { $held: 'h1.0' };
    const twice = messageOf(['file', { text: x }], ['file', { text: x }]);
    const played = run({ grants: [{ capability: 'mail' }, once] }, answers, messageOf(['mail', {}]), twice);
    expect([played.ran.map(({ name }) => name), outcome(played).code]).toEqual([['mail'], 'grant_used_up']);
    expect([...played.state.used.values()].map(({ count }) => count)).toEqual([1, 1]);
  });
});

test('uses of a message with handles are charged once for each operation', () => {
  const file = { capability: 'file', uses: 5, accepts: { '': ANY, '/text': ANY } } as const;
  const x = { $held: 'h1.0' };
  const twice = messageOf(['file', { text: x }], ['file', { text: x }]);
  const played = run({ grants: [{ capability: 'mail' }, file] }, answers, messageOf(['mail', {}]), twice);
  const [grant] = played.state.policy.grants.filter(({ uses }) => uses === 5);
  expect(played.state.used.get(grant?.id ?? '')?.count).toBe(2);
});

describe('held.read', () => {
  const READS = { capability: 'held.read', mode: 'ask' } as const;
  const femtoclaw = (env: Env, ...script: readonly Uint8Array[]) =>
    run({ dialect: 'femtoclaw', grants: [{ capability: 'mail' }, READS], tools: [MAIL, PURE] }, env, ...script);
  const read = (handle: JsonValue) => callOf('held.read', { handle });

  test('puts a value into the context, with its labels', () => {
    const played = femtoclaw(answers, callOf('mail', {}), read({ $held: 'h1', at: '/1/subject' }));
    expect(last(played)).toEqual({ result: { value: 'Lunch' }, status: 'success' });
    expect([...played.state.labels]).toEqual(ANY);
    expect(played.asked.map(({ name, args }) => [name, args])).toEqual([['held.read', '{"handle":{"value":"Lunch"}}']]);
  });

  test('tells the refusal of a call that has no value, and a part that is not there', () => {
    const fails: Env = { tool: () => threw('secret text') };
    expect(last(femtoclaw(fails, callOf('mail', {}), read({ $held: 'h1' })))).toMatchObject({
      result: { refusal: { code: 'capability_threw', details: { error: { message: 'secret text' } } } },
    });
    expect(last(femtoclaw(answers, callOf('mail', {}), read({ $held: 'h1', at: '/9' })))).toMatchObject({
      result: { refusal: { code: 'held_beyond' } },
    });
  });

  test('tells nothing without its permission', () => {
    const no: Env = { ...answers, person: () => ({ approved: false, reason: 'no' }) };
    const denied = femtoclaw(no, callOf('mail', {}), read({ $held: 'h1' }));
    expect(last(denied)).toMatchObject({ status: 'error', details: { code: 'approval_denied' } });
    expect([denied.told.join().includes('secret'), denied.state.labels.size]).toEqual([false, 0]);
    const unknown = femtoclaw(answers, read({ $held: 'h7' }));
    expect([last(unknown), unknown.asked]).toEqual([expect.objectContaining({ status: 'error' }), []]);
    const plain = femtoclaw(answers, read('h1'));
    expect(last(plain)).toMatchObject({ details: { code: 'arguments_schema' } });
  });

  test('reads in a message of its own', () => {
    const grants = [{ capability: 'mail' }, READS];
    const handle = { $held: 'h1.0', at: '/operations/0/result/1/subject' };
    const played = run({ grants }, answers, messageOf(['mail', {}]), messageOf(['held.read', { handle }]));
    expect(last(played)).toMatchObject({ result: { operations: [{ result: { value: 'Lunch' } }] } });
    expect([...played.state.labels]).toEqual(ANY);
  });
});
