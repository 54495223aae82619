import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { effectsIn, LedgerProcess } from './ledger-process.ts';
import { PostgresPlace, placeOf } from './postgres-place.ts';
import { serverUser } from './postgres-server.ts';

const here = PostgresPlace.forTests();

/** The data folder of a new server takes about a quarter of it. */
const DISK_MB = 160;
/** The server keeps few parts of its log for later. */
const SETTINGS = ['wal_keep_size=0', 'max_wal_size=32MB', 'min_wal_size=32MB', 'checkpoint_timeout=30s'];

for (const [full, breaks] of [
  ['has no room for rows', false],
  ['has no room for the log of the server, which stops', true],
] as const)
  test(`a run with effects goes on after the disk under a server ${full}: no record is lost, and no effect happens twice`, async () => {
    test.setTimeout(600_000);
    const programs = here.programs;
    const disk = here.newFolder();
    const { uid = 0, gid = 0 } = serverUser() ?? {};
    const options = `size=${DISK_MB}m,mode=700,uid=${uid},gid=${gid}`;
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
    test.skip(mounted.status !== 0, 'this user cannot mount a small disk');
    const filler = join(disk, 'filler');
    const server = here.newServer(programs, disk);
    try {
      server.make();
      await server.start(SETTINGS);
      const address = await here.newDatabase(server, 'ledger');
      const effects = join(here.newFolder(), 'effects.txt');
      writeFileSync(effects, '');
      const start = (...run_id: readonly string[]) =>
        new LedgerProcess(process.execPath, here.env, [placeOf('disk', address), effects, ...run_id]);

      const first = start();
      const { run_id = '' } = await first.answer();
      const acknowledged: string[] = [];
      const codes = new Set<string>();
      const call = async (on: LedgerProcess, n: number): Promise<boolean> => {
        const { receipt, code } = await on.ask(`call ${n}`);
        if (receipt !== undefined) acknowledged.push(receipt.hash);
        if (code !== undefined) codes.add(code);
        return receipt !== undefined;
      };
      for (let n = 0; n < 5; n++) expect(await call(first, n)).toBe(true);

      fill(filler);
      if (breaks) await breakServer(server.address());
      let n = 5;
      while (n < 20_000 && (await call(first, n))) n++;
      // the disk was full while calls went on, and the run says so
      expect([...codes]).toEqual([expect.stringMatching(/^(store_full|store_lost|run_sealed|log_failed)$/)]);
      await first.kill();

      rmSync(filler);
      await server.kill();
      await server.start(SETTINGS);
      const second = start(run_id);
      expect(await second.answer()).toEqual({ run_id });
      for (let more = 0; more < 5; more++) expect(await call(second, 30_000 + more)).toBe(true);
      const { records = [] } = await second.ask('records');
      const hashes = new Set(records.map(({ hash }) => hash));
      expect(acknowledged.filter((hash) => !hashes.has(hash))).toEqual([]);
      await second.end();
      const steps = effectsIn(effects);
      expect(new Set(steps).size).toBe(steps.length);
      // an effect without a receipt has its intent in the ledger
      const texts = records.map((record) => JSON.stringify(record)).join('');
      expect(steps.filter((step) => !texts.includes(step))).toEqual([]);
      expect(steps.length).toBeGreaterThanOrEqual(acknowledged.length);
      expect(await here.fsck(address, 'disk')).toMatchObject({ ok: true, problems: [] });
    } finally {
      await server.stop();
      execFileSync('umount', ['-l', disk]);
    }
  });

/** Has the server begin a new part of its log, for which there is no room: it stops. */
async function breakServer(address: string): Promise<void> {
  const pool = here.newPool(address);
  for (let tries = 0; tries < 20; tries++)
    if (
      (await pool.query("select pg_logical_emit_message(false, '', ''), pg_switch_wal()").catch(() => 'over')) ===
      'over'
    )
      break;
  await pool.end();
}

/** Takes the room that is left on a disk. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (;;) writeSync(file, new Uint8Array(4_096));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  } finally {
    closeSync(file);
  }
}
