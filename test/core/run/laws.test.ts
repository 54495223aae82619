import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../../cases.ts';
import { facts } from './facts.ts';
import { ran, reached } from './happening.ts';
import { happenings } from './happenings.ts';
import { fresh, LIMITS } from './model.ts';
import { type Outside, outside, send } from './outside.ts';

describe('a run with arbitrary events in an arbitrary order', () => {
  test('a run with arbitrary events stands where the model stands and keeps its promises', () => {
    fc.assert(
      fc.property(fc.commands([...happenings], { maxCommands: 300, size: 'max' }), (commands) => {
        fc.modelRun(() => ({ model: fresh(), real: outside(facts({ limits: LIMITS })) }), commands);
      }),
      // Fewer than 500 cases do not reach every state.
      { numRuns: Math.max(500, caseCount(1_000)) },
    );
    expect([...reached].sort()).toEqual([
      'aborted',
      'calling',
      'checking',
      'checking_result',
      'completed',
      'failed',
      'idle',
      'limit',
      'model',
      'new',
      'person',
      'writing',
    ]);
    expect([...ran].sort()).toEqual(['asked', 'forbidden', 'narrow', 'once', 'pure', 'read', 'send', 'typed', 'write']);
  }, 120_000);

  test('a run gives the same states, effects and records for the same events, byte for byte', () => {
    fc.assert(
      fc.property(fc.commands([...happenings], { maxCommands: 200, size: 'max' }), (commands) => {
        const real = outside(facts({ limits: LIMITS }));
        fc.modelRun(() => ({ model: fresh(), real }), commands);
        const again = outside(facts({ limits: LIMITS }));
        for (const event of real.events) {
          if (event.type === 'appended' || event.type === 'append_failed') again.waiting.delete('append');
          if (event.type === 'appended') again.records.push(...real.records.slice(again.records.length));
          for (const kind of ['propose', 'check', 'ask', 'execute'] as const)
            if (ANSWERS[event.type] === kind) again.waiting.delete(kind);
          send(again, event);
        }
        const text = ({ trace }: Outside) => trace.map((each) => JSON.stringify(each));
        expect(text(again)).toEqual(text(real));
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

const ANSWERS: { readonly [type: string]: string } = {
  proposed: 'propose',
  model_failed: 'propose',
  checked: 'check',
  answered: 'ask',
  settled: 'execute',
};
