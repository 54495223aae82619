import { expect, test } from 'vitest';
import { encodeHeader } from '../../../../workers/store/journal/header.ts';
import { LAST_BATCHES, PAYLOAD, RUN_PAGE } from '../../../../workers/store/postgres/batches.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, HAS_SERVER, newDatabase, type OwnPool, open } from './place.ts';

const STEPS = 12;
/** Bytes that have the header of a frame, in hex. */
const FRAME = Buffer.from(encodeHeader({ state: 'live', length: 5, crc: 0 })).toString('hex') + '00'.repeat(5);

/** A database with two runs, which have the same payloads. */
async function twoRuns(): Promise<{ readonly pool: OwnPool; readonly owner: OwnPool }> {
  const made = await newDatabase();
  const store = await open({ pool: made.pool, log: 'a' });
  for (const run of [1, 2]) {
    const { run_id, batches } = sampleRun(run, STEPS);
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'strict'));
  }
  await store.close();
  return made;
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else {
  test('content that two runs have is erased in one of them', async () => {
    const { pool, owner } = await twoRuns();
    const store = await open({ pool, log: 'a' });
    const { run_id, batches } = sampleRun(1, STEPS);
    const found = valueOf(await store.read(run_id, 0, 1_000));
    valueOf(await store.replace(found.map((batch) => ({ ...batch, payloads: [] }))));
    const [{ sha256 } = { sha256: '' }] = batches.flatMap(({ payloads }) => payloads);
    expect(valueOf(await store.payload(run_id, sha256))).toBeUndefined();
    const left = await owner.query('select count(*)::int as n from sallyport.payload where run_id = $1', [run_id]);
    expect(left.rows).toEqual([{ n: 0 }]);
    expect(valueOf(await store.payload(sampleRun(2, STEPS).run_id, sha256))).toBeDefined();
    await store.close();
  });

  test('records and payloads are compressed by LZ4 where the server has it', async () => {
    const { owner } = await twoRuns();
    const has = await owner.query(`select 'lz4' = any(enumvals) as lz4 from pg_settings
      where name = 'default_toast_compression'`);
    const method = has.rows[0]?.['lz4'] === true ? 'l' : '';
    const { rows } = await owner.query(`select attname as name, attcompression as method from pg_attribute
      where attrelid in ('sallyport.batch'::regclass, 'sallyport.payload'::regclass) and attname in ('frame', 'bytes')
      order by attname`);
    expect(rows).toEqual(['bytes', 'frame'].map((name) => ({ name, method })));
  });

  test('a log that is younger than the statistics is read by its indexes, beside a large log', async () => {
    const { owner } = await twoRuns();
    await owner.query('analyze');
    const fill = async (log: number, count: number) => {
      await owner.query(`insert into sallyport.batch (log, seq, run_id, run_seq, frame)
        select ${log}, 1000 + n, md5((n / 20)::text), n % 20, '\\x${FRAME}' from generate_series(1, ${count}) n`);
      await owner.query(`insert into sallyport.payload (log, seq, nth, run_id, sha256, bytes)
        select ${log}, 1000 + n, 0, md5((n / 20)::text), md5(n::text), '\\x00' from generate_series(1, ${count}) n`);
    };
    await fill(1, 20_000);
    await owner.query('analyze');
    await fill(2, 4_000);
    const planOf = async (sql: string, ...values: readonly unknown[]) =>
      (await owner.query(`explain ${sql}`, [...values])).rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    const { rows } = await owner.query('select run_id, sha256 from sallyport.payload where log = 2 limit 1');
    const { run_id, sha256 } = rows[0] as { readonly run_id: string; readonly sha256: string };
    expect(await planOf(LAST_BATCHES, 2)).not.toMatch(/Sort|Seq Scan|batch_place/);
    const page = await planOf(RUN_PAGE, 2, run_id, 0, 10);
    expect(page).not.toMatch(/batch_place/);
    // the payloads of each batch by its place, and not all payloads of the log
    expect(page).toMatch(/payload_pkey on payload p .*\n\s+Index Cond: \(\(log = 2\) AND \(seq = page_1\.seq\)\)/);
    expect(await planOf(PAYLOAD, 2, run_id, sha256, 1_000)).toMatch(/payload_number on payload/);
  });

  test('a payload is found by the index of its number', async () => {
    const { owner } = await twoRuns();
    const { run_id, batches } = sampleRun(2, STEPS);
    const sha256 = batches[1]?.payloads[0]?.sha256;
    const client = await owner.connect();
    // a table of few rows is read whole, and a generic plan knows no value
    await client.query('set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
    const { rows } = await client.query(`explain ${PAYLOAD}`, [1, run_id, sha256, 1_000]);
    client.release();
    expect(rows.map((row) => String(row['QUERY PLAN'])).join('\n')).toMatch(
      /payload_number on payload .*\n\s+Index Cond: .*hashtextextended/,
    );
  });
}
