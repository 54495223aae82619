import fc from 'fast-check';
import { expect } from 'vitest';
import type { CallFailureKind, CallSettled } from '../../../core/capability/call.ts';
import type { SchemaVerdict } from '../../../core/capability/check.ts';
import { refuse } from '../../../core/errors.ts';
import type { RunEffect } from '../../../core/run/effect.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { bytes, call, IMAGE, say, settledOk } from './facts.ts';
import { Happening } from './happening.ts';
import {
  acknowledged,
  answerForTheRun,
  askModel,
  decide,
  hear,
  isRevoked,
  type Model,
  phase,
  receipt,
  start,
  write,
} from './model.ts';
import { acknowledge, check, propose, reply, send } from './outside.ts';

const nothing = (): void => undefined;
const anytime = (): boolean => true;
const at =
  (...places: readonly Model['at'][]) =>
  (m: Model): boolean =>
    places.includes(m.at);

const begin = () =>
  new Happening(
    'start',
    at('new'),
    (m) => {
      m.said++;
      hear(m);
    },
    (world) => send(world, { type: 'start', task: 'Do it.' }),
  );

const drive = (type: 'run' | 'step') =>
  new Happening(
    type,
    anytime,
    (m) => {
      if (m.at === 'over') return;
      m.mode = type === 'run' ? 'running' : 'stepping';
      if (m.at === 'idle') askModel(m);
      else m.due = type === 'step' && (m.at === 'new' || phase(m) === 'MEMORY_COMMITTING');
    },
    (world) => send(world, { type }),
  );

const pause = () =>
  new Happening(
    'pause',
    anytime,
    (m) => Object.assign(m, { due: false, mode: m.mode === 'running' ? 'stepping' : m.mode }),
    (world) => send(world, { type: 'pause' }),
  );

const more = () =>
  new Happening(
    'say more',
    anytime,
    (m) => {
      if (m.at === 'over' && m.ending !== 'completed') return;
      m.said++;
      if (m.at === 'over') m.mode = 'running';
      if (m.at === 'over' || m.at === 'idle') hear(m);
    },
    (world) => send(world, { type: 'say', task: 'And then?' }),
  );

const stop = () =>
  new Happening(
    'stop',
    anytime,
    (m) => {
      if (m.at === 'new' || m.at === 'writing') m.stopping = true;
      else if (m.at === 'idle' || m.at === 'model') write(m, 'end', 'aborted');
      else if (m.at !== 'over') receipt(m, true, 'aborted');
    },
    (world) => send(world, { type: 'stop', ending: { state: 'aborted' } }),
  );

const revocations = fc.constantFrom('pure', 'write', 'asked', 'once').map(
  (name) =>
    new Happening(
      `a grant of ${name} is revoked`,
      anytime,
      (m) => {
        (m.at === 'over' || (m.at === 'writing' && m.next === 'end') ? m.revoking : m.revoked).add(name);
        if (m.at === 'calling' && m.name === name) receipt(m, true);
      },
      (world) => {
        const grants = world.state.policy.grants.filter(
          (grant) => grant.capability === name && grant.answer === undefined,
        );
        send(world, { type: 'revoked', grants: grants.map(({ id }) => id), capabilities: [] });
      },
    ),
);

const rejections = () =>
  new Happening('a message of a host is turned away', anytime, nothing, (world) => {
    const { refusal } = refuse('answer_unknown', {});
    const before = world.state.at;
    send(world, { type: 'rejected', rejection: { from: 'mcp', refusal, bytes: bytes('{"forged":true}') } });
    expect(world.state.at).toEqual(before);
  });

const CALLS = [
  'pure',
  'typed',
  'typed',
  'typed',
  'read',
  'write',
  'send',
  'asked',
  'off',
  'alone',
  'denied',
  'once',
  'narrow',
  'forbidden',
  'expired',
];
const NOW = 2_000;
const proposed = (title: string, message: Uint8Array, then: (m: Model) => void) =>
  new Happening(
    `propose ${title}`,
    at('model'),
    (m) => (m.steps++, then(m)),
    (world) => propose(world, message, NOW),
  );
const proposals = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.constantFrom(...CALLS).map((name) =>
      proposed(name, call(name, { n: 1 }), (m) => {
        m.name = name;
        if (name === 'typed' || name === 'narrow' || name === 'forbidden') m.at = 'checking';
        else decide(m);
      }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('', '{', '{"execute":1}', '{"tool_call":{"tool":"nobody","args":{}}}', '{"\\ud800":1,"\\ud800":2}')
      .map((text) => proposed(JSON.stringify(text), bytes(text), (m) => receipt(m, true))),
  },
  {
    weight: 1,
    arbitrary: fc.constant(0).map(() => proposed('a message', say('Done.'), (m) => receipt(m, false, 'completed'))),
  },
);

const modelFailed = () =>
  new Happening(
    'the model fails',
    at('model'),
    (m) => write(m, 'end', 'failed'),
    (world) =>
      reply(world, 'propose', ({ step }) => ({
        type: 'model_failed',
        step,
        code: 'model_failed',
        error: { name: 'Error', message: '\ud800' },
      })),
  );

const NO: SchemaVerdict = { issues: [{ pointer: '/n', keyword: 'type', message: 'must be number' }] };
const CHECKS: { readonly [title: string]: SchemaVerdict } = {
  yes: { issues: [] },
  no: NO,
  lost: { failed: 'lost' },
  fuel: { failed: 'fuel', limit: 1, used: 2 },
};
const checks = fc.constantFrom('yes', 'yes', 'yes', ...Object.keys(CHECKS)).map((title) => {
  const said = CHECKS[title] as SchemaVerdict;
  const yes = title === 'yes';
  return new Happening(
    `check says ${title}`,
    at('checking', 'checking_result'),
    (m) => {
      if (m.at === 'checking_result') receipt(m, !yes);
      else if (m.name === 'typed') yes ? decide(m) : receipt(m, true);
      else decide(m, yes ? true : title === 'no' ? false : undefined);
    },
    (world) => check(world, () => said),
  );
});

const answers = fc.constantFrom('yes', 'no', 'yes for the run', 'yes to another').map(
  (title) =>
    new Happening(
      `a person says ${title}`,
      at('person'),
      (m) => {
        if (title === 'yes to another') return;
        if (title === 'no') return receipt(m, true);
        if (title === 'yes for the run') answerForTheRun(m);
        isRevoked(m) ? receipt(m, true) : start(m);
      },
      (world) => {
        const answer =
          title === 'no'
            ? ({ approved: false, reason: 'No.' } as const)
            : title === 'yes for the run'
              ? ({ approved: true, standing: { args: 'any' } } as const)
              : ({ approved: true } as const);
        if (title === 'yes to another') send(world, { type: 'answered', digest: 'f'.repeat(64), answer, now: NOW });
        else reply(world, 'ask', ({ question }) => ({ type: 'answered', digest: question.digest, answer, now: NOW }));
      },
    ),
);

const KINDS: readonly CallFailureKind[] = [
  'threw',
  'args',
  'result',
  'fuel',
  'memory',
  'stack',
  'deadline',
  'hang',
  'barred',
  'jobs',
  'power',
  'power_calls',
  'bytes_in',
  'bytes_out',
  'console',
  'aborted',
  'corrupt',
  'worker',
];
const rest = {
  fuel: 3,
  console: [{ level: 'log', text: 'x' }],
  powerCalls: [{ name: 'clock', args: null, result: 1 }],
} as const;
const settlements = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom<CallSettled>(settledOk({ any: 'json' }), settledOk(null))
      .map((outcome) => ['a result', outcome, true] as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', '{"a":1,"a":2}', '1e999')
      .map((text) => ['what is not JSON', { ok: true, text, ...rest } as CallSettled, false] as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...KINDS)
      .map(
        (kind) =>
          [
            kind,
            { ok: false, kind, ...rest, error: { name: 'Error', message: '\udc00' } } as CallSettled,
            false,
          ] as const,
      ),
  },
);
const settled = settlements.map(
  ([title, outcome, ok]) =>
    new Happening(
      `the call ends with ${title}`,
      at('calling'),
      (m) => {
        if (m.name === 'typed' && ok) {
          m.at = 'checking_result';
          return;
        }
        if (m.name === 'read') m.labels.add('private').add('untrusted');
        if (m.name === 'send') m.labels.add('untrusted');
        receipt(m, !ok);
      },
      (world) =>
        reply(world, 'execute', ({ step }) => ({ type: 'settled', step, settled: outcome, image_hash: IMAGE })),
    ),
);

const written = () => new Happening('written', at('writing'), acknowledged, (world) => acknowledge(world));
const lost = () =>
  new Happening(
    'the ledger is lost',
    at('writing'),
    (m) => Object.assign(m, { at: 'over', ending: 'failed', said: 0, mode: 'paused' }),
    (world) => acknowledge(world, 'full'),
  );

/** An event that was sent before, sent again: an answer to a question that is over. */
const late = fc.nat().map(
  (nth) =>
    new Happening(`event ${nth} again`, anytime, nothing, (world) => {
      const earlier = world.events.filter(({ type }) => LATE.includes(type));
      const event = earlier[nth % Math.max(1, earlier.length)];
      const before = world.state.at;
      // a later answer is turned away, and recorded beside the run
      const isTurnedAway = ({ type }: RunEffect) => event?.type === 'answered' && TURNED_AWAY.includes(type);
      if (event !== undefined) expect(send(world, event).filter((effect) => !isTurnedAway(effect))).toEqual([]);
      expect(world.state.at).toEqual(before);
    }),
);
const TURNED_AWAY: readonly RunEffect['type'][] = ['note', 'refuse_answer'];
const LATE: readonly RunEvent['type'][] = ['start', 'proposed', 'model_failed', 'checked', 'answered', 'settled'];

const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const always = (make: () => Happening) => fc.constant(0).map(make);
/** Events that end a run are rare, so that most runs get somewhere first. */
export const happenings: readonly fc.Arbitrary<Happening>[] = [
  ...times(4, always(begin)),
  ...times(
    4,
    always(() => drive('run')),
  ),
  ...times(
    2,
    always(() => drive('step')),
  ),
  always(pause),
  always(more),
  always(stop),
  ...times(16, proposals),
  always(modelFailed),
  revocations,
  always(rejections),
  ...times(10, checks),
  ...times(10, answers),
  ...times(16, settled),
  ...times(24, always(written)),
  always(lost),
  ...times(3, late),
];
