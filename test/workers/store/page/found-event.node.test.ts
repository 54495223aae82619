import { expect, test } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { FoundEvent } from '../../../../workers/store/page/epoch.ts';
import { NO_EXTENT } from '../../../../workers/store/page/places.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { SYSTEM } from '../../../../workers/store/system-log.ts';
import { valueOf } from '../store-suite.ts';

const lost = { event: 'lost', ...NO_EXTENT, found: 0 } as const;
const restored = { event: 'restored', ...NO_EXTENT, found: 0 } as const;

async function eventsOf(store: LedgerStore): Promise<unknown[]> {
  const texts = valueOf(await readRecords(store, SYSTEM));
  return texts.map((text) => (JSON.parse(text) as { body: { event: string } }).body.event);
}

test('a loss whose record was refused is recorded by the next attempt', async () => {
  const store = openMemoryStore();
  const found = new FoundEvent();
  found.keep(lost);
  const full = { ...store, append: async () => refuse('store_full', {}) };
  expect(await found.record(full, 2)).toMatchObject({ refusal: { code: 'store_full' } });
  expect(found.isDue).toBe(true);
  valueOf(await found.record(store, 2));
  expect(found.isDue).toBe(false);
  expect(await eventsOf(store)).toEqual(['lost']);
});

test('a loss that is not recorded yet is not replaced by what a later comparison finds', async () => {
  const store = openMemoryStore();
  const found = new FoundEvent();
  for (const event of [restored, lost, restored, undefined]) found.keep(event);
  valueOf(await found.record(store, 2));
  expect(await eventsOf(store)).toEqual(['lost']);
});

test('a loss that two kernels found is recorded once', async () => {
  const store = openMemoryStore();
  for (const found of [new FoundEvent(), new FoundEvent()]) {
    found.keep(lost);
    valueOf(await found.record(store, 2));
  }
  expect(await eventsOf(store)).toEqual(['lost']);
});
