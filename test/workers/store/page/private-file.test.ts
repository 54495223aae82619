import { expect, test, vi } from 'vitest';
import { pass } from '../../../../core/outcome.ts';
import { pause } from '../../../../workers/async.ts';
import { FillQueue } from '../../../../workers/store/page/fill-queue.ts';
import type { Placement } from '../../../../workers/store/page/places.ts';
import { makeFile, PrivateFile } from '../../../../workers/store/page/private-file.ts';
import { runId } from '../../../core/ledger/sample.ts';
import { MemoryDisk } from './memory-files.ts';

/** A writer on a disk whose flush takes 2 ms of a clock in memory. */
async function openWriter() {
  let now = 0;
  const clock = { now: () => (now += 0.01), after: () => () => undefined };
  const queue = new FillQueue(async () => pass({} as Placement), clock);
  const writer = new PrivateFile(new MemoryDisk().folder({ isDead: false }), queue, clock);
  await writer.claim(new Map());
  const counts = { flushes: 0 };
  Object.assign(writer.own, {
    flush: async () => {
      counts.flushes++;
      now += 2;
    },
  });
  return { writer, counts };
}

/** Writes and flushes for a run, with work of some tasks in between. */
async function work(writer: PrivateFile, run: number, rounds: number): Promise<void> {
  for (let nth = 0; nth < rounds; nth++) {
    await writer.flush(runId(run));
    for (let task = 0; task < run * 3; task++) await pause();
  }
}

test('runs that write at once share a flush, although each works for another time', async () => {
  const { writer, counts } = await openWriter();
  await Promise.all([1, 2, 3, 4].map((run) => work(writer, run, 20)));
  expect(counts.flushes).toBeLessThan(30);
});

test('a run that writes alone shares no flush and waits for no other run', async () => {
  const { writer, counts } = await openWriter();
  await work(writer, 1, 20);
  expect(counts.flushes).toBe(20);
});

test('a flush does not wait for a run that has ended', async () => {
  const { writer, counts } = await openWriter();
  await Promise.all([work(writer, 1, 2), work(writer, 2, 20)]);
  expect(counts.flushes).toBeLessThan(24);
});

test('the name of a file is sure a minute after the file was made', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const file = await makeFile(new MemoryDisk().folder({ isDead: false }));
    expect(file.isNew).toBe(true);
    vi.advanceTimersByTime(59_000);
    expect(file.isNew).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(file.isNew).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});
