import { describe, expect, test } from 'vitest';
import type { RunState } from '../../../../core/run/state.ts';
import type { StampedEvent } from '../../../../core/telemetry/event.ts';
import { readTelemetry } from '../../../../workers/client/run.ts';
import { makeTelemetry, type TelemetryLog } from '../../../../workers/kernel/run/telemetry.ts';
import { type Moment, play, type World } from '../../../core/telemetry/run.ts';

const WORLD: World = {
  dialect: 'femtoclaw',
  remote: false,
  precompiled: true,
  mode: 'running',
  proposals: Array.from({ length: 8 }, () => '{"tool_call":{"tool":"test.pure","args":{"text":"x"}}}').concat(
    '{"message":{"content":""}}',
  ),
  answers: [],
  checks: [],
  calls: [],
  stopAfter: 1000,
  lostAfter: 1000,
  stray: [],
};

const moments = play(WORLD).moments;
const clock = () => 1_700_000_000_000;

function observeAll(log: TelemetryLog, some: readonly Moment[] = moments): void {
  for (const { before, event, after, effects } of some) log.observe(before, event, after, effects);
}

async function all(log: TelemetryLog): Promise<readonly StampedEvent[]> {
  const events: StampedEvent[] = [];
  for await (const event of readTelemetry((seq) => log.read(seq))) events.push(event);
  return events;
}

describe('a reader', () => {
  test('a telemetry reader that comes after the run gets every event once, in order', async () => {
    const log = makeTelemetry(clock);
    observeAll(log);
    const events = await all(log);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)?.event.event_type).toBe('run_completed');
    expect(events.length).toBeGreaterThan(80);
  });

  test('a telemetry reader that reads during the run gets the same events', async () => {
    const late = makeTelemetry(clock);
    observeAll(late);
    const log = makeTelemetry(clock);
    const reading = all(log);
    for (const moment of moments) {
      observeAll(log, [moment]);
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(await reading).toEqual(await all(late));
  });

  test('a telemetry reader waits while the run has no new event, and receives the next events when they come', async () => {
    const log = makeTelemetry(clock);
    observeAll(log, moments.slice(0, 1));
    const { next } = await log.read(0);
    let came = false;
    const waiting = log.read(next).finally(() => (came = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(came).toBe(false);
    observeAll(log, moments.slice(1));
    expect((await waiting).events.length).toBeGreaterThan(0);
  });

  test('a telemetry reader that is too slow is told how many events are lost, and gets the newest', async () => {
    const log = makeTelemetry(clock, 16);
    observeAll(log);
    const events = await all(log);
    const full = makeTelemetry(clock);
    observeAll(full);
    const total = (await all(full)).length;
    expect(events[0]?.event).toMatchObject({
      event_type: 'telemetry_lost',
      lost: total - 16,
      cause: 'slow',
      status: 'failed',
    });
    expect(events.slice(1)).toEqual((await all(full)).slice(-16));
  });

  test('a telemetry reader that is just in time loses no event', async () => {
    const full = makeTelemetry(clock);
    observeAll(full);
    const total = (await all(full)).length;
    const log = makeTelemetry(clock, total);
    observeAll(log);
    expect(await all(log)).toEqual(await all(full));
  });

  test('a telemetry reader that throws or stops does not disturb the run or other readers', async () => {
    const log = makeTelemetry(clock);
    const thrown = (async () => {
      for await (const { seq } of readTelemetry((from) => log.read(from)))
        if (seq === 3) throw new Error('the listener broke');
    })();
    const left = (async () => {
      for await (const { seq } of readTelemetry((from) => log.read(from))) if (seq === 3) break;
    })();
    const patient = all(log);
    observeAll(log);
    await expect(thrown).rejects.toThrow('the listener broke');
    await left;
    expect((await patient).at(-1)?.event.event_type).toBe('run_completed');
  });
});

test('a defect in telemetry is reported as telemetry_lost and does not reach the run', async () => {
  const log = makeTelemetry(clock);
  const [first, ...others] = moments;
  if (first === undefined) throw new Error('no run');
  const broken = { ...first.after, used: { get: undefined } } as unknown as RunState;
  expect(() => log.observe(first.before, first.event, broken, first.effects)).not.toThrow();
  observeAll(log, others);
  const events = await all(log);
  expect(events[0]?.event).toMatchObject({ event_type: 'telemetry_lost', cause: 'defect', lost: 1 });
  expect(events.at(-1)?.event.event_type).toBe('run_completed');
});

test('a batch of telemetry holds at most 256 events', async () => {
  const log = makeTelemetry(clock);
  for (let round = 0; round < 5; round++) observeAll(log);
  expect((await log.read(0)).events.length).toBe(256);
});
