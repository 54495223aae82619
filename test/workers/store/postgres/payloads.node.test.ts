import { afterEach, describe, expect, test } from 'vitest';
import { defineTool, fromScript, type ModelPort, openRuntime, type Runtime } from '../../../../workers/node.ts';
import { openPostgres, type RuntimeStore } from '../../../../workers/postgres.ts';
import { ABSENT, HAS_SERVER, newLog, newPool, type OwnPool, open, ownerPool } from './place.ts';

let effects = 0;
const runtimes: Runtime[] = [];

const write = defineTool({
  name: 'note.write',
  version: '1.0.0',
  description: 'Adds a line.',
  effect: 'write',
  labels: [],
  args: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
  run: async () => ++effects,
});
const call = { next_step: { tool: 'note.write', arguments: { n: 1 }, goal: 'add' } };
const DONE = { done: true, message: 'done' };

async function openOn(store: RuntimeStore): Promise<Runtime> {
  const runtime = await openRuntime({ store, tools: [write], grants: [{ capability: 'note.write', mode: 'allow' }] });
  runtimes.push(runtime);
  return runtime;
}

/** As the leases of a process that was killed: no lease is renewed. */
const KILLED = { leaseMs: 300, renewMs: 1e6, askMs: 20 };

/** A run with one effect, whose process was cut off while the model was thinking. */
async function interrupted(pool: OwnPool, log: string): Promise<string> {
  const runtime = await openOn(await open({ pool, log, times: KILLED }));
  const script = fromScript([call]);
  let asked = 0;
  const propose: ModelPort['propose'] = (...given) =>
    asked++ === 0 ? script.propose(...given) : new Promise<never>(() => undefined);
  const model = { ...script, propose };
  const run = runtime.start({ dialect: 'xct', task: 'Add a line.', model });
  run.result.catch(() => undefined);
  await expect.poll(() => asked).toBe(2);
  return run.id;
}

const OF_RUN = 'where log = (select id from sallyport.log where name = $1) and run_id = $2';

/** What is done to each payload of the run, and the codes of the checks of the run afterwards. */
const CHANGES: readonly (readonly [what: string, sql: string, codes: readonly string[], read: 'refused' | 'absent'])[] =
  [
    [
      'changed',
      `update sallyport.payload set bytes = set_byte(bytes, 0, get_byte(bytes, 0) # 1) ${OF_RUN}`,
      ['payload_altered'],
      'refused',
    ],
    ['emptied', `update sallyport.payload set bytes = '' ${OF_RUN}`, ['payload_altered'], 'refused'],
    ['removed', `delete from sallyport.payload ${OF_RUN}`, [], 'absent'],
    [
      'moved to another hash',
      `update sallyport.payload set sha256 = encode(sha256(sha256::bytea), 'hex') ${OF_RUN}`,
      ['payload_altered'],
      'absent',
    ],
  ];

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else
  describe('payloads that were changed or removed in PostgreSQL', () => {
    const [pool, owner] = [newPool(), ownerPool()];
    afterEach(async () => {
      for (const runtime of runtimes.splice(0)) await runtime.close();
      effects = 0;
    });

    test.each(CHANGES)(
      'payloads of a run that were %s are told by a code, the run is not resumed, and goes on once they are back',
      async (what, sql, codes, how) => {
        const log = newLog();
        const run_id = await interrupted(pool, log);
        const whole = await owner.query(`select seq, nth, sha256, bytes from sallyport.payload ${OF_RUN}`, [
          log,
          run_id,
        ]);
        const runtime = await openOn(await openPostgres({ pool, log }));
        const before = await runtime.ledger.records(run_id);
        expect(await runtime.ledger.verify(run_id)).toMatchObject({ ok: true });
        await owner.query(sql, [log, run_id]);

        // reads: the records stay, and no altered byte is delivered
        expect(await runtime.ledger.records(run_id)).toEqual(before);
        for (const { sha256 } of whole.rows) {
          const read = runtime.ledger.payload(run_id, String(sha256));
          if (how === 'refused') await expect(read).rejects.toMatchObject({ code: 'payload_altered' });
          else expect(await read).toBeUndefined();
        }

        // verify and export tell the same
        const jsonl = await runtime.ledger.export(run_id, { secrets: true });
        for (const report of [await runtime.ledger.verify(run_id), await runtime.ledger.check(jsonl)]) {
          const failed = report.checks.flatMap(({ first }) => first?.code ?? []);
          expect([what, report.ok, failed]).toEqual([what, codes.length === 0, codes]);
          // the head in the run's own store anchors nothing
          const skipped = report.checks.flatMap(({ id, skipped }) =>
            skipped === undefined || id === 'anchor' ? [] : id,
          );
          if (codes.length === 0) expect([what, skipped]).toEqual([what, ['decisions']]);
        }
        expect(await runtime.ledger.fsck()).toMatchObject({ ok: codes.length === 0 });

        // no record is added, and no effect is made
        await expect.poll(async () => (await runtime.runs())[0]?.elsewhere).toBeUndefined();
        await expect(runtime.resume(run_id, fromScript([DONE]))).rejects.toMatchObject({ code: 'payload_missing' });
        expect(await runtime.ledger.records(run_id)).toEqual(before);
        expect(effects).toBe(1);

        // the bytes come back from a copy of the table
        await owner.query(`delete from sallyport.payload ${OF_RUN}`, [log, run_id]);
        for (const { seq, nth, sha256, bytes } of whole.rows) {
          await owner.query(
            `insert into sallyport.payload (log, seq, nth, run_id, sha256, bytes)
              select id, $3, $4, $2, $5, $6 from sallyport.log where name = $1`,
            [log, run_id, seq, nth, sha256, bytes],
          );
        }
        const run = await runtime.resume(run_id, fromScript([DONE]));
        await run.run();
        expect(await run.result).toMatchObject({ state: 'completed' });
        expect(effects).toBe(1);
        expect((await runtime.ledger.records(run_id)).slice(0, before.length)).toEqual(before);
        for (const check of [runtime.ledger.verify(run_id), runtime.ledger.fsck()])
          expect(await check).toMatchObject({ ok: true });
      },
    );
  });
