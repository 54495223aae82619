import { expect, test } from 'vitest';
import { hashBytes, hashText } from '../../../core/hash.ts';
import { NO_RECORDS } from '../../../core/ledger/chain.ts';
import { merkleRoot } from '../../../core/ledger/tree.ts';
import { readRecords } from '../../store/read-run.ts';
import { payload, runId, sampleRun } from './sample.ts';
import { appendAll, rowOf, textsOf } from './sample-append.ts';
import { placeOf, type StorePlace, valueOf } from './store-place.ts';

/** Tests of what a store gives back. */
export function readSuite(newPlace: () => Promise<StorePlace>): void {
  test('a new store has an empty log with the root of an empty tree', async () => {
    const store = await (await newPlace()).open();
    const head = valueOf(await store.head());
    expect([head.size, hashText(head.root)]).toEqual([0, hashText(merkleRoot([]))]);
    expect(valueOf(await store.runs())).toEqual([]);
    expect(valueOf(await store.read(runId(1)))).toEqual([]);
    expect(valueOf(await store.payload(runId(1), payload('x').sha256))).toBeUndefined();
    await store.close();
  });

  test('a store gives back the hashed texts in order, from any record on', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 4);
    await appendAll(store, run);
    const texts = textsOf(run);
    for (let from = 0; from <= texts.length; from++) {
      expect(valueOf(await readRecords(store, run.run_id, from))).toEqual(texts.slice(from));
    }
    expect(valueOf(await store.read(run.run_id, 3, 2)).map((batch) => batch.run_seq)).toEqual([2, 7]);
    await store.close();
  });

  test('append returns its place, and the size and root of the whole log', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1), sampleRun(2, 2)];
    const leaves: Uint8Array[] = [];
    for (const run of [one, two]) {
      for (const { expected, records, payloads } of run.batches) {
        const seq = leaves.length;
        leaves.push(...records.map(({ record }) => hashBytes(record.hash)));
        const done = placeOf(await store.append({ run_id: run.run_id, expected, records, payloads }, 'relaxed'));
        expect({ ...done, root: hashText(done.root) }).toEqual({
          seq,
          size: leaves.length,
          root: hashText(merkleRoot(leaves)),
        });
      }
    }
    expect(hashText(valueOf(await store.head()).root)).toBe(hashText(merkleRoot(leaves)));
    await store.close();
  });

  test('a store keeps a payload only for the run and the records that name it', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 3);
    await appendAll(store, run);
    for (const batch of run.batches) {
      for (const { sha256, bytes } of batch.payloads) {
        expect(valueOf(await store.payload(run.run_id, sha256))).toEqual(bytes);
        expect(valueOf(await store.payload(run.run_id, sha256, batch.expected.records))).toEqual(bytes);
      }
    }
    const last = run.batches[3]?.payloads[0]?.sha256 ?? '';
    expect(valueOf(await store.payload(run.run_id, last, 0))).toBeUndefined();
    expect(valueOf(await store.payload(runId(2), last))).toBeUndefined();
    await store.close();
  });

  test('a store copies the bytes of a view, without the buffer under it and without later changes', async () => {
    const store = await (await newPlace()).open();
    const memory = new WebAssembly.Memory({ initial: 16 });
    const view = new Uint8Array(memory.buffer, 65_536, 3).fill(7);
    const run = sampleRun(1, 0, false);
    const [first] = run.batches;
    const payloads = [{ sha256: payload('\u0007\u0007\u0007').sha256, bytes: view }];
    valueOf(
      await store.append(
        { ...first, run_id: run.run_id, expected: NO_RECORDS, records: first?.records ?? [], payloads },
        'relaxed',
      ),
    );
    view.fill(9);
    const [stored] = valueOf(await store.read(run.run_id));
    expect(stored?.payloads[0]?.bytes).toEqual(Uint8Array.of(7, 7, 7));
    expect(stored?.payloads[0]?.bytes.buffer.byteLength).toBe(3);
    await store.close();
  });

  test('a reader cannot change a store through the batches that it received', async () => {
    const store = await (await newPlace()).open();
    const run = sampleRun(1, 1);
    await appendAll(store, run);
    const [batch] = valueOf(await store.read(run.run_id));
    (batch as unknown as { records: string[] }).records.length = 0;
    batch?.payloads[0]?.bytes.fill(0);
    expect(valueOf(await readRecords(store, run.run_id))).toEqual(textsOf(run));
    const { sha256, bytes } = run.batches[0]?.payloads[0] ?? payload('');
    expect(valueOf(await store.payload(run.run_id, sha256))).toEqual(bytes);
    await store.close();
  });

  test('runs lists length, head, dialect, start and seal of each run, the youngest first', async () => {
    const store = await (await newPlace()).open();
    const [one, two] = [sampleRun(1, 1, false), sampleRun(2, 1, true)];
    await appendAll(store, two);
    await appendAll(store, one);
    expect(valueOf(await store.runs())).toEqual([rowOf(one, false), rowOf(two, true)]);
    await store.close();
  });
}
