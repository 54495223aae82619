import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { hashText } from '../../../core/hash.ts';
import { decodeBase64, encodeBase64 } from '../../../core/ledger/base64.ts';
import {
  type Checkpoint,
  formatCheckpoint,
  formatKey,
  parseCheckpoint,
  parseKey,
  signatureBy,
} from '../../../core/ledger/checkpoint.ts';
import { formatExport } from '../../../core/ledger/export.ts';
import { verifyExport } from '../../../core/ledger/verify.ts';
import { makeSealedSeed, seedSigner } from '../../../workers/auditor/browser-key.ts';
import { makeSigner, signatureFault, takeCheckpoint } from '../../../workers/auditor/checkpoint.ts';
import { fsck } from '../../../workers/auditor/fsck.ts';
import { emptyLog, openMemoryStore } from '../../../workers/store/memory/store.ts';
import { valueOf } from '../../workers/store/store-suite.ts';
import { type SampleRun, sampleRun } from './sample.ts';

const ROOT = 'ab'.repeat(32);
const LINE = { run_id: sampleRun(1, 0).run_id, count: 3, head: 'cd'.repeat(32) };
const PLAIN: Checkpoint = { origin: 'example.com/notes', size: 7, root: ROOT, runs: [LINE] };

const isEqual = (one: unknown, other: Uint8Array) => String(one) === String(other);
const textsOf = ({ batches }: SampleRun) => batches.flatMap(({ records }) => records.map(({ text }) => text));
const exported = (run: SampleRun, records = textsOf(run)) => formatExport(run.run_id, records, []);
const anchorOf = (text: string, anchor: string) => verifyExport(text, { anchor }).checks[3];

describe('base64', () => {
  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('encodeBase64 writes %j as %j (RFC 4648 10)', (text, base64) => {
    expect(encodeBase64(new TextEncoder().encode(text))).toBe(base64);
  });

  test('decodeBase64 reads the output of encodeBase64 and refuses every other spelling', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => isEqual(decodeBase64(encodeBase64(bytes)), bytes)));
    for (const other of ['Zg', 'Zg=', 'Zh==', 'Zg==\n', 'Z g=', 'Zg==Zg==', '_-=='])
      expect(decodeBase64(other)).toBe(undefined);
  });
});

describe('the text of a checkpoint', () => {
  test('the text of a checkpoint is origin, size, root, and a line for each run (C2SP tlog-checkpoint)', () => {
    expect(formatCheckpoint(PLAIN)).toBe(
      `example.com/notes\n7\n${'q6ur'.repeat(10)}q6s=\nrun ${LINE.run_id} 3 ${LINE.head}\n`,
    );
    expect(valueOf(parseCheckpoint(formatCheckpoint(PLAIN)))).toMatchObject({ checkpoint: PLAIN, signatures: [] });
  });

  test('the line of a run that a backup brought ends with foreign', () => {
    const foreign = { ...PLAIN, runs: [{ ...LINE, foreign: true }] } as const;
    expect(formatCheckpoint(foreign)).toContain(` 3 ${LINE.head} foreign\n`);
    expect(valueOf(parseCheckpoint(formatCheckpoint(foreign)))).toMatchObject({ checkpoint: foreign });
  });

  test('the text of a checkpoint is refused in any other spelling', () => {
    const good = formatCheckpoint(PLAIN);
    const others = [
      '',
      good.replace(/(run .*)/, '$1 own'),
      good.replace(/(run .*)/, '$1 foreign foreign'),
      '\n',
      good.slice(0, -1),
      `${good}\n`,
      `${good}\nsigned: me\n`,
      good.replace('\n7\n', '\n07\n'),
      good.replace('\n7\n', '\n-7\n'),
      good.replace('=\n', '\n'),
      good.replace(' 3 ', ' 3.0 '),
      good.replace('run ', 'ran '),
      good.replace('example.com', 'example\u0000.com'),
      good.replaceAll('\n', '\r\n'),
    ];
    const refused = { ok: false, refusal: { code: 'checkpoint_malformed' } };
    for (const other of others) expect(parseCheckpoint(other), JSON.stringify(other)).toMatchObject(refused);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseCheckpoint(text).ok === 'boolean'));
  });
});

describe('a key', () => {
  test('a key is read and written in the form of golang.org/x/mod/sumdb/note', () => {
    const known = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    const key = parseKey(known);
    expect(key?.name).toBe('PeterNeumann');
    expect(key && formatKey(key)).toBe(known);
    expect(parseKey(known.replace('c74f20a3', 'c74f20a4'))).toBe(undefined);
  });

  const platforms = { 'with Ed25519': () => undefined, 'without Ed25519, where a library checks': withoutEd25519 };
  test.each(Object.entries(platforms))(
    'a signed checkpoint verifies, and a platform %s refuses any other text, key or signature',
    async (_, change) => {
      const store = openMemoryStore();
      const [platforms, librarys] = [
        await makeSigner('example.com'),
        seedSigner('example.com', await makeSealedSeed()),
      ];
      if (platforms === undefined) throw new Error('no Ed25519 here');
      const [one, two] = [await takeCheckpoint(store, platforms), await takeCheckpoint(store, librarys)].map(valueOf);
      const note = valueOf(parseCheckpoint(two?.text ?? ''));
      expect(hashText(signatureBy(note, librarys) ?? new Uint8Array())).toHaveLength(128);
      change();
      for (const [taken, other] of [[one, two] as const, [two, one] as const]) {
        const { text = '', key = '' } = taken ?? {};
        expect(await signatureFault(text, key)).toBe(undefined);
        expect(await signatureFault(text, other?.key ?? '')).toContain('not signed with this key');
        expect(await signatureFault(text.replace('\n0\n', '\n1\n'), key)).toContain('signature is not right');
        expect(await signatureFault({ count: 1, head: ROOT }, key)).toContain('only a checkpoint');
      }
    },
  );
});

function withoutEd25519(): void {
  const lacking = vi.spyOn(crypto.subtle, 'importKey');
  lacking.mockRejectedValue(new DOMException('Unrecognized algorithm name', 'NotSupportedError'));
}

afterEach(() => vi.restoreAllMocks());

describe('a saved checkpoint', () => {
  const [one, two] = [sampleRun(1, 3, false), sampleRun(2, 2)];

  async function logOf(...runs: readonly SampleRun[]) {
    const log = emptyLog();
    const store = openMemoryStore(log);
    for (const { run_id, batches } of runs)
      for (const batch of batches) valueOf(await store.append({ run_id, ...batch }, 'relaxed'));
    return { log, store };
  }

  test('a checkpoint is an anchor for every run in its log, also after the runs grow', async () => {
    const { text } = valueOf(await takeCheckpoint((await logOf(one, two)).store, undefined));
    for (const run of [one, two, sampleRun(1, 9, false)]) expect(anchorOf(exported(run), text)?.status).toBe('pass');
    expect(anchorOf(exported(sampleRun(3, 1)), text)?.first?.message).toContain('does not name this run');
  });

  test('a checkpoint disagrees with a run whose records were cut off or whose chain was written anew', async () => {
    const { text } = valueOf(await takeCheckpoint((await logOf(one, two)).store, undefined));
    expect(anchorOf(exported(one, textsOf(one).slice(0, -1)), text)?.status).toBe('fail');
    expect(anchorOf(exported(sampleRun(1, 2)), text)?.status).toBe('fail');
  });

  test('a checkpoint tells a whole log from a log that was cut, lost a run, or was written anew', async () => {
    const whole = await logOf(one, two);
    const { text } = valueOf(await takeCheckpoint(whole.store, undefined));
    expect(valueOf(await fsck(whole.store, { checkpoint: text }))).toMatchObject({ ok: true, size: 30, problems: [] });
    const later = sampleRun(4, 1);
    for (const batch of later.batches) valueOf(await whole.store.append({ run_id: later.run_id, ...batch }, 'relaxed'));
    expect(valueOf(await fsck(whole.store, { checkpoint: text }))).toMatchObject({ ok: true });
    const others = [[one], [two], [one, sampleRun(2, 1)], [two, one], [one, sampleRun(5, 2)]];
    for (const runs of others) {
      const report = valueOf(await fsck((await logOf(...runs)).store, { checkpoint: text }));
      expect([report.ok, report.problems[0]?.code]).toEqual([false, 'anchor_disagrees']);
      expect(report.runs.every((run) => run.report.ok)).toBe(true);
    }
  });

  test('fsck finds a missing batch and an altered record without a checkpoint', async () => {
    const hole = await logOf(one, two);
    hole.log.batches.splice(2, 1);
    expect(valueOf(await fsck(hole.store)).ok).toBe(false);
    const altered = await logOf(one, two);
    const batch = altered.log.batches[1];
    if (batch === undefined) throw new Error('no batch');
    altered.log.batches[1] = { ...batch, records: batch.records.map((text) => text.replace('"step":1', '"step":9')) };
    const report = valueOf(await fsck(altered.store));
    expect(report.runs.filter((run) => !run.report.ok)).toHaveLength(1);
  });
});
