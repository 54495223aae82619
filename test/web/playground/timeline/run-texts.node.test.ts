import { effect, signal } from '@preact/signals-core';
import { expect, test, vi } from 'vitest';
import type { LedgerRecord } from '../../../../core/index.ts';
import type { RunSession } from '../../../../web/playground/run/session.ts';
import { parseFilter } from '../../../../web/playground/timeline/filter.ts';
import { openMatches, openRunTexts } from '../../../../web/playground/timeline/run-texts.ts';
import type { PayloadPage } from '../../../../workers/api.ts';
import { record } from '../../records/sample-records.ts';

const hash = (n: number): string => n.toString(16).padStart(64, '0');
const observation = (n: number): LedgerRecord =>
  record(n, 'observation', {
    step: n,
    step_id: 'a',
    status: 'success',
    payload: { sha256: hash(n), bytes: 1 },
  } as never);
const recordsOf = (count: number): readonly LedgerRecord[] => Array.from({ length: count }, (_, n) => observation(n));
const PAGE = 100;

/** A run of the device whose payloads come page by page. */
function deviceRun(count: number) {
  const asked: number[] = [];
  const records = signal(recordsOf(count));
  const payloads = async (from: number): Promise<PayloadPage> => {
    asked.push(from);
    const to = Math.min(from + PAGE, records.peek().length);
    const page = records.peek().slice(from, to);
    const bytes = (n: number) => new TextEncoder().encode(`Text ${n} of the zebra`);
    const given = page.map(({ run_seq }) => ({ sha256: hash(run_seq), bytes: bytes(run_seq) }));
    return { payloads: given, ...(to < records.peek().length && { next: to }) };
  };
  return { session: { records, payloads } as unknown as RunSession, records, asked };
}

test('the texts of a run are read in one pass, page by page, and those that arrive later alone', async () => {
  for (const count of [1000, 4000]) {
    const { session, records, asked } = deviceRun(count);
    const wanted = signal(false);
    const read = openRunTexts(signal(session), wanted);
    expect([read.value.read, asked]).toEqual([0, []]);
    let drawings = 0;
    const stop = effect(() => void (read.value, drawings++));
    wanted.value = true;
    await vi.waitUntil(() => read.value.read === count, 20_000);
    // linear: a page is asked for once
    expect(asked).toHaveLength(count / PAGE);
    expect(read.value.texts.size).toBe(count);
    // not once for each page
    expect(drawings).toBeLessThan(count / PAGE);
    records.value = recordsOf(count + 10);
    await vi.waitUntil(() => read.value.read === count + 10, 20_000);
    expect(asked.slice(count / PAGE)).toEqual([count]);
    stop();
  }
});

test('a search of a run that is being read is of the records that were read', async () => {
  const { session } = deviceRun(300);
  const wanted = signal(true);
  const read = openRunTexts(signal(session), wanted);
  await vi.waitUntil(() => read.value.read === 300, 20_000);
  const matching = openMatches();
  const records = recordsOf(300);
  const some = { texts: read.value.texts, read: 120 };
  const find = (text: string, of = read.value) => matching(parseFilter(text), records, of, 'en').length;
  expect(find('zebra', some)).toBe(120);
  expect(find('zebra')).toBe(300);
  expect(find('')).toBe(300);
  expect(find('status:success', { texts: new Map(), read: 0 })).toBe(300);
});

test('the next key searches what the key before has found, and finds the same as a fresh search', async () => {
  const { session } = deviceRun(300);
  const read = openRunTexts(signal(session), signal(true));
  await vi.waitUntil(() => read.value.read === 300, 20_000);
  const records = recordsOf(300);
  const matching = openMatches();
  for (const text of [
    'z',
    'ze',
    'zebra',
    'zebra 1',
    'zebra 12',
    'zebra 2',
    '"12 of" zebra',
    'seq:3-9 zebra',
    'seq:3-99 zebra',
  ]) {
    const filter = parseFilter(text);
    const fresh = openMatches()(filter, records, read.value, 'en');
    expect(matching(filter, records, read.value, 'en'), text).toEqual(fresh);
  }
  // a list that has grown is searched from where it ended
  const longer = [...records, observation(300)];
  const before = matching(parseFilter('zebra'), records, read.value, 'en');
  const grown = { texts: new Map([...read.value.texts, [hash(300), { text: 'zebra', lower: 'zebra' }]]), read: 301 };
  expect(matching(parseFilter('zebra'), longer, grown, 'en')).toHaveLength(before.length + 1);
});
