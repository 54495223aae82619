import { beforeEach, describe, expect, test } from 'vitest';
import { parseCheckpoint, type TileFile } from '../../../core/index.ts';
import { compareCheckpoints, makeLogKey, publishLog } from '../../../workers/node.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { sampleRun } from '../../core/ledger/sample.ts';
import { valueOf } from '../store/store-suite.ts';

const ORIGIN = 'example.org/tenant-7';
const key = makeLogKey(ORIGIN);

let files: Map<string, Uint8Array>;
let order: string[];
let place: { read(path: string): Promise<Uint8Array | undefined>; write(file: TileFile): Promise<void> };
beforeEach(() => {
  files = new Map();
  order = [];
  place = {
    read: async (path) => files.get(path),
    write: async ({ path, bytes }) => {
      files.set(path, bytes);
      order.push(path);
    },
  };
});

async function storeWith(...runs: readonly number[]) {
  const store = openMemoryStore();
  await add(store, ...runs);
  return store;
}

async function add(store: ReturnType<typeof openMemoryStore>, ...runs: readonly number[]): Promise<void> {
  for (const nth of runs) {
    const { run_id, batches } = sampleRun(nth, 3);
    for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'strict'));
  }
}

describe('a log in a bucket', () => {
  test('the checkpoint is written last, and later checkpoints are of the same log', async () => {
    const store = await storeWith(1);
    const first = valueOf(await publishLog(store, { key, ...place }));
    expect(order.at(-1)).toBe('checkpoint');
    expect(first).toMatchObject({ origin: ORIGIN, files: order.length });
    await add(store, 2, 3);
    const second = valueOf(await publishLog(store, { key, ...place }));
    expect(second.size).toBeGreaterThan(first.size);
    const read = place.read;
    expect(await compareCheckpoints([first.text, second.text], { read, key: first.key })).toMatchObject({ ok: true });
    expect(parseCheckpoint(second.text)).toMatchObject({ ok: true, value: { checkpoint: { root: second.root } } });
  });

  test('a log that has not grown out of the published log is refused, and no file is written', async () => {
    valueOf(await publishLog(await storeWith(1, 2), { key, ...place }));
    order = [];
    const shorter = await publishLog(await storeWith(1), { key, ...place });
    const other = await publishLog(await storeWith(3, 1, 2), { key, ...place });
    expect([shorter, other]).toMatchObject([
      { ok: false, refusal: { code: 'log_rolled_back' } },
      { ok: false, refusal: { code: 'log_forked' } },
    ]);
    expect(order).toEqual([]);
  });

  test('a log without records is published as an empty log', async () => {
    expect(valueOf(await publishLog(await storeWith(), { key, ...place }))).toMatchObject({ size: 0, files: 1 });
    valueOf(await publishLog(await storeWith(1), { key, ...place }));
  });

  test('signatures that witnesses have added stay while the log does not grow', async () => {
    const store = await storeWith(1);
    const { text } = valueOf(await publishLog(store, { key, ...place }));
    const signed = `${text}— witness.example AAAAAAAA\n`;
    files.set('checkpoint', new TextEncoder().encode(signed));
    expect(valueOf(await publishLog(store, { key, ...place }))).toMatchObject({ text: signed, files: 0 });
  });
});

describe('options', () => {
  test.each([
    ['no key', { key: undefined }],
    ['a public key', { key: `${ORIGIN}+00000000+AAAA` }],
    ['a private key with another letter', { key: key.replace(ORIGIN, 'example.org/other') }],
    ['no writer', { write: undefined }],
    ['a misspelt option', { reed: 1 }],
  ])('%s is refused', async (_, more) => {
    const options = { key, ...place, ...more } as never;
    await expect(publishLog(await storeWith(1), options)).rejects.toMatchObject({ code: 'option_invalid' });
  });

  test('a store that is none, and an origin that is none, are refused', async () => {
    await expect(publishLog({} as never, { key, ...place })).rejects.toMatchObject({ code: 'option_invalid' });
    for (const origin of ['', 'two words', 'a+b', 7])
      expect(() => makeLogKey(origin as string)).toThrow(expect.objectContaining({ code: 'option_invalid' }));
  });
});
