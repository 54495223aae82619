import { describe, expect, test } from 'vitest';
import { NO_RECORDS } from '../../../core/ledger/chain.ts';
import type { Append, LedgerStore } from '../../store/store.ts';
import type { TableWrite } from '../../store/tables.ts';
import { sampleRun } from './sample.ts';
import { type StorePlace, valueOf } from './store-place.ts';

/**
 * Tests of the rows beside the log that every store passes.
 *
 * @experimental
 */
export function tableSuite(name: string, newPlace: () => Promise<StorePlace>): void {
  describe(`the tables of the store ${name}`, () => {
    test('tables give back the row that was put last, to every tab and after reopening', async () => {
      const place = await newPlace();
      const [store, other] = [await place.open(), await place.open()];
      const row = { path: 'a.md', bytes: Uint8Array.of(1, 2), nested: [{ __proto__x: null }, 'ü'] };
      valueOf(await store.put([put('files', 'a', 'old'), put('kept', 'a', Uint8Array.of(7))], 'strict'));
      valueOf(await store.put([put('files', 'a', row)], 'relaxed'));
      expect(valueOf(await other.get('files', 'a'))).toEqual(row);
      expect(valueOf(await other.get('symbols', 'a'))).toBeUndefined();
      await Promise.all([store.close(), other.close()]);
      const again = await place.open();
      expect(valueOf(await again.get('kept', 'a'))).toEqual(Uint8Array.of(7));
      await again.close();
    });

    test('tables list their rows by key and page by page, without deleted rows', async () => {
      const store = await (await newPlace()).open();
      const keys = ['b', 'a', 'é', 'a/b', 'Z', '\u{1f600}', '\uffee'];
      const writes = [...keys.map((key) => put('symbols', key, key)), put('symbols', 'a', undefined)];
      valueOf(await store.put(writes, 'relaxed'));
      const wanted = ['Z', 'a/b', 'b', 'é', '\u{1f600}', '\uffee'];
      expect(valueOf(await store.all('symbols'))).toEqual(wanted.map((key) => [key, key]));
      expect(valueOf(await store.all('symbols', 'b', 2))).toEqual([
        ['é', 'é'],
        ['\u{1f600}', '\u{1f600}'],
      ]);
      expect(valueOf(await store.all('symbols', '\uffee'))).toEqual([]);
      expect(valueOf(await store.all('kept'))).toEqual([]);
      await store.close();
    });

    test('a put of many rows is written in the order of its rows', async () => {
      const store = await (await newPlace()).open();
      const writes = Array.from({ length: 700 }, (_, n) => put('files', `${n % 350}`.padStart(3, '0'), n));
      valueOf(await store.put(writes, 'relaxed'));
      expect(valueOf(await store.all('files')).map(([, value]) => value)).toEqual(
        Array.from({ length: 350 }, (_, n) => n + 350),
      );
      await store.close();
    });

    test('tables change together with the records of an append that is taken', async () => {
      const store = await (await newPlace()).open();
      valueOf(await store.append(appendOf(1, [put('kept', 'a', 1), put('files', 'b', 2)]), 'strict'));
      valueOf(await store.append(appendOf(2, [put('kept', 'a', undefined)]), 'relaxed'));
      expect(valueOf(await store.get('kept', 'a'))).toBeUndefined();
      expect(valueOf(await store.get('files', 'b'))).toBe(2);
      expect(valueOf(await store.head()).size).toBe(4);
      await store.close();
    });

    test('tables stay as they were when their append is refused, alone or in a group', async () => {
      const store = await (await newPlace()).open();
      valueOf(await store.append(appendOf(1, [put('kept', 'a', 'first')]), 'relaxed'));
      const stale = { ...appendOf(1, [put('kept', 'a', 'stale')], 7) };
      expect(await store.append(stale, 'strict')).toMatchObject({ ok: false, refusal: { code: 'head_moved' } });
      const group = [appendOf(2, [put('kept', 'b', 2)]), stale, appendOf(3, [put('kept', 'c', 3)])];
      const answers = await Promise.all(group.map((append) => store.append(append, 'relaxed')));
      expect(answers.map((answer) => answer.ok)).toEqual([true, false, true]);
      expect(valueOf(await store.all('kept'))).toEqual([
        ['a', 'first'],
        ['b', 2],
        ['c', 3],
      ]);
      await store.close();
    });

    test('a repeated append does not write its rows again over newer rows', async () => {
      const place = await newPlace();
      const [store, other] = [await place.open(), await place.open()];
      const append = appendOf(1, [put('kept', 'a', 'old')]);
      valueOf(await store.append(append, 'relaxed'));
      valueOf(await other.put([put('kept', 'a', 'new')], 'relaxed'));
      for (const writer of [store, other]) valueOf(await writer.append(append, 'relaxed'));
      expect(valueOf(await store.get('kept', 'a'))).toBe('new');
      await Promise.all([store.close(), other.close()]);
    });

    test('a writer or reader cannot change a stored row through its own objects', async () => {
      const store = await (await newPlace()).open();
      const value = { list: [1] };
      valueOf(await store.put([put('kept', 'a', value)], 'relaxed'));
      value.list.push(2);
      (valueOf(await store.get('kept', 'a')) as typeof value).list.push(3);
      expect(valueOf(await store.all('kept'))).toEqual([['a', { list: [1] }]]);
      await store.close();
    });

    test('a put or append with a row that cannot be stored writes no row', async () => {
      const store = await (await newPlace()).open();
      const wrong = [put('kept', 'a', 1), put('kept', 'b', (() => 1) as unknown as null)];
      await settled(store, () => store.put(wrong, 'relaxed'));
      const append = appendOf(1, wrong);
      await settled(store, () => store.append(append, 'relaxed'));
      expect(valueOf(await store.head()).size).toBe(0);
      expect(valueOf(await store.all('kept'))).toEqual([]);
      valueOf(await store.append(appendOf(1, [put('kept', 'a', 2)]), 'relaxed'));
      expect(valueOf(await store.all('kept'))).toEqual([['a', 2]]);
      await store.close();
    });
  });
}

/** Expects a write with a function as a value to be refused or to throw. */
async function settled(store: LedgerStore, act: () => ReturnType<LedgerStore['put'] | LedgerStore['append']>) {
  const answer = await act().then(
    (outcome) => outcome.ok,
    () => false,
  );
  expect([store.kind, answer]).toEqual([store.kind, false]);
}

function put(table: TableWrite['table'], key: string, value: TableWrite['value']): TableWrite {
  return { table, key, value };
}

/** First append of a run, with rows. With `records` above 0 it is a later append of the run. */
function appendOf(run: number, tables: readonly TableWrite[], records = 0): Append {
  const { run_id, batches } = sampleRun(run, 1);
  const nth = records === 0 ? 0 : 2;
  const { expected, records: links, payloads } = batches[nth] ?? { expected: NO_RECORDS, records: [], payloads: [] };
  return { run_id, expected, records: links, payloads, tables };
}
