import { isDeepStrictEqual } from 'node:util';
import { batchesOfLog, batchesOfRun } from '../../../../../workers/store/directory/batches.ts';
import { DirectoryLog } from '../../../../../workers/store/directory/log.ts';
import { type DirectoryWitness, readWitness, witnessIn } from '../../../../../workers/store/directory/witness.ts';
import type { Append, Batch } from '../../../../../workers/store/store.ts';
import { must } from '../../../../bench/must.ts';
import { type SampleRun, sampleRun } from '../../../../core/ledger/sample.ts';
import { dice } from '../../../../dice.mjs';
import type { Cut } from './cut.ts';
import { BEGUN, Disk, never } from './disk.ts';

interface Moment {
  readonly found: Uint8Array;
  /** Bytes of the witness that the cut left. */
  readonly seen: Uint8Array;
  /** Number of batches that were appended, and number of batches that were acknowledged as flushed. */
  readonly asked: number;
  readonly sure: number;
  /** Whether the erasure was acknowledged. */
  readonly gone: boolean;
}

const runs: readonly SampleRun[] = [sampleRun(1, 8, false), sampleRun(2, 8, false)];
const appends: readonly Append[] = (runs[0]?.batches ?? []).flatMap((_, nth) =>
  runs.map(({ run_id, batches }) => ({ run_id, ...(batches[nth] as (typeof batches)[number]) })),
);
const ERASED = runs[0]?.run_id ?? '';
const without = (batch: Batch): Batch => (batch.run_id === ERASED ? { ...batch, payloads: [] } : batch);

/** Writes both runs, strict or relaxed by chance, erases payloads of the first run, and cuts the power at each step. */
async function moments(seed: number): Promise<readonly Moment[]> {
  const chance = dice(seed);
  const all: Moment[] = [];
  const now = { asked: 0, sure: 0, gone: false };
  const cut = () => {
    for (let way = 0; way < 3; way++) all.push({ found: disk.cut(chance), seen: witness.cut(chance), ...now });
  };
  const disk: Disk = new Disk(cut, BEGUN);
  const witness: Disk = new Disk(cut);
  const log = must(DirectoryLog.open(disk, never, witnessOver(witness)));
  for (const append of appends) {
    const strict = chance() < 0.4;
    now.asked++;
    must(await log.append(append, strict ? 'strict' : 'relaxed'));
    if (strict) now.sure = now.asked;
  }
  must(await log.replace([...batchesOfRun(log, ERASED)].map(without)));
  Object.assign(now, { sure: now.asked, gone: true });
  disk.before();
  return all;
}

const witnessOver = (disk: Disk): DirectoryWitness => witnessIn(readWitness(disk), () => disk);

const batchesOf = (log: DirectoryLog): Batch[] => [...batchesOfLog(log, 0, Number.POSITIVE_INFINITY)];

/** Batch that a reader may find: the whole batch, or the batch without its erased payloads. */
const oneOf = (batch: Batch | undefined, whole: Batch | undefined) =>
  batch?.payloads.length === 0 && whole !== undefined ? without(whole) : whole;

/** Complete log that the remains of a cut log are compared with. */
export interface Reference {
  readonly expected: readonly Batch[];
  /** Text that the erasure removes. */
  readonly secret: string;
}

export async function makeReference(): Promise<Reference> {
  const complete = must(DirectoryLog.open(new Disk(undefined, BEGUN), never));
  for (const append of appends) must(await complete.append(append, 'relaxed'));
  const expected = batchesOf(complete);
  const secrets = expected.flatMap(({ run_id, payloads }) =>
    run_id === ERASED ? payloads.map(({ bytes }) => text(bytes)) : [],
  );
  const [secret = ''] = secrets.filter((each) => each.includes('Task'));
  return { expected, secret };
}

/** Cuts the power at every write and flush of a log, and opens each log that remains. */
export async function* cutsOf(seed: number, reference: Reference): AsyncGenerator<Cut> {
  for (const moment of await moments(seed)) yield await opened(moment, reference).catch(unopened);
}

/** A log that does not open is a fault of its cut. The cuts after it are still played. */
function unopened(error: unknown): Cut {
  const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { unflushed: 0, witnessed: false, faults: [fault] };
}

/** Opens the log that a cut left, and checks it. Rejects when the log does not open. */
async function opened({ found, seen, asked, sure, gone }: Moment, { expected, secret }: Reference): Promise<Cut> {
  const [disk, witness] = [new Disk(undefined, found), new Disk(undefined, seen)];
  const witnessed = readWitness(witness) !== undefined;
  const log = must(DirectoryLog.open(disk, never, witnessOver(witness)));
  const there = batchesOf(log);
  const whole = there.map((batch, nth) => oneOf(batch, expected[nth]));
  const rules: { readonly [fault: string]: boolean } = {
    'what was acknowledged is gone': there.length >= sure,
    'there is more than was written': there.length <= asked,
    'a batch is there by half': isDeepStrictEqual(there, whole),
    'the tree is of another log': isDeepStrictEqual(log.log, expected[there.length - 1]?.after.log ?? log.log),
    'what was erased is there':
      !gone || (isDeepStrictEqual(there.map(without), there) && !text(found).includes(secret)),
    'the log does not go on': await goesOn(log, appends[there.length]),
  };
  const faults = Object.keys(rules).filter((fault) => rules[fault] !== true);
  return { unflushed: there.length - sure, witnessed, faults };
}

async function goesOn(log: DirectoryLog, next: Append | undefined): Promise<boolean> {
  return next === undefined || (await log.append(next, 'strict')).ok;
}

const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);
