import { openDB } from 'idb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { refuse } from '../../../../core/errors.ts';
import { pass } from '../../../../core/outcome.ts';
import { connect, deleteDatabase } from '../../../../workers/store/page/database.ts';
import { openDatabaseStore, Writer } from '../../../../workers/store/page/database-store.ts';
import { readRecords } from '../../../../workers/store/read-run.ts';
import type { LedgerStore } from '../../../../workers/store/store.ts';
import { sampleRun } from '../../../core/ledger/sample.ts';
import { valueOf } from '../store-suite.ts';

const run = sampleRun(1, 6);
const appendAt = (n: number, sample = run) => {
  const { expected, records, payloads } = sample.batches[n] ?? {
    expected: { records: -1, head: '' },
    records: [],
    payloads: [],
  };
  return { run_id: sample.run_id, expected, records, payloads };
};
const newName = () => `connection-${crypto.randomUUID()}`;
const codeOf = (outcome: Awaited<ReturnType<LedgerStore['append']>>) => (outcome.ok ? 'ok' : outcome.refusal.code);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('a connection that dies', () => {
  test('a connection that closes before a write is replaced, and the write is done', async () => {
    const connection = connect(newName());
    const writer = new Writer(connection);
    for (let n = 0; n < 6; n++) {
      valueOf(await connection.get()).close();
      expect((await writer.append(appendAt(n), 'relaxed')).ok, `batch ${n}`).toBe(true);
    }
    connection.drop();
  });

  test('a connection that closes before a read is replaced', async () => {
    const name = newName();
    const store = valueOf(await openDatabaseStore(name));
    valueOf(await store.append(appendAt(0), 'relaxed'));
    const closing = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementationOnce(function (this: IDBDatabase) {
      this.close();
      return this.transaction('batches');
    });
    expect(valueOf(await readRecords(store, run.run_id))).toHaveLength(2);
    expect(closing.mock.calls.length).toBeGreaterThan(1);
    await store.close();
  });

  test('a connection that closes during a write loses no record and writes no record twice', async () => {
    const name = newName();
    const connection = connect(name);
    const writer = new Writer(connection);
    for (let n = 0; n < run.batches.length; n++) {
      const db = valueOf(await connection.get());
      const done = writer.append(appendAt(n), 'relaxed');
      // The connection closes before, within or behind the transaction.
      for (let turn = 0; turn < n * 3; turn++) await Promise.resolve();
      db.close();
      expect((await done).ok, `batch ${n}`).toBe(true);
    }
    connection.drop();
    const store = valueOf(await openDatabaseStore(name));
    expect(valueOf(await readRecords(store, run.run_id))).toHaveLength(33);
    await store.close();
  });

  test('a connection that fails on each of three tries is refused with store_lost', async () => {
    const store = valueOf(await openDatabaseStore(newName()));
    vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(() => {
      throw new DOMException('Connection to Indexed Database server lost', 'UnknownError');
    });
    expect(await store.append(appendAt(0), 'relaxed')).toMatchObject({
      ok: false,
      refusal: { code: 'store_lost', details: { reason: 'UnknownError' } },
    });
    expect(await store.runs()).toMatchObject({ ok: false, refusal: { code: 'store_lost' } });
    vi.restoreAllMocks();
    expect(codeOf(await store.append(appendAt(0), 'relaxed'))).toBe('ok');
    await store.close();
  });
});

describe('a browser that cannot open its files at the moment', () => {
  const fail = (): never => {
    throw new DOMException('Internal error opening backing store for indexedDB.open.', 'UnknownError');
  };

  test('an opening that fails twice is repeated, and its database has its records', async () => {
    const name = newName();
    const before = valueOf(await openDatabaseStore(name));
    valueOf(await before.append(appendAt(0), 'strict'));
    await before.close();
    const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(fail).mockImplementationOnce(fail);
    const store = valueOf(await openDatabaseStore(name));
    expect(open.mock.calls.length).toBeGreaterThan(2);
    expect(valueOf(await readRecords(store, run.run_id))).toHaveLength(2);
    await store.close();
  });

  test('a deletion that fails once is repeated', async () => {
    const name = newName();
    (await openRaw(name)).close();
    vi.spyOn(IDBFactory.prototype, 'deleteDatabase').mockImplementationOnce(fail);
    expect(await deleteDatabase(name)).toEqual(pass(undefined));
    expect((await indexedDB.databases()).map((each) => each.name)).not.toContain(name);
  });

  test('an opening that fails each time is refused with store_lost, and a later opening is tried again', async () => {
    const name = newName();
    vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(fail);
    const refused = { ok: false, refusal: { code: 'store_lost', details: { reason: 'UnknownError' } } };
    expect(await openDatabaseStore(name)).toMatchObject(refused);
    vi.restoreAllMocks();
    const store = valueOf(await openDatabaseStore(name));
    expect(codeOf(await store.append(appendAt(0), 'relaxed'))).toBe('ok');
    await store.close();
  });
});

describe('another tab', () => {
  test('an append is refused with log_lost after another tab has deleted the database', async () => {
    const name = newName();
    const store = valueOf(await openDatabaseStore(name));
    for (const n of [0, 1]) valueOf(await store.append(appendAt(n), 'relaxed'));
    await deleted(name);
    expect(codeOf(await store.append(appendAt(2), 'relaxed'))).toBe('log_lost');
    await store.close();
  });

  test('an append is refused with log_lost after another tab has emptied the log', async () => {
    const name = newName();
    const store = valueOf(await openDatabaseStore(name));
    for (const n of [0, 1]) valueOf(await store.append(appendAt(n), 'relaxed'));
    const other = await openDB(name);
    await other.clear('batches');
    other.close();
    expect(codeOf(await store.append(appendAt(2), 'relaxed'))).toBe('log_lost');
    expect(valueOf(await store.head()).size).toBe(0);
    await store.close();
  });

  test('a store closes at once for a newer version in another tab, and then refuses with store_newer', async () => {
    const name = newName();
    const store = valueOf(await openDatabaseStore(name));
    valueOf(await store.append(appendAt(0), 'relaxed'));
    const newer = await openDB(name, 99);
    expect(codeOf(await store.append(appendAt(1), 'relaxed'))).toBe('store_newer');
    expect(await openDatabaseStore(name)).toMatchObject({ ok: false, refusal: { code: 'store_newer' } });
    newer.close();
    await store.close();
  });

  test('opening a database whose deletion another tab holds back is refused with store_blocked', async () => {
    const name = newName();
    const holding = await openRaw(name);
    const deletion = deleted(name);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const opening = openDatabaseStore(name);
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(await opening).toMatchObject({ ok: false, refusal: { code: 'store_blocked' } });
    vi.useRealTimers();
    holding.close();
    await deletion;
    const store = valueOf(await openDatabaseStore(name));
    expect(codeOf(await store.append(appendAt(0), 'relaxed'))).toBe('ok');
    await store.close();
  });
});

test('a transaction has the durability that the append asked for', async () => {
  const store = valueOf(await openDatabaseStore(newName()));
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction');
  for (const n of [0, 1, 2, 3]) valueOf(await store.append(appendAt(n), n % 2 === 0 ? 'strict' : 'relaxed'));
  expect(transaction.mock.results.map((result) => (result.value as IDBTransaction).durability)).toEqual([
    'strict',
    'relaxed',
    'strict',
    'relaxed',
  ]);
  await store.close();
});

test('an append behind a head of this store costs a single transaction and reads no batch', async () => {
  const store = valueOf(await openDatabaseStore(newName()));
  valueOf(await store.append(appendAt(0), 'relaxed'));
  const reads = [
    vi.spyOn(IDBObjectStore.prototype, 'openCursor'),
    vi.spyOn(IDBIndex.prototype, 'openCursor'),
    vi.spyOn(IDBObjectStore.prototype, 'get'),
  ];
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction');
  for (const n of [1, 2, 3]) valueOf(await store.append(appendAt(n), 'relaxed'));
  expect(transaction).toHaveBeenCalledTimes(3);
  for (const read of reads) expect(read).not.toHaveBeenCalled();
  await store.close();
});

test('a payload of a long run is found without a request for each of its batches', async () => {
  const store = valueOf(await openDatabaseStore(newName()));
  const long = sampleRun(2, 120);
  for (const n of long.batches.keys()) valueOf(await store.append(appendAt(n, long), 'relaxed'));
  const requests = [
    vi.spyOn(IDBIndex.prototype, 'getAll'),
    vi.spyOn(IDBIndex.prototype, 'openKeyCursor'),
    vi.spyOn(IDBIndex.prototype, 'openCursor'),
    vi.spyOn(IDBCursor.prototype, 'continue'),
  ];
  const count = (): number => requests.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const places = long.batches.flatMap(({ expected, payloads }) =>
    payloads.map((payload) => ({ ...payload, upTo: expected.records })),
  );
  const [first, last] = [places[0], places.at(-1)];
  for (const each of [first, last]) {
    const before = count();
    const found = valueOf(await store.payload(long.run_id, String(each?.sha256)));
    expect(found).toEqual(each?.bytes);
    expect(count() - before).toBeLessThan(8);
  }
  const known = count();
  expect(valueOf(await store.payload(long.run_id, String(first?.sha256), first?.upTo))).toEqual(first?.bytes);
  expect(count() - known).toBe(2);
  // searched from its own batch on, and not before it
  expect(valueOf(await store.payload(long.run_id, String(last?.sha256), last?.upTo))).toEqual(last?.bytes);
  expect(valueOf(await store.payload(long.run_id, String(last?.sha256), 1))).toBeUndefined();
  expect(valueOf(await store.payload(long.run_id, 'f'.repeat(64)))).toBeUndefined();
  await store.close();
});

test('appends that come during a commit share the next commit, which is strict if any of them is', async () => {
  const store = valueOf(await openDatabaseStore(newName()));
  const transaction = vi.spyOn(IDBDatabase.prototype, 'transaction');
  const long = sampleRun(2, 30);
  const appends = long.batches.map((_, n) => store.append(appendAt(n, long), n === 5 ? 'strict' : 'relaxed'));
  for (const done of await Promise.all(appends)) expect(done.ok).toBe(true);
  const asked = transaction.mock.results.map((result) => (result.value as IDBTransaction).durability);
  // The first append commits alone. Later appends commit sixteen at a time.
  expect(asked).toEqual(['relaxed', 'strict', 'relaxed']);
  expect(valueOf(await readRecords(store, long.run_id))).toHaveLength(153);
  await store.close();
});

test('a commit whose copy was refused is refused, and its repetition is copied again', async () => {
  const answers = [refuse('mirror_lost', { reason: 'gone' }), pass(undefined)];
  const copied: number[] = [];
  const store = valueOf(
    await openDatabaseStore(newName(), async (committed) => {
      copied.push(...committed.map(({ batch }) => batch.seq));
      return answers.shift() ?? pass(undefined);
    }),
  );
  expect(codeOf(await store.append(appendAt(0), 'strict'))).toBe('mirror_lost');
  expect(codeOf(await store.append(appendAt(0), 'strict'))).toBe('ok');
  expect(copied).toEqual([0, 0]);
  expect(valueOf(await readRecords(store, run.run_id))).toHaveLength(2);
  await store.close();
});

test('the callback after a commit ends before the answer, and receives the stored batch', async () => {
  const seen: number[] = [];
  const store = valueOf(
    await openDatabaseStore(newName(), async ([committed], durability) => {
      const { batch } = committed ?? (undefined as never);
      await new Promise((resolve) => setTimeout(resolve, 5));
      seen.push(batch.seq);
      expect(durability).toBe('strict');
      expect(batch.records.length).toBe(batch.after.log.size - batch.seq);
      return pass(undefined);
    }),
  );
  for (const n of [0, 1]) {
    valueOf(await store.append(appendAt(n), 'strict'));
    expect(seen).toHaveLength(n + 1);
  }
  expect(codeOf(await store.append({ ...appendAt(3) }, 'strict'))).toBe('head_moved');
  expect(seen).toEqual([0, 2]);
  await store.close();
});

function openRaw(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('open')));
  });
}

function deleted(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.addEventListener('success', () => resolve());
    request.addEventListener('error', () => reject(request.error ?? new Error('delete')));
  });
}

test('opening is refused with store_absent in a browser that forbids stored data', async () => {
  vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  });
  expect(await openDatabaseStore(newName())).toMatchObject({ ok: false, refusal: { code: 'store_absent' } });
});

test('a frame that is denied its storage is told so at once, with the words of the browser', async () => {
  const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementation(() => {
    throw new DOMException('The user denied permission to access the database.', 'UnknownError');
  });
  const refused = await openDatabaseStore(newName());
  expect(refused).toMatchObject({
    ok: false,
    refusal: {
      code: 'store_absent',
      message: expect.stringContaining(
        'denies the page its storage: The user denied permission to access the database.',
      ),
    },
  });
  expect(open).toHaveBeenCalledOnce();
  open.mockRestore();
});
