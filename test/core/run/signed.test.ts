import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Assertion, SignedAnswer } from '../../../core/approval/assertion.ts';
import type { YesSigner } from '../../../core/approval/signer.ts';
import { evaluatePolicy } from '../../../core/capability/authorize.ts';
import type { Signed } from '../../../core/capability/grant-terms.ts';
import type { Effect, Label } from '../../../core/capability/guard.ts';
import { attenuate, makeGrant, makePolicy } from '../../../core/capability/policy.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { makePasskey, ORIGIN, type Passkey, type Said } from '../../authenticator.ts';
import { call, facts } from './facts.ts';
import { acknowledge, begun, type Outside, propose, reply, send } from './outside.ts';

let ada: Passkey;
let bob: Passkey;
let eve: Passkey;

beforeAll(async () => {
  [ada, bob, eve] = [await makePasskey(), await makePasskey('EdDSA'), await makePasskey()];
});

const signer = (name: string, { key }: Passkey): YesSigner => ({ name, key, origin: ORIGIN });

type Answer = Extract<RunEvent, { type: 'answered' }>['answer'];
type Mode = 'allow' | 'ask';

/** A run whose capabilities have grants that want a signed yes. */
function asking(signed: Signed, { mode = 'ask', name = 'asked' }: { mode?: Mode; name?: string } = {}): Outside {
  const { registry, policy, ...rest } = facts();
  const hash = registry.capabilities.get(name)?.hash ?? '';
  const grant = makeGrant({ name, hash }, { mode, signed });
  const world = begun({ ...rest, registry, policy: makePolicy(policy.enabled, [grant]), labels: ['untrusted'] });
  propose(world, call(name));
  acknowledge(world);
  return world;
}

function question({ waiting }: Outside) {
  const asked = waiting.get('ask');
  if (asked?.type !== 'ask') throw new Error('nobody is asked');
  return asked.question;
}

async function signs(world: Outside, by: Passkey, answer: SignedAnswer = 'once', said?: Partial<Said>) {
  const { digest, capability_hash: definition } = question(world);
  return by.sign({ digest, definition, answer }, said);
}

/** Sends an answer, and tells the code with which it is turned away. */
function answers(world: Outside, answer: Answer, isRight?: boolean): string | undefined {
  const { digest } = question(world);
  const effects = send(world, {
    type: 'answered',
    digest,
    answer,
    now: 2,
    ...(isRight !== undefined && { isRight }),
  });
  return refusedIn(effects);
}

function refusedIn(effects: ReturnType<typeof send>): string | undefined {
  return effects.flatMap((effect) => (effect.type === 'refuse_answer' ? [effect.refusal.code] : []))[0];
}

const yes = (signed?: Assertion): Answer => ({ approved: true, ...(signed && { signed }) });

describe('a grant that names signers', () => {
  test.each(['gesture', 'program', undefined] as const)('takes no unsigned yes of %s', (via) => {
    for (const [mode, name] of [
      ['ask', 'asked'],
      ['allow', 'send'],
    ] as const) {
      const world = asking({ by: [signer('Ada', ada)] }, { mode, name });
      expect(question(world).signed).toEqual({ by: [signer('Ada', ada)], of: 1, parts: [] });
      expect(answers(world, { approved: true, ...(via && { via }) })).toBe('assertion_missing');
      expect(answers(world, { approved: true, standing: { args: 'any' }, ...(via && { via }) })).toBe(
        'assertion_missing',
      );
      expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
      expect(world.executed).toEqual([]);
    }
  });

  test('takes a signed yes', async () => {
    for (const [mode, name] of [
      ['ask', 'asked'],
      ['allow', 'send'],
    ] as const) {
      const world = asking({ by: [signer('Ada', ada)] }, { mode, name });
      const assertion = await signs(world, ada);
      reply(world, 'ask', ({ question: { digest } }) => ({
        type: 'answered',
        digest,
        answer: yes(assertion),
        isRight: true,
        now: 2,
      }));
      if (name === 'send') acknowledge(world);
      expect(world.executed.length).toBe(1);
    }
  });

  test('takes a no that nobody has signed', () => {
    const world = asking({ by: [signer('Ada', ada)] });
    expect(answers(world, { approved: false, reason: '' })).toBeUndefined();
    expect(world.state.at.phase).toBe('MEMORY_COMMITTING');
  });

  test('takes no signature that is wrong, for another answer, or by somebody else', async () => {
    const world = asking({ by: [signer('Ada', ada)] });
    expect(answers(world, yes(await signs(world, ada)), false)).toBe('assertion_signature');
    expect(answers(world, yes(await signs(world, ada)))).toBe('assertion_signature');
    expect(answers(world, yes(await signs(world, eve)), true)).toBe('assertion_key');
    expect(answers(world, yes(await signs(world, ada, { args: 'any' })), true)).toBe('assertion_challenge');
    const standing = { approved: true, standing: { args: 'any' } } as const;
    expect(answers(world, { ...standing, signed: await signs(world, ada) }, true)).toBe('assertion_challenge');
    const other = await signs(world, ada, { args: 'any', uses: 2 });
    expect(answers(world, { ...standing, signed: other }, true)).toBe('assertion_challenge');
    expect(answers(world, yes(await signs(world, ada, 'once', { flags: 1 })), true)).toBe('assertion_unverified');
    expect(world.state.at.phase).toBe('AWAITING_APPROVAL');
    expect(world.executed).toEqual([]);
  });

  test('takes a standing yes whose terms are signed, and its child wants a signature where the guard asks', async () => {
    const world = asking({ by: [signer('Ada', ada)] }, { mode: 'allow', name: 'send' });
    const signed = await signs(world, ada, { args: 'any', uses: 2 });
    expect(answers(world, { approved: true, standing: { args: 'any', uses: 2 }, signed }, true)).toBeUndefined();
    const child = world.state.policy.grants.find(({ parent }) => parent !== undefined);
    expect(child).toMatchObject({ mode: 'allow', uses: 2, signed: { by: [{ name: 'Ada' }] } });
  });

  test('of two names takes both, in any order, and no name twice', async () => {
    const world = asking({ by: [signer('Ada', ada), signer('Ada', eve), signer('Bob', bob)], of: 2 });
    expect(answers(world, yes(await signs(world, bob)), true)).toBeUndefined();
    expect(question(world).signed?.parts).toEqual([{ name: 'Bob', answer: 'once' }]);
    expect(answers(world, yes(await signs(world, bob)), true)).toBe('assertion_repeated');
    expect(answers(world, yes())).toBe('assertion_missing');
    expect(world.executed).toEqual([]);
    // for another answer
    const standing = { approved: true, standing: { args: 'any' } } as const;
    expect(answers(world, { ...standing, signed: await signs(world, ada, { args: 'any' }) }, true)).toBeUndefined();
    expect(world.executed).toEqual([]);
    expect(question(world).signed?.parts.map(({ name }) => name)).toEqual(['Bob', 'Ada']);
    expect(answers(world, yes(await signs(world, ada)), true)).toBeUndefined();
    expect(world.executed.length).toBe(1);
    expect(world.state.parts.size).toBe(0);
  });

  test('of two names takes no two passkeys of one person', async () => {
    const world = asking({ by: [signer('Ada', ada), signer('Ada', eve), signer('Bob', bob)], of: 2 });
    expect(answers(world, yes(await signs(world, ada)), true)).toBeUndefined();
    expect(answers(world, yes(await signs(world, eve)), true)).toBe('assertion_repeated');
    expect(world.executed).toEqual([]);
  });

  test('turns a later answer away, and records it', async () => {
    const world = asking({ by: [signer('Ada', ada), signer('Bob', bob)] });
    const { digest } = question(world);
    const [first, second] = [await signs(world, ada), await signs(world, bob)];
    expect(answers(world, yes(first), true)).toBeUndefined();
    const late = { type: 'answered', digest, answer: yes(second), isRight: true, now: 3 } as const;
    for (let again = 0; again < 20; again++) expect(refusedIn(send(world, late))).toBe('question_answered');
    expect(world.executed.length).toBe(1);
    const told = [...world.records, ...world.notes].flatMap(({ kind, body }) => (kind === 'rejection' ? [body] : []));
    expect(told.length).toBe(16);
    expect(told[0]).toMatchObject({ event: 'answer', code: 'question_answered', digest, approved: true });
  });
});

test('an unsigned yes decides nothing about a grant that names signers: whatever asks, a person, the guard or held values', () => {
  const labels = fc.subarray<Label>(['private', 'untrusted']);
  const place = fc.record({ pointer: fc.constantFrom('', '/a'), labels });
  const given = fc.record({
    mode: fc.constantFrom('allow' as const, 'ask' as const),
    effect: fc.constantFrom<Effect>('pure', 'read', 'write', 'egress'),
    labels,
    places: fc.array(place, { maxLength: 3 }),
    isMixed: fc.boolean(),
  });
  fc.assert(
    fc.property(given, ({ mode, effect, labels: read, places, isMixed }) => {
      const hash = 'a'.repeat(64);
      const grant = makeGrant({ name: 'x', hash }, { mode, signed: { by: [signer('Ada', ada)] } });
      const facts = {
        policy: makePolicy([hash], [grant]),
        now: 1,
        used: new Map(),
        holds: new Map(),
        args_hash: hash,
        labels: new Set(read),
        places,
        ...(isMixed && { isMixed: true as const }),
      };
      const decided = (approved: boolean, signers: readonly YesSigner[] = []) =>
        evaluatePolicy({ name: 'x', hash, effect }, { ...facts, approved, signers }).decision;
      expect(decided(true)).toBe(decided(false));
      expect(decided(true, [signer('Ada', eve)])).toBe(decided(false));
      expect(decided(true, [signer('Ada', ada)])).toBe('AUTHORIZED');
    }),
  );
});

test('a fallback, which stands for having no grant, does not ask in place of a grant that names signers', () => {
  const subject = { name: 'asked', hash: 'a'.repeat(64) };
  const policyOf = (...terms: readonly object[]) =>
    makePolicy(
      [subject.hash],
      terms.map((each) => makeGrant(subject, { mode: 'ask', ...each })),
    );
  const asker = (...terms: readonly object[]) =>
    evaluatePolicy(
      { ...subject, effect: 'write' },
      {
        policy: policyOf(...terms),
        now: 1,
        used: new Map(),
        holds: new Map(),
        args_hash: subject.hash,
        labels: new Set<Label>(),
        approved: false,
      },
    );
  const signed = { by: [signer('Ada', ada)] };
  expect(asker({ signed }, { fallback: true })).toMatchObject({ grant: { signed } });
  expect(asker({ signed }, {})).not.toMatchObject({ grant: { signed } });
});

describe('the term signed', () => {
  const both = () => [signer('Ada', ada), signer('Bob', bob)];
  const narrowed = (given: Signed, asked: Signed) =>
    attenuate(makeGrant({ name: 'asked', hash: 'a'.repeat(64) }, { mode: 'ask', signed: given }), { signed: asked });

  test('narrows to the signers of both and the larger number', () => {
    expect(narrowed({ by: both() }, { by: [signer('Bob', bob), signer('Eve', eve)] })).toMatchObject({
      value: { signed: { by: [signer('Bob', bob)] } },
    });
    expect(narrowed({ by: both() }, { by: both(), of: 2 })).toMatchObject({ value: { signed: { of: 2 } } });
  });

  test('is refused where fewer are left than have to sign', () => {
    const refused = { refusal: { code: 'grant_widens', details: { what: 'signed' } } };
    expect(narrowed({ by: both() }, { by: [signer('Eve', eve)] })).toMatchObject(refused);
    expect(narrowed({ by: both(), of: 2 }, { by: [signer('Ada', ada)] })).toMatchObject(refused);
    const elsewhere = [{ ...signer('Ada', ada), origin: 'http://localhost:9' }];
    expect(narrowed({ by: both() }, { by: elsewhere })).toMatchObject(refused);
  });

  test('is refused with more than there are names', () => {
    const terms = { by: [signer('Ada', ada), signer('Ada', eve)], of: 2 };
    expect(() => narrowed({ by: both() }, terms)).toThrow('signed');
  });
});
