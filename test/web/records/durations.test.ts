import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../../core/index.ts';
import { recordedTimes, StepClock, totalsOf } from '../../../web/records/durations.ts';
import { groupSteps } from '../../../web/records/steps.ts';
import { costOf, tokensOf } from '../../../web/records/tokens.ts';
import { approval, decided, receipt, record } from './sample-records.ts';

type Told = readonly [timestamp: number, event_type: string, attributes?: object];
const event = ([timestamp, event_type, attributes]: Told, seq: number): StampedEvent =>
  ({ seq, timestamp, event: { event_type, execution_id: 'r', status: 'ok', ...attributes } }) as never;
const turn = (timestamp: number, from: string, to: string): Told => [timestamp, 'state_transition', { from, to }];

/** A step that a person approves, as a kernel tells it. */
const STEP: readonly Told[] = [
  turn(0, 'INITIALIZING', 'MEMORY_COMMITTING'),
  [0, 'memory_write'],
  [11, 'memory_committed'],
  turn(11, 'MEMORY_COMMITTING', 'IDLE'),
  turn(20, 'IDLE', 'INPUT_RECEIVED'),
  [220, 'protocol_received', { step: 1 }],
  turn(220, 'INPUT_RECEIVED', 'PROTOCOL_VALIDATING'),
  turn(224, 'PROTOCOL_VALIDATING', 'AUTHORIZATION_EVALUATING'),
  [225, 'memory_write'],
  [230, 'memory_committed'],
  turn(230, 'AUTHORIZATION_EVALUATING', 'AWAITING_APPROVAL'),
  turn(1230, 'AWAITING_APPROVAL', 'CAPABILITY_EXECUTING'),
  turn(1270, 'CAPABILITY_EXECUTING', 'MEMORY_COMMITTING'),
  [1270, 'memory_write'],
  [1280, 'memory_committed'],
  turn(1280, 'MEMORY_COMMITTING', 'IDLE'),
];

describe('the measured time of a step', () => {
  const clock = new StepClock();
  STEP.map(event).forEach((each) => clock.take(each));

  it('a step has the time of the model, the gates, the disk, the person and the sandbox, in order', () => {
    expect(clock.times.get(1)).toEqual([
      { part: 'model', from: 20, to: 220 },
      { part: 'gates', from: 220, to: 225 },
      { part: 'disk', from: 225, to: 230 },
      { part: 'person', from: 230, to: 1230 },
      { part: 'sandbox', from: 1230, to: 1270 },
      { part: 'disk', from: 1270, to: 1280 },
    ]);
    expect(clock.times.size).toBe(1);
  });

  it('the sums of the parts are the time of the step', () => {
    expect(totalsOf(clock.times.get(1) ?? [])).toEqual({
      model: 200,
      gates: 5,
      sandbox: 40,
      person: 1000,
      disk: 15,
      all: 1260,
    });
  });

  it('a step whose beginning was lost has no time', () => {
    const late = new StepClock();
    for (const each of [[0, 'telemetry_lost'] as Told, ...STEP.slice(6)].map(event)) late.take(each);
    expect(late.times.size).toBe(0);
  });

  it('spans of any events never overlap', () => {
    const times = fc.array(fc.tuple(fc.nat(50), fc.nat(STEP.length - 1)), { maxLength: 30 });
    fc.assert(
      fc.property(times, (moves) => {
        const any = new StepClock();
        let now = 0;
        moves.forEach(([ms, nth], seq) =>
          any.take(event([(now += ms), ...(STEP[nth] as Told).slice(1)] as never, seq)),
        );
        for (const spans of any.times.values())
          spans.forEach(({ from, to }, nth) => expect(from < to && from >= (spans[nth - 1]?.to ?? 0)).toBe(true));
      }),
    );
  });
});

describe('the recorded time of a step', () => {
  const timed = (at: number, now: number) =>
    decided('AUTHORIZED').map((each) => ({
      ...each,
      at,
      body: each.kind === 'decision' ? { ...each.body, now } : each.body,
    })) as never[];

  it('records tell the proposal from the call by the clock of the decision', () => {
    const groups = groupSteps([record(0, 'task', {}), ...timed(100, 60), { ...receipt(5, 'SUCCESS'), at: 100 }]);
    expect(recordedTimes(groups).get(1)).toEqual([
      { part: 'model', from: 0, to: 60 },
      { part: 'sandbox', from: 60, to: 100 },
    ]);
  });

  it('the time of a person is between a question and its answer', () => {
    const asked = { ...approval(5, 'asked'), at: 110 };
    const answered = { ...approval(6, 'answered', true), at: 900 };
    const spans = recordedTimes(groupSteps([...timed(100, 100), asked, answered])).get(1) ?? [];
    expect(totalsOf(spans)).toMatchObject({ person: 790, gates: 10 });
  });

  it('a process that ended during a question leaves the time to the person', () => {
    const asked = { ...approval(5, 'asked'), at: 110 };
    const resumed = { ...record(6, 'state', { event: 'resumed' }), at: 900 };
    const answered = { ...approval(7, 'answered', true), at: 900 };
    const spans = recordedTimes(groupSteps([...timed(100, 100), asked, resumed, answered])).get(1) ?? [];
    expect(totalsOf(spans)).toMatchObject({ person: 790, gates: 10 });
  });

  it('a clock that was set back counts as no time', () => {
    const groups = groupSteps([{ ...record(0, 'task', {}), at: 500 }, ...timed(100, 60)]);
    expect(recordedTimes(groups).get(1)).toEqual([]);
  });
});

describe('tokens and their cost', () => {
  const counted = (input: number, output: number) => record(1, 'proposal', { usage: { input, output } });

  it('the tokens of records are those that a server has counted', () => {
    expect(tokensOf([counted(10, 5), record(2, 'proposal', {}), counted(1, 2)])).toEqual({ input: 11, output: 7 });
    expect(tokensOf([record(2, 'proposal', {})])).toBeUndefined();
  });

  it('the cost follows the price of a million tokens', () => {
    expect(costOf({ input: 1_000_000, output: 500_000 }, { input: 3, output: 10, currency: 'USD' })).toBe(8);
  });
});
