import { expect, test } from 'vitest';
import { DirectoryLog } from '../../workers/directory/log.ts';
import { readWitness, type Witness, witnessIn } from '../../workers/directory/witness.ts';
import { openChain } from '../../workers/journal/chain.ts';
import type { ByteFile } from '../../workers/journal/file.ts';
import { encodeFrame } from '../../workers/journal/frame.ts';
import { appendFrames } from '../../workers/journal/journal.ts';
import type { Append, Batch } from '../../workers/store.ts';
import { type SampleRun, sampleRun } from '../ledger/sample.ts';
import { valueOf } from './store-suite.ts';

// What a disk may hold after the power went: all that was flushed, and of what was written since any sectors, in no order.

const SECTOR = 512;

type Write = { readonly at: number; readonly bytes: Uint8Array } | { readonly size: number };

/** A file over a disk that writes when it likes. `before` is called whenever something is about to reach it. */
class Disk implements ByteFile {
  bytes: Uint8Array = new Uint8Array();
  flushed: Uint8Array = new Uint8Array();
  pending: Write[] = [];
  readonly before: () => void;

  constructor(before: () => void = () => undefined, bytes: Uint8Array = new Uint8Array()) {
    this.before = before;
    this.bytes = bytes;
    this.flushed = bytes;
  }

  size(): number {
    return this.bytes.length;
  }
  read(into: Uint8Array, at: number): number {
    const part = this.bytes.subarray(at, at + into.length);
    into.set(part);
    return part.length;
  }
  write(bytes: Uint8Array, at: number): void {
    this.before();
    this.pending.push({ at, bytes: bytes.slice() });
    this.bytes = written(this.bytes, at, bytes);
  }
  truncate(size: number): void {
    this.before();
    this.pending.push({ size });
    this.bytes = this.bytes.slice(0, size);
  }
  async flush(): Promise<void> {
    const [bytes, count] = [this.bytes, this.pending.length];
    this.before();
    await Promise.resolve();
    this.before();
    this.flushed = bytes;
    this.pending = this.pending.slice(count);
  }
  close(): void {}

  /** What another start may find. */
  cut(chance: () => number): Uint8Array {
    // sometimes all of it had come through, sometimes nearly
    const likely = [0.5, 0.9, 1][Math.floor(chance() * 3)] ?? 1;
    let found = this.flushed;
    for (const write of this.pending) {
      if ('size' in write) {
        found = found.slice(0, write.size);
        continue;
      }
      // a file may have grown before what is in it was written
      if (chance() < 0.5) found = written(found, write.at + write.bytes.length, new Uint8Array());
      for (let from = write.at; from < write.at + write.bytes.length; ) {
        const to = Math.min((Math.floor(from / SECTOR) + 1) * SECTOR, write.at + write.bytes.length);
        if (chance() < likely) found = written(found, from, write.bytes.subarray(from - write.at, to - write.at));
        from = to;
      }
    }
    return found;
  }
}

function written(file: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const grown = new Uint8Array(Math.max(file.length, at + bytes.length));
  grown.set(file);
  grown.set(bytes, at);
  return grown;
}

/** The same numbers in every run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Moment {
  readonly found: Uint8Array;
  /** What is left of the witness. */
  readonly seen: Uint8Array;
  /** How many batches were asked to be written, and how many of them were acknowledged as on the disk. */
  readonly asked: number;
  readonly sure: number;
  /** What is said to be erased. */
  readonly gone: boolean;
}

const runs: readonly SampleRun[] = [sampleRun(1, 8, false), sampleRun(2, 8, false)];
const appends: readonly Append[] = (runs[0]?.batches ?? []).flatMap((_, nth) =>
  runs.map(({ run_id, batches }) => ({ run_id, ...(batches[nth] as (typeof batches)[number]) })),
);
const ERASED = runs[0]?.run_id ?? '';
const without = (batch: Batch): Batch => (batch.run_id === ERASED ? { ...batch, payloads: [] } : batch);

/** Writes both runs, each batch strictly or not, erases what one of them names, and cuts the power all the time. */
async function moments(seed: number): Promise<readonly Moment[]> {
  const chance = numbers(seed);
  const all: Moment[] = [];
  const now = { asked: 0, sure: 0, gone: false };
  const cut = () => {
    for (let way = 0; way < 3; way++) all.push({ found: disk.cut(chance), seen: witness.cut(chance), ...now });
  };
  const disk: Disk = new Disk(cut, BEGUN);
  const witness: Disk = new Disk(cut);
  const log = valueOf(DirectoryLog.open(disk, never, witnessOver(witness)));
  for (const append of appends) {
    const strict = chance() < 0.4;
    now.asked++;
    valueOf(await log.append(append, strict ? 'strict' : 'relaxed'));
    if (strict) now.sure = now.asked;
  }
  valueOf(await log.replace([...log.batches(ERASED)].map(without)));
  Object.assign(now, { sure: now.asked, gone: true });
  disk.before();
  return all;
}

/** A file comes into being with its first frame in it, and under its name when that is on the disk. */
const BEGUN = encodeFrame({ tables: [], began: 'this file', flushed: 0 });

const witnessOver = (disk: Disk): Witness => witnessIn(readWitness(disk), () => disk);

/** There is no room for a new file: everything has to come out right in the old one. */
const never = (): never => {
  throw new Error('no room');
};

const batchesOf = (log: DirectoryLog): Batch[] => [...log.ofLog(0, Number.POSITIVE_INFINITY)];

/** What a reader may have of a batch: all of it, or what an erasure leaves. */
const oneOf = (batch: Batch | undefined, whole: Batch | undefined) =>
  batch?.payloads.length === 0 && whole !== undefined ? without(whole) : whole;

/** `SALLYPORT_SEED=random` looks for what nobody has seen yet. */
const SEEDS =
  process.env['SALLYPORT_SEED'] === 'random' ? Array.from({ length: 15 }, () => Math.random() * 2 ** 32) : [1, 2];

test('a power cut takes nothing that was acknowledged as on the disk, and leaves nothing half', async () => {
  const complete = valueOf(DirectoryLog.open(new Disk(undefined, BEGUN), never));
  for (const append of appends) valueOf(await complete.append(append, 'relaxed'));
  const expected = batchesOf(complete);
  const secrets = expected.flatMap(({ run_id, payloads }) =>
    run_id === ERASED ? payloads.map(({ bytes }) => text(bytes)) : [],
  );
  const [secret = ''] = secrets.filter((each) => each.includes('Task'));
  const more = new Set<number>();
  let witnessed = 0;
  for (const seed of SEEDS) {
    for (const { found, seen, asked, sure, gone } of await moments(seed)) {
      const [disk, witness] = [new Disk(undefined, found), new Disk(undefined, seen)];
      if (readWitness(witness) !== undefined) witnessed++;
      const log = valueOf(DirectoryLog.open(disk, never, witnessOver(witness)));
      const there = batchesOf(log);
      more.add(there.length - sure);
      expect([there.length >= sure, there.length <= asked], `seed ${seed}`).toEqual([true, true]);
      expect(there).toEqual(there.map((batch, nth) => oneOf(batch, expected[nth])));
      expect(log.log).toEqual(expected[there.length - 1]?.after.log ?? log.log);
      if (gone) expect([there.map(without), text(found).includes(secret)]).toEqual([there, false]);
      // and it goes on
      const next = appends[there.length];
      if (next !== undefined) expect((await log.append(next, 'strict')).ok).toBe(true);
    }
  }
  expect(witnessed).toBeGreaterThan(50);
  // Of what was not flushed something came through, and something did not.
  expect([more.has(0), Math.max(...more) > 1]).toEqual([true, true]);
});

test('rows that were written part by part are there all together or not at all', async () => {
  const chance = numbers(1);
  const all: { readonly found: Uint8Array; readonly sure: boolean }[] = [];
  let sure = false;
  const disk: Disk = new Disk(() => {
    for (let way = 0; way < 10; way++) all.push({ found: disk.cut(chance), sure });
  }, BEGUN);
  appendFrames(disk, [{ tables: [{ table: 'kept', key: 'before', value: 1 }], flushed: 0 }]);
  const chain = openChain(disk, { flushed: 0 });
  for (const key of ['a', 'b', 'c', 'd']) await chain.add([{ table: 'kept', key, value: key.repeat(700) }]);
  await chain.end();
  sure = true;
  disk.before();
  const sizes = new Set<number>();
  for (const moment of all) {
    const { kept } = valueOf(DirectoryLog.open(new Disk(undefined, moment.found), never)).contents.tables;
    sizes.add(kept.size);
    if (moment.sure) expect(kept.size).toBe(5);
  }
  expect(sizes).toEqual(new Set([0, 1, 5]));
});

const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);
