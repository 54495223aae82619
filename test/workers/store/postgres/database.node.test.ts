import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fromScript, openRuntime } from '../../../../workers/node.ts';
import { openPostgres, postgresSql } from '../../../../workers/postgres.ts';
import { VERSION } from '../../../../workers/store/postgres/schema.ts';
import { openPostgresStore } from '../../../../workers/store/postgres/store.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { SharedStore } from '../../../../workers/store/shared-store.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { LASTING } from '../../../../workers/testing/store/lease-suite.ts';
import { runId, type SampleRun, sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { failingPool } from './failing-pool.ts';
import {
  ABSENT,
  directPool,
  HAS_SERVER,
  newDatabase,
  newLog,
  newPool,
  type OwnPool,
  open,
  ownerPool,
} from './place.ts';

const run = sampleRun(1, 3, false);

async function appendAll(store: LedgerStore, { run_id, batches }: SampleRun = run): Promise<void> {
  for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'strict'));
}

const first = ({ run_id, batches }: SampleRun) => ({ run_id, ...(batches[0] as SampleRun['batches'][number]) });
const refusal = (code: string) => ({ ok: false, refusal: { code } });

/** Refusal codes of all reads of a store and of an append, in a list without repetitions. */
async function codesOf(store: SharedStore): Promise<readonly string[]> {
  const { run_id } = run;
  const reads = [
    await store.head(),
    await store.runs(),
    await store.snapshot(),
    await store.read(run_id),
    await store.log(0, 100),
    await store.payload(run_id, run.batches[0]?.payloads[0]?.sha256 ?? ''),
    await store.get('kept', 'k'),
    await store.all('kept'),
    await store.all('files'),
    await store.append(first(sampleRun(2, 1, false)), 'relaxed'),
  ];
  return [...new Set(reads.flatMap((read) => (read.ok ? [] : [read.refusal.code])))];
}

/** Bytes that are no frame, in hex: others, none, a wiped frame, and headers of a longer and of no body. */
const GARBAGE = [
  '00',
  '',
  '53504a780500000000000000' + '00'.repeat(5),
  '53504a310600000000000000' + '00'.repeat(5),
  '53504a310000000000000000',
];

/** A log that holds a run of 17 records and a row, with its number in the database. */
async function filled(pool: OwnPool, owner: OwnPool, log: string): Promise<{ store: SharedStore; id: unknown }> {
  const store = await open({ pool, log });
  await appendAll(store);
  valueOf(await store.put([{ table: 'kept', key: 'k', value: 'kept' }], 'strict'));
  const { rows } = await owner.query('select id from sallyport.log where name = $1', [log]);
  return { store, id: rows[0]?.['id'] };
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else {
  const [pool, owner] = [newPool(), ownerPool()];
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-postgres-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('a database of PostgreSQL', () => {
    test('programs that open an empty database at the same moment make its tables once', async () => {
      const made = await newDatabase();
      const log = newLog();
      const stores = await Promise.all([1, 2, 3, 4].map(() => open({ pool: made.pool, log })));
      await appendAll(stores[0] as SharedStore);
      for (const store of stores) expect(valueOf(await store.head()).size).toBe(17);
      await Promise.all(stores.map((store) => store.close()));
    });

    test('a database of a newer version is refused with store_newer, also by a store that was open before', async () => {
      const made = await newDatabase();
      const store = await open({ pool: made.pool, log: 'a' });
      await made.owner.query('insert into sallyport.version (version) values (99)');
      expect(await store.append(first(run), 'strict')).toMatchObject(refusal('store_newer'));
      await store.close();
      expect(await openPostgresStore({ pool: made.pool, log: 'a' })).toMatchObject(refusal('store_newer'));
      await expect(openPostgres({ pool: made.pool })).rejects.toMatchObject({ code: 'store_newer' });
    });

    test.each(['version', 'log', 'batch', 'payload', 'row', 'claim'])(
      'a database without the table %s is refused with store_damaged, and no table is made anew',
      async (table) => {
        const made = await newDatabase();
        const store = await open({ pool: made.pool, log: 'a' });
        await appendAll(store);
        await made.owner.query(`drop table sallyport.${table}`);
        const codes = await codesOf(store);
        expect(codes).toEqual(table === 'log' ? [] : ['store_damaged']);
        await store.close();
        const again = await openPostgresStore({ pool: made.pool, log: 'a' });
        expect(again).toMatchObject({ refusal: { message: expect.stringContaining(`no table sallyport.${table}`) } });
        expect((await made.owner.query(`select to_regclass('sallyport.${table}') as t`)).rows[0]?.['t']).toBeNull();
      },
    );

    test.each([
      [
        'a frame of another batch',
        'update sallyport.batch set frame = (select frame from sallyport.batch where log = LOG order by seq limit 1)',
      ],
      ['a frame of another run', "update sallyport.batch set run_id = 'other'"],
      ['another place in its run', 'update sallyport.batch set run_seq = run_seq + 1000'],
      ['another place in the log', 'update sallyport.batch set seq = seq + 1000'],
      ['a place beyond all numbers', 'update sallyport.batch set seq = 9223372036854775807 - seq'],
      ['rows of another key', "update sallyport.row set key = '\\x0041'"],
      ['rows of half a key', "update sallyport.row set key = '\\x00'"],
      ['rows of another table', "update sallyport.row set kind = 'files'"],
      [
        'a flipped bit in each frame',
        'update sallyport.batch set frame = set_byte(frame, 40, get_byte(frame, 40) # 1)',
      ],
      ['a flipped bit in each row', 'update sallyport.row set frame = set_byte(frame, 20, get_byte(frame, 20) # 1)'],
    ])('a database with %s is refused with store_damaged, and never throws', async (_title, sql) => {
      const { store, id } = await filled(pool, owner, newLog());
      await owner.query(`${sql} where log = ${String(id)}`.replace('LOG', String(id)));
      expect(await codesOf(store)).toEqual(['store_damaged']);
      await store.close();
    });

    test('a server that takes no writes is read, and refuses each write with store_readonly', async () => {
      const log = newLog();
      const { store } = await filled(pool, owner, log);
      const replica = directPool({ setting: 'default_transaction_read_only=on' });
      const reader = await open({ pool: replica, log });
      expect(valueOf(await readRecords(reader, run.run_id))).toHaveLength(17);
      expect(valueOf(await reader.head()).size).toBe(17);
      expect(await reader.append(first(sampleRun(2, 1)), 'strict')).toMatchObject(refusal('store_readonly'));
      expect(await reader.put([{ table: 'kept', key: 'k', value: 1 }], 'strict')).toMatchObject(
        refusal('store_readonly'),
      );
      await expect(reader.claim(runId(2))).rejects.toMatchObject({ code: 'store_readonly' });
      expect(await openPostgresStore({ pool: replica, log: newLog() })).toMatchObject(refusal('store_readonly'));
      await reader.close();
      await store.close();
    });

    test('a role that appends writes runs, and can neither change, erase nor delete a record or a payload', async () => {
      const [role, log] = [`append_${Date.now()}`, newLog()];
      const { store } = await filled(pool, owner, log);
      await owner.query(`create role ${role} login`);
      await owner.query(postgresSql({ append: role }, VERSION));
      const user = directPool({ role });
      const runtime = await openRuntime({ store: await openPostgres({ pool: user, log }) });
      const started = runtime.start({
        dialect: 'xct',
        task: 'Say.',
        model: fromScript([{ done: true, message: 'done' }]),
      });
      expect(await started.result).toMatchObject({ state: 'completed' });
      expect(await runtime.ledger.fsck()).toMatchObject({ ok: true });
      for (const act of ['erase', 'delete'] as const)
        await expect(runtime.ledger[act](started.id)).rejects.toMatchObject({ code: 'store_denied' });
      await expect(runtime.storage.deleteEverything()).rejects.toMatchObject({ code: 'store_busy' });
      await store.close();
      await expect(runtime.storage.deleteEverything()).rejects.toMatchObject({ code: 'store_denied' });
      for (const sql of [
        "update sallyport.batch set frame = ''",
        'delete from sallyport.batch',
        "update sallyport.payload set bytes = ''",
        'delete from sallyport.payload',
        'truncate sallyport.batch',
        'drop table sallyport.batch',
        'insert into sallyport.version (version) values (2)',
      ])
        await expect(user.query(sql)).rejects.toMatchObject({ code: '42501' });
      await runtime.close();
    });

    test('a role that appends inserts no row that is no frame, and changes none into such a row', async () => {
      const [role, log] = [`garbage_${Date.now()}`, newLog()];
      const { store, id } = await filled(pool, owner, log);
      await owner.query(`create role ${role} login`);
      await owner.query(postgresSql({ retain: role }, VERSION));
      const user = directPool({ role });
      for (const frame of GARBAGE) {
        const value = `'\\x${frame}'::bytea`;
        for (const sql of [
          `insert into sallyport.batch select ${String(id)}, 17, 'zzz', 0, ${value}`,
          `update sallyport.batch set frame = ${value} where log = ${String(id)} and seq = 0`,
          `insert into sallyport.row select ${String(id)}, 'kept', '\\x0041', ${value}`,
        ])
          await expect(user.query(sql), sql).rejects.toMatchObject({ code: '23514' });
      }
      expect(await store.unreadRows?.()).toEqual({ ok: true, value: { places: [], count: 0 } });
      await store.close();
    });

    test('a row that is no frame is damage with its place, and the log goes on behind and beside it', async () => {
      const made = await newDatabase();
      const { store, id } = await filled(made.pool, made.owner, 'a');
      const heard: string[] = [];
      store.peers?.onMessage(({ run_id }) => heard.push(run_id));
      await made.owner.query('alter table sallyport.batch drop constraint batch_whole');
      // the next place of the log and of a run, a place that a batch has, and places behind all others
      const places: readonly (readonly [seq: string, run_id: string, run_seq: number])[] = [
        ['0', run.run_id, 0],
        ['17', 'zzz', 0],
        ['18', run.run_id, 17],
        ['19', sampleRun(2, 1, false).run_id, 9_000],
        ['4000000000', 'system', 7],
        ['9223372036854775807', run.run_id, 9_000],
      ];
      for (const [nth, place] of places.entries())
        await made.owner.query('insert into sallyport.batch values ($1, $2, $3, $4, $5)', [
          id,
          ...place,
          Buffer.from(GARBAGE[nth % GARBAGE.length] ?? '', 'hex'),
        ]);
      expect(await codesOf(store)).toEqual([]);
      const again = await open({ pool: made.pool, log: 'a' });
      expect(valueOf(await readRecords(again, run.run_id))).toHaveLength(17);
      const size = valueOf(await again.head()).size;
      expect(size).toBe(17 + first(sampleRun(2, 1, false)).records.length);
      valueOf(await again.append(first(sampleRun(3, 1, false)), 'strict'));
      valueOf(await again.append(first(sampleRun(4, 1, false)), 'strict'));
      await expect.poll(() => heard).toContain(runId(4));
      await Promise.all([store.close(), again.close()]);

      const runtime = await openRuntime({ store: await openPostgres({ pool: made.pool, log: 'a' }) });
      const report = await runtime.ledger.fsck();
      expect(report.ok).toBe(false);
      expect(report.problems.map(({ run_seq, code }) => [run_seq, code])).toEqual(
        places.map(([seq]) => [Number(seq), 'chain_broken']),
      );
      expect(report.runs.map(({ report: each }) => each.ok)).toEqual(report.runs.map(() => true));
      expect(report.problems[1]?.message).toContain('the row at place 17 is no batch (0 bytes)');
      await runtime.storage.deleteEverything();
      await runtime.close();
      expect((await made.owner.query('select seq from sallyport.batch')).rows).toEqual([]);
    });

    test('a whole frame that contradicts the log is refused with store_damaged', async () => {
      const { store, id } = await filled(pool, owner, newLog());
      await owner.query(`insert into sallyport.batch
        select log, 17, run_id, 17, frame from sallyport.batch where log = ${String(id)} and seq = 0`);
      expect(await codesOf(store)).toEqual(['store_damaged']);
      await store.close();
    });

    test('a role that retains erases, and a role that reads writes no row', async () => {
      const [retain, read, log] = [`retain_${Date.now()}`, `read_${Date.now()}`, newLog()];
      await (await filled(pool, owner, log)).store.close();
      await owner.query(`create role ${retain} login; create role ${read} login`);
      await owner.query(postgresSql({ retain, read }, VERSION));
      const runtime = await openRuntime({ store: await openPostgres({ pool: directPool({ role: retain }), log }) });
      await runtime.ledger.erase(run.run_id);
      expect(await runtime.ledger.fsck()).toMatchObject({ ok: true });
      await runtime.close();
      const reader = await open({ pool: directPool({ role: read }), log });
      expect(valueOf(await readRecords(reader, run.run_id))).toHaveLength(17);
      expect(await reader.append(first(sampleRun(2, 1)), 'strict')).toMatchObject(refusal('store_denied'));
      await reader.close();
    });

    test('a role without rights is refused with store_denied', async () => {
      const role = `none_${Date.now()}`;
      await owner.query(`create role ${role} login`);
      await expect(openPostgres({ pool: directPool({ role }) })).rejects.toMatchObject({ code: 'store_denied' });
    });

    test('a pool of a single connection is enough for a runtime, its claims and its followers', async () => {
      const log = newLog();
      const [one, other] = [newPool({ max: 1 }), newPool({ max: 1 })];
      const runtime = await openRuntime({ store: await openPostgres({ pool: one, log }) });
      const second = await openRuntime({ store: await openPostgres({ pool: other, log }) });
      const runs = Array.from({ length: 8 }, () =>
        runtime.start({ dialect: 'xct', task: 'Say.', model: fromScript([{ done: true, message: 'done' }]) }),
      );
      const kinds: string[] = [];
      const id = runs[0]?.id ?? '';
      await expect.poll(async () => (await second.runs()).length).toBeGreaterThan(0);
      for (const each of runs) expect(await each.result).toMatchObject({ state: 'completed' });
      for await (const { kind } of second.follow(id)) kinds.push(kind);
      expect(kinds.at(-1)).toBe('seal');
      expect(await second.ledger.fsck()).toMatchObject({ ok: true });
      await Promise.all([runtime.close(), second.close()]);
    });

    test('appends over connections that are cut are repeated, and each of them is written once', async () => {
      // A proxy shares its connections among the clients of a database, so the connections that are cut have their own.
      const made = await newDatabase();
      const store = await open({ pool: made.pool, log: newLog() });
      const runs = [sampleRun(1, 40), sampleRun(2, 40), sampleRun(3, 40)];
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'owner'`;
      await Promise.all(
        runs.map(async ({ run_id, batches }) => {
          for (const [nth, batch] of batches.entries()) {
            if (nth % 5 === 0) void made.owner.query(cut);
            valueOf(await store.append({ run_id, ...batch }, 'strict'));
          }
        }),
      );
      for (const each of runs)
        expect(valueOf(await readRecords(store, each.run_id))).toEqual(
          each.batches.flatMap(({ records }) => records.map(({ text }) => text)),
        );
      await store.close();
    });

    test('a store whose connection is cut at any statement of its opening opens, and is seen by others', async () => {
      const log = newLog();
      const { store: other } = await filled(pool, owner, log);
      let statements = 0;
      await (await open({ pool: failingPool(pool, () => ++statements < 0), log })).close();
      for (let nth = 1; nth < statements; nth++) {
        let at = 0;
        const opened = await openPostgresStore({ pool: failingPool(pool, () => ++at === nth), log, times: LASTING });
        expect([nth, opened]).toMatchObject([nth, { ok: true }]);
        expect(await other.isShared?.()).toBe(true);
        if (opened.ok) await opened.value.close();
      }
      await other.close();
    });

    test('stores that are opened while the server ends connections open, and find their log', async () => {
      const made = await newDatabase();
      const log = newLog();
      await (await filled(made.pool, made.owner, log)).store.close();
      const cut = `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name <> 'owner'`;
      for (let nth = 0; nth < 8; nth++) {
        const [again] = await Promise.all([openPostgresStore({ pool: made.pool, log }), made.owner.query(cut)]);
        expect(valueOf(await valueOf(again).head()).size).toBe(17);
        await valueOf(again).close();
      }
    });

    test('a head that could not be flushed is not told: the read is repeated with its flush, or refused', async () => {
      const log = newLog();
      await (await filled(pool, owner, log)).store.close();
      const emit = /pg_logical_emit_message/;
      for (const ask of ['head', 'snapshot'] as const) {
        let [flushes, cuts] = [0, 1];
        const counted = failingPool(pool, (text) => emit.test(text) && ++flushes <= cuts);
        const store = await open({ pool: counted, log, patienceMs: 300 });
        expect(valueOf(await store[ask]()).size).toBe(17);
        expect(flushes).toBe(2);
        cuts = Number.POSITIVE_INFINITY;
        expect(await store[ask]()).toMatchObject(refusal('store_lost'));
        await store.close();
      }
    });

    test('a store that closes waits for its appends, so that none of them lands behind the next writer', async () => {
      const log = newLog();
      const [store, other] = [await open({ pool, log }), await open({ pool, log })];
      const writing = run.batches.map((batch) => store.append({ run_id: run.run_id, ...batch }, 'strict'));
      await store.close();
      const { size } = valueOf(await other.head());
      const answers = await Promise.all(writing);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(4);
      expect([size, valueOf(await other.head()).size]).toEqual([17, 17]);
      await other.close();
    });

    test('a server that is gone is refused with store_lost after the time of patience', async () => {
      const gone = newPool({ connectionString: 'postgres://postgres@/none?host=/nonexistent' });
      const began = performance.now();
      expect(await openPostgresStore({ pool: gone, log: 'a', patienceMs: 500 })).toMatchObject(refusal('store_lost'));
      expect(performance.now() - began).toBeGreaterThan(450);
    });

    test('a log that became shorter is refused with log_lost, and its store writes no record behind the loss', async () => {
      const { store, id } = await filled(pool, owner, newLog());
      await owner.query('delete from sallyport.batch where log = $1 and seq >= 12', [id]);
      const lost = { ok: false, refusal: { code: 'log_lost', details: { size: 17, found: 12 } } };
      for (const answer of [
        await store.head(),
        await store.snapshot(),
        await store.append(first(sampleRun(2, 1)), 'strict'),
      ])
        expect(answer).toMatchObject(lost);
      await store.close();
    });

    test('a log that was restored and written again is refused with store_damaged by a store that saw more', async () => {
      const log = newLog();
      const { store, id } = await filled(pool, owner, log);
      for (const table of ['batch', 'payload'])
        await owner.query(`delete from sallyport.${table} where log = $1 and seq >= 12`, [id]);
      const other = await open({ pool, log });
      await appendAll(other, sampleRun(2, 3));
      expect(await store.append(first(sampleRun(3, 1)), 'strict')).toMatchObject(refusal('store_damaged'));
      expect(await store.head()).toMatchObject(refusal('store_damaged'));
      await Promise.all([store.close(), other.close()]);
    });

    test('a file of the witness shows the loss to the next process, and holds for its own log only', async () => {
      const [log, witness] = [newLog(), join(folder, 'here/witness')];
      const store = await open({ pool, log, witness });
      await appendAll(store);
      await store.close();
      const again = await open({ pool, log, witness });
      await appendAll(again, sampleRun(2, 1));
      const { size } = valueOf(await again.head());
      await again.close();
      await owner.query(
        'delete from sallyport.batch where seq >= 12 and log = (select id from sallyport.log where name = $1)',
        [log],
      );
      const lost = { ok: false, refusal: { code: 'log_lost', details: { size, found: 12 } } };
      expect(await openPostgresStore({ pool, log, witness })).toMatchObject(lost);
      await expect(openPostgres({ pool, log, witness })).rejects.toMatchObject({ code: 'log_lost' });
      const other = await open({ pool, log: newLog(), witness });
      await other.close();
    });

    test('a log that was deleted on purpose is no loss', async () => {
      const [log, witness] = [newLog(), join(folder, 'deleted')];
      const store = await open({ pool, log, witness });
      await appendAll(store);
      valueOf(await store.destroy());
      const again = await open({ pool, log, witness });
      expect(valueOf(await again.head()).size).toBe(0);
      await again.close();
    });

    test('logs of a database are independent: same runs, other heads, and a deletion of one alone', async () => {
      const [one, other] = [await open({ pool, log: newLog() }), await open({ pool, log: newLog() })];
      await appendAll(one);
      await one.claim(run.run_id);
      expect(await other.claim(run.run_id)).toBeDefined();
      await appendAll(other, { ...run, batches: run.batches.slice(0, 1) });
      expect([valueOf(await one.head()).size, valueOf(await other.head()).size]).toEqual([17, 2]);
      valueOf(await one.destroy());
      expect(valueOf(await readRecords(other, run.run_id))).toHaveLength(2);
      await other.close();
    });

    test('a store that is shared is neither destroyed nor alone', async () => {
      const log = newLog();
      const [store, other] = [await open({ pool, log }), await open({ pool, log })];
      await appendAll(store);
      expect(await store.isShared?.()).toBe(true);
      expect(await store.destroy()).toMatchObject(refusal('store_busy'));
      await other.close();
      expect(await store.isShared?.()).toBe(false);
      valueOf(await store.destroy());
      expect(await store.head()).toMatchObject(refusal('store_lost'));
    });

    test('keys longer than an index takes are stored, replaced and listed in order', async () => {
      const store = await open({ pool, log: newLog() });
      const keys = ['a', 'b'].map((end) => `${'é/'.repeat(3_000)}${end}`);
      for (const value of [1, 2])
        valueOf(await store.put([...keys.map((key) => ({ table: 'files' as const, key, value }))], 'relaxed'));
      expect(valueOf(await store.all('files'))).toEqual(keys.map((key) => [key, 2]));
      expect(valueOf(await store.all('files', keys[0], 5))).toEqual([[keys[1], 2]]);
      valueOf(await store.put([{ table: 'files', key: keys[0] ?? '', value: undefined }], 'relaxed'));
      expect(valueOf(await store.get('files', keys[0] ?? ''))).toBeUndefined();
      await store.close();
    });

    test('a runtime opens the store that it is given, and closes it without the pool', async () => {
      const log = newLog();
      const runtime = await openRuntime({ store: await openPostgres({ pool, log }) });
      expect(runtime.info.store.kind).toBe('postgres');
      const started = runtime.start({
        dialect: 'xct',
        task: 'Say.',
        model: fromScript([{ done: true, message: 'done' }]),
      });
      expect(await started.result).toMatchObject({ state: 'completed' });
      await runtime.close();
      const again = await openRuntime({ store: await openPostgres({ pool, log }) });
      expect(await again.ledger.verify(started.id)).toMatchObject({ ok: true });
      await again.storage.deleteEverything();
      expect((await pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    });
  });
}
