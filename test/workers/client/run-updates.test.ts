import { expect, test } from 'vitest';
import type { LedgerRecord } from '../../../core/ledger/record.ts';
import type { RunView } from '../../../workers/api.ts';
import { makeRunUpdates } from '../../../workers/client/run-updates.ts';

const VIEW: RunView = { run_id: 'r', dialect: 'xct', phase: 'IDLE', mode: 'running', steps: 0, records: 0 };
const END = { state: 'completed', steps: 1, head: '' } as const;

const recordsFrom = (from: number, to: number): readonly LedgerRecord[] =>
  Array.from({ length: to - from }, (_, nth) => ({ run_seq: from + nth }) as LedgerRecord);

async function numbersOf(records: AsyncIterable<LedgerRecord>): Promise<readonly number[]> {
  const numbers: number[] = [];
  for await (const { run_seq } of records) numbers.push(run_seq);
  return numbers;
}

const upTo = (end: number): readonly number[] => Array.from({ length: end }, (_, nth) => nth);

test('a run of 2,000 steps has at most 512 records in memory, and reads the others from the ledger when asked', async () => {
  const asked: number[] = [];
  const updates = makeRunUpdates('r', 'xct', async (from) => {
    asked.push(from);
    return recordsFrom(from, Math.min(from + 1_000, 10_000));
  });
  for (let n = 0; n < 10_000; n += 5) updates.push({ view: VIEW, records: recordsFrom(n, n + 5) });
  expect(asked).toEqual([]);
  updates.push({ view: { ...VIEW, end: END }, records: [] });
  expect(await numbersOf(updates.records())).toEqual(upTo(10_000));
  expect(asked.at(-1)).toBeGreaterThanOrEqual(9_000);
  expect(asked).toEqual(upTo(asked.length).map((nth) => nth * 1_000));
});

test('a reader that keeps up with its run reads no stored record', async () => {
  const updates = makeRunUpdates('r', 'xct', async () => expect.unreachable('a stored record was read'));
  const seen = numbersOf(updates.records());
  for (let n = 0; n < 1_000; n += 5) {
    updates.push({ view: VIEW, records: recordsFrom(n, n + 5) });
    await new Promise((resolve) => setTimeout(resolve));
  }
  updates.push({ view: { ...VIEW, end: END }, records: [] });
  expect(await seen).toEqual(upTo(1_000));
});

test('a run that is opened again repeats its newest records, and its reader sees each record a single time', async () => {
  const updates = makeRunUpdates('r', 'xct', async (from) => recordsFrom(from, 300));
  updates.push({ view: VIEW, records: recordsFrom(0, 300) });
  updates.push({ view: VIEW, records: recordsFrom(44, 300) });
  updates.push({ view: { ...VIEW, end: END }, records: recordsFrom(300, 310) });
  expect(await numbersOf(updates.records())).toEqual(upTo(310));
});
