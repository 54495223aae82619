import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { formatKey } from '../../../../core/ledger/checkpoint.ts';
import { makeSigner, type Signer, takeCheckpoint } from '../../../../workers/auditor/checkpoint.ts';
import { compareCheckpoints } from '../../../../workers/auditor/compare-checkpoints.ts';
import { backUp, takeBack } from '../../../../workers/kernel/backup/backup.ts';
import { checkpoint, writeLogFile } from '../../../../workers/node/command/checkpoint.ts';
import { runCommand, type Terminal } from '../../../../workers/node/command/command.ts';
import { processTerminal } from '../../../../workers/node/command/terminal.ts';
import { makeLogKey, publishLog } from '../../../../workers/node.ts';
import { postgresSql } from '../../../../workers/postgres.ts';
import { openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { VERSION } from '../../../../workers/store/postgres/schema.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';
import { ABSENT, directPool, HAS_SERVER, newLog, newPool, open, ownerPool } from './place.ts';

const ORIGIN = 'example.org/device-1';
const refused = (code: string) => ({ ok: false, refusal: { code } });

/** Writes a run of so many steps. */
async function write(store: LedgerStore, run: number, steps: number): Promise<void> {
  const { run_id, batches } = sampleRun(run, steps);
  for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'strict'));
}

/** What a device sends to its organisation: everything it has, and a signed checkpoint of it. */
async function sent(device: LedgerStore, signer: Signer): Promise<{ backup: Blob; text: string }> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  valueOf(await backUp(device, (bytes) => parts.push(new Uint8Array(bytes)) > 0));
  return { backup: new Blob(parts), text: valueOf(await takeCheckpoint(device, signer, ORIGIN)).text };
}

/** Runs a command of `sallyport checkpoint`, and returns its exit code and its output. */
async function command(...words: readonly string[]): Promise<readonly [number, object]> {
  let json: object = {};
  const silent = () => undefined;
  const terminal: Terminal = {
    ...{ ...processTerminal(), color: false, print: silent, complain: silent },
    printJson: (value) => void (json = value as object),
  };
  return [await runCommand(checkpoint, [...words, '--json'], terminal), json];
}

if (!HAS_SERVER) test.skip(ABSENT, () => undefined);
else {
  const [pool, owner] = [newPool(), ownerPool()];
  const base = mkdtempSync(join(tmpdir(), 'sallyport-published-'));
  afterAll(() => rmSync(base, { recursive: true, force: true }));
  const newFolder = () => mkdtempSync(join(base, 'log-'));
  const placeIn = (folder: string) => ({
    read: (path: string) => readFile(join(folder, path)).catch(() => undefined),
    write: (file: { readonly path: string; readonly bytes: Uint8Array }) => writeLogFile(folder, file),
  });
  const idOf = async (log: string) =>
    (await owner.query('select id from sallyport.log where name = $1', [log])).rows[0]?.['id'];

  describe('a published log in PostgreSQL', () => {
    test('a log that two processes write is published as it grows, and the command checks each of its files', async () => {
      const [log, folder, key] = [newLog(), newFolder(), makeLogKey(ORIGIN)];
      const [store, other] = [await open({ pool, log }), await open({ pool, log })];
      await write(store, 1, 60);
      const first = valueOf(await publishLog(store, { key, ...placeIn(folder) }));
      await Promise.all([write(store, 2, 60), write(other, 3, 60)]);
      // Any process publishes what all have written.
      const second = valueOf(await publishLog(other, { key, ...placeIn(folder) }));
      expect([first.size, second.size]).toEqual([303, 909]);
      expect(second.root).toBe(Buffer.from(valueOf(await store.head()).root).toString('hex'));
      const [code, checked] = await command('check', folder, '--key', second.key);
      expect([code, checked]).toEqual([0, expect.objectContaining({ ok: true, size: 909 })]);
      const texts = [first.text, second.text];
      for (const compared of [{ read: placeIn(folder).read }, { store }])
        expect(await compareCheckpoints(texts, { ...compared, key: second.key })).toMatchObject({
          ok: true,
          value: { origin: ORIGIN, size: 909, checkpoints: 2 },
        });
      expect(valueOf(await publishLog(store, { key, ...placeIn(folder) })).files).toBe(0);
      await Promise.all([store.close(), other.close()]);
    });

    test('a log that was restored from an older backup, or was changed, is not signed, and its files stay', async () => {
      const [log, folder, key] = [newLog(), newFolder(), makeLogKey(ORIGIN)];
      const store = await open({ pool, log });
      await write(store, 1, 10);
      valueOf(await publishLog(store, { key, ...placeIn(folder) }));
      await store.close();
      const signed = readFileSync(join(folder, 'checkpoint'), 'utf8');
      for (const table of ['batch', 'payload'])
        await owner.query(`delete from sallyport.${table} where log = $1 and seq >= 12`, [await idOf(log)]);
      const shorter = await open({ pool, log });
      expect(await publishLog(shorter, { key, ...placeIn(folder) })).toMatchObject(refused('log_rolled_back'));
      expect(await compareCheckpoints([signed], { store: shorter })).toMatchObject(refused('log_rolled_back'));
      await write(shorter, 2, 20);
      expect(await publishLog(shorter, { key, ...placeIn(folder) })).toMatchObject(refused('log_forked'));
      expect(await compareCheckpoints([signed], { store: shorter })).toMatchObject(refused('log_forked'));
      await owner.query(
        'update sallyport.batch set frame = set_byte(frame, 40, get_byte(frame, 40) # 1) where log = $1',
        [await idOf(log)],
      );
      expect(await publishLog(shorter, { key, ...placeIn(folder) })).toMatchObject(refused('store_damaged'));
      expect(await compareCheckpoints([signed], { store: shorter })).toMatchObject(refused('store_damaged'));
      expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toBe(signed);
      await shorter.close();
    });
  });

  describe("a device's checkpoints at an organisation with PostgreSQL", () => {
    const signerOf = async (name: string) => (await makeSigner(name)) as Signer;

    test('checkpoints of a device agree with its ledger in PostgreSQL, also for a role that reads', async () => {
      const [log, device, signer] = [newLog(), openMemoryStore(), await signerOf(ORIGIN)];
      const store = await open({ pool, log });
      const texts: string[] = [];
      for (const run of [1, 2, 3]) {
        await write(device, run, 3);
        const { backup, text } = await sent(device, signer);
        valueOf(await takeBack(store, backup));
        texts.push(text);
      }
      const role = `compare_${Date.now()}`;
      await owner.query(`create role ${role} login`);
      await owner.query(postgresSql({ read: role }, VERSION));
      const reader = await open({ pool: directPool({ role }), log });
      const history = { ok: true, value: { origin: ORIGIN, size: 54, checkpoints: 3 } };
      for (const each of [store, reader])
        expect(await compareCheckpoints(texts, { store: each, key: formatKey(signer) })).toMatchObject(history);
      const [first = '', , last = ''] = texts;
      expect(await compareCheckpoints([last, first], { store })).toMatchObject(refused('log_rolled_back'));
      const other = formatKey(await signerOf(ORIGIN));
      expect(await compareCheckpoints(texts, { store, key: other })).toMatchObject(refused('checkpoint_unsigned'));
      await Promise.all([store.close(), reader.close()]);
    });

    test('a device that has written its ledger anew, or sent less than it signed, is found', async () => {
      const [log, device, signer] = [newLog(), openMemoryStore(), await signerOf(ORIGIN)];
      const store = await open({ pool, log });
      await write(device, 1, 3);
      valueOf(await takeBack(store, (await sent(device, signer)).backup));
      const forged = openMemoryStore();
      await write(forged, 2, 4);
      const key = formatKey(signer);
      const { text, backup } = await sent(forged, signer);
      expect(await compareCheckpoints([text], { store, key })).toMatchObject(refused('log_rolled_back'));
      expect(await takeBack(store, backup)).toMatchObject(refused('backup_refused'));
      await write(device, 3, 1);
      const { text: unsent } = await sent(device, signer);
      expect(await compareCheckpoints([unsent], { store, key })).toMatchObject(refused('log_rolled_back'));
      await write(store, 4, 9);
      for (const each of [text, unsent])
        expect(await compareCheckpoints([each], { store, key })).toMatchObject(refused('log_forked'));
      await store.close();
    });
  });
}
