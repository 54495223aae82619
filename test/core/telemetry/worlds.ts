import * as fc from 'fast-check';
import { refuse } from '../../../core/errors.ts';
import type { RunEvent } from '../../../core/run/event.ts';
import { CONTENT, PURE, type World } from './run.ts';

const NAMES = ['pure', 'read', 'write', 'egress', 'none', 'off', 'unknown'] as const;

function call(dialect: World['dialect'], name: string, args: object = { text: CONTENT }): string {
  const tool = `test.${name}`;
  if (dialect === 'femtoclaw') return JSON.stringify({ tool_call: { tool, args } });
  return JSON.stringify({ next_step: { tool, arguments: args, goal: CONTENT } });
}

function last(dialect: World['dialect']): string {
  return JSON.stringify(dialect === 'femtoclaw' ? { message: { content: CONTENT } } : { done: true, message: CONTENT });
}

function proposals(dialect: World['dialect']): fc.Arbitrary<readonly string[]> {
  const calls = fc.constantFrom(...NAMES).map((name) => call(dialect, name));
  const broken = fc.constantFrom(
    '',
    CONTENT,
    `{"${CONTENT}":1}`,
    '{"done":1}',
    `${call(dialect, 'pure')}${last(dialect)}`,
  );
  return fc.array(
    fc.oneof(
      { weight: 6, arbitrary: calls },
      { weight: 2, arbitrary: broken },
      { weight: 1, arbitrary: fc.constant(last(dialect)) },
    ),
    { maxLength: 9 },
  );
}

const strays: readonly RunEvent[] = [
  { type: 'pause' },
  { type: 'run' },
  { type: 'step' },
  { type: 'appended' },
  { type: 'noted' },
  { type: 'revoked', grants: [], capabilities: [PURE] },
  {
    type: 'rejected',
    rejection: { from: 'mcp', refusal: refuse('answer_unknown', {}).refusal, bytes: new Uint8Array(1) },
  },
  { type: 'say', task: CONTENT },
  { type: 'start', task: CONTENT },
  { type: 'checked', step: 1, results: new Map() },
  { type: 'proposed', step: 1, bytes: new Uint8Array(), now: 0, nonce: '' },
  { type: 'append_failed', reason: CONTENT },
  { type: 'broken', reason: CONTENT },
];

const often = (max: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(1000) }, { weight: 2, arbitrary: fc.nat(max) });

/**
 * Runs of every kind: obeyed and refused, approved and denied, stopped at any event, with the disk lost at any event.
 */
export const worlds: fc.Arbitrary<World> = fc.constantFrom('femtoclaw' as const, 'xct' as const).chain((dialect) =>
  fc.record({
    dialect: fc.constant(dialect),
    remote: fc.boolean(),
    precompiled: fc.boolean(),
    mode: fc.constantFrom('running' as const, 'stepping' as const),
    proposals: proposals(dialect),
    failures: fc.constantFrom(0, 0, 0, 1, 2),
    answers: fc.array(fc.constantFrom('yes' as const, 'yes' as const, 'no' as const, 'other' as const), {
      maxLength: 4,
    }),
    checks: fc.array(
      fc.constantFrom('holds' as const, 'holds' as const, 'issue' as const, 'lost' as const, 'fuel' as const),
      { maxLength: 4 },
    ),
    calls: fc.array(
      fc.constantFrom('value' as const, 'value' as const, 'not json' as const, 'threw' as const, 'fuel' as const),
      { maxLength: 4 },
    ),
    stopAfter: often(40),
    lostAfter: often(40),
    stray: fc.array(fc.record({ after: fc.nat(50), event: fc.constantFrom(...strays) }), { maxLength: 3 }),
  }),
);
