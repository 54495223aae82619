import { beforeAll, describe, expect, test } from 'vitest';
import { hashText, sha256Text } from '../../../core/hash.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { formatCheckpoint, formatKey, signedNote } from '../../../core/ledger/checkpoint.ts';
import { tileFiles } from '../../../core/ledger/tiles.ts';
import { merkleRootOf } from '../../../core/ledger/tree.ts';
import { makeSigner, type Signer, takeCheckpoint } from '../../../workers/auditor/checkpoint.ts';
import { compareCheckpoints } from '../../../workers/auditor/compare-checkpoints.ts';
import { openMemoryStore } from '../../../workers/store/memory/store.ts';
import { sampleRun } from '../../core/ledger/sample.ts';
import { valueOf } from '../store/store-suite.ts';

const ORIGIN = 'example.org/device-1';
const LOG = Array.from({ length: 700 }, (_, nth) => sha256Text(`record ${nth}`));
/** The log of a device that has written its record 100 anew, and all behind it. */
const OTHER = LOG.map((hash, nth) => (nth < 100 ? hash : sha256Text(`other ${hash}`)));

const textAt = (size: number, log: readonly string[] = LOG, origin = ORIGIN) =>
  formatCheckpoint({ origin, size, root: hashText(merkleRootOf(log.slice(0, size))), runs: [] });
const filesOf = (size: number, log: readonly string[] = LOG) =>
  new Map([...tileFiles(log.slice(0, size))].map(({ path, bytes }) => [path, bytes]));
const reading = (files: ReadonlyMap<string, Uint8Array>) => async (path: string) => files.get(path);
const compare = (texts: readonly string[], files = filesOf(LOG.length), key?: string) =>
  compareCheckpoints(texts, { read: reading(files), ...(key !== undefined && { key }) });
const refused = (code: string, message?: unknown) => ({
  ok: false,
  refusal: { code, ...(message !== undefined && { message }) },
});

async function signed(text: string, signer: Signer): Promise<string> {
  return signedNote(text, signer, await signer.sign(encodeText(text)));
}
const signerOf = async (name: string) => (await makeSigner(name)) as Signer;

describe('checkpoints of one log', () => {
  test('checkpoints of a log that has grown are accepted, with its newest size and root', async () => {
    const sizes = [0, 1, 99, 100, 256, 256, 257, 511, 512, 513, 700];
    expect(await compare(sizes.map((size) => textAt(size)))).toEqual({
      ok: true,
      value: { origin: ORIGIN, size: 700, root: hashText(merkleRootOf(LOG)), checkpoints: 11 },
    });
  });

  test('tiles of a log that has grown further prove its earlier checkpoints', async () => {
    // a publisher removes a narrow tile when the full tile is there
    const files = new Map([...filesOf(300), ...filesOf(700)]);
    expect(files.delete('tile/0/001.p/44')).toBe(true);
    expect(await compare([textAt(100), textAt(300)], files)).toMatchObject({ ok: true, value: { size: 300 } });
  });

  test('a checkpoint alone needs no tile', async () => {
    expect(await compare([textAt(12)], new Map())).toMatchObject({ ok: true, value: { checkpoints: 1 } });
  });
});

describe('checkpoints that no log has', () => {
  test('a log that became shorter is refused with log_rolled_back', async () => {
    expect(await compare([textAt(300), textAt(299)])).toMatchObject({
      ok: false,
      refusal: { code: 'log_rolled_back', details: { earlier: 300, size: 299 } },
    });
  });

  test('a record that was rewritten is refused with log_forked', async () => {
    const texts = [textAt(101), textAt(700, OTHER)];
    expect(await compare(texts, filesOf(700, OTHER))).toMatchObject(refused('log_forked'));
  });

  test('the beginning that two logs share is accepted by both', async () => {
    for (const log of [LOG, OTHER])
      expect(await compare([textAt(100), textAt(700, log)], filesOf(700, log))).toMatchObject({ ok: true });
  });

  test('two roots of one size are refused with log_forked, without any tile', async () => {
    expect(await compare([textAt(300), textAt(300, OTHER)], new Map())).toMatchObject(refused('log_forked'));
  });

  test('checkpoints of two origins are refused with log_forked', async () => {
    const texts = [textAt(3), textAt(4, LOG, 'example.org/device-2')];
    expect(await compare(texts)).toMatchObject(refused('log_forked'));
  });

  test('an empty log with another root is refused with checkpoint_malformed', async () => {
    const text = formatCheckpoint({ origin: ORIGIN, size: 0, root: 'ab'.repeat(32), runs: [] });
    expect(await compare([text])).toMatchObject(refused('checkpoint_malformed'));
  });
});

describe('tiles that prove nothing', () => {
  const texts = [textAt(100), textAt(700)];

  test('a tile that is missing is refused with tiles_malformed', async () => {
    const files = filesOf(700);
    files.delete('tile/0/000');
    expect(await compare(texts, files)).toMatchObject(
      refused('tiles_malformed', expect.stringContaining('tile/0/000')),
    );
  });

  test('a tile with one altered byte is refused with tiles_malformed, and not called a fork', async () => {
    for (const path of ['tile/0/000', 'tile/1/000.p/2', 'tile/0/002.p/188']) {
      const files = filesOf(700);
      const bytes = (files.get(path) as Uint8Array).slice();
      bytes[40] = (bytes[40] as number) ^ 1;
      expect(await compare(texts, files.set(path, bytes))).toMatchObject(refused('tiles_malformed'));
    }
  });

  test('tiles of another log are refused with tiles_malformed', async () => {
    expect(await compare(texts, filesOf(700, OTHER))).toMatchObject(refused('tiles_malformed'));
  });
});

describe('signatures', () => {
  test('a checkpoint with the signature of the key is accepted, with signatures of witnesses beside it', async () => {
    const signer = await signerOf(ORIGIN);
    const witness = await signerOf('witness.example');
    const note = await signed(textAt(5), signer);
    const [line = ''] = (await signed(textAt(5), witness)).split('\n\n').slice(1);
    expect(await compare([note, note + line], undefined, formatKey(signer))).toMatchObject({ ok: true });
  });

  test('a checkpoint without the signature of the key is refused with checkpoint_unsigned', async () => {
    const [signer, other] = [await signerOf(ORIGIN), await signerOf(ORIGIN)];
    const good = await signed(textAt(5), signer);
    const key = formatKey(signer);
    for (const bad of [textAt(6), await signed(textAt(6), other)])
      expect(await compare([good, bad], undefined, key)).toMatchObject(refused('checkpoint_unsigned'));
    const moved = textAt(6) + good.slice(good.indexOf('\n\n') + 1);
    expect(await compare([moved], undefined, key)).toMatchObject(refused('checkpoint_unsigned'));
  });
});

describe('a store', () => {
  const store = openMemoryStore();
  const texts: string[] = [];
  beforeAll(async () => {
    for (const run of [sampleRun(1, 2), sampleRun(2, 2)]) {
      for (const batch of run.batches) valueOf(await store.append({ run_id: run.run_id, ...batch }, 'strict'));
      texts.push(valueOf(await takeCheckpoint(store, undefined, ORIGIN)).text);
    }
  });

  test('checkpoints that the log of a store has grown out of are accepted', async () => {
    expect(await compareCheckpoints(texts, { store })).toMatchObject({ ok: true, value: { checkpoints: 2 } });
    expect(await compareCheckpoints(texts.slice(0, 1), { store })).toMatchObject({ ok: true });
  });

  test('a store that has fewer records than a checkpoint is refused with log_rolled_back', async () => {
    const empty = openMemoryStore();
    expect(await compareCheckpoints(texts, { store: empty })).toMatchObject(refused('log_rolled_back'));
  });

  test('a store with another log is refused with log_forked', async () => {
    expect(await compareCheckpoints([textAt(2)], { store })).toMatchObject(refused('log_forked'));
  });
});

describe('options', () => {
  test.each([
    ['no checkpoint', [], {}],
    ['checkpoints that are no text', [1], {}],
    ['no reader', [textAt(1)], { read: undefined }],
    ['a key that is none', [textAt(1)], { key: 'example.org' }],
    ['a misspelt option', [textAt(1)], { tiles: 1 }],
    ['a store that is none', [textAt(1)], { store: {} }],
  ])('%s is refused', async (_, texts, more) => {
    const options = { read: async () => undefined, ...more } as never;
    await expect(compareCheckpoints(texts as string[], options)).rejects.toMatchObject({ code: 'option_invalid' });
  });

  test('a text that is no checkpoint is refused', async () => {
    expect(await compare(['hello'])).toMatchObject(refused('checkpoint_malformed'));
  });
});
