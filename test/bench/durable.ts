import { createEngine, type Engine, loadCapability } from '../../sandbox/index.ts';
import { encodeFrame } from '../../workers/store/journal/frame.ts';
import { openRoot, opfsFolder } from '../../workers/store/page/opfs.ts';
import type { Batch, Durability, LedgerStore } from '../../workers/store/store.ts';
import { type Adding, BUILT_IN, WITH_EFFECT } from './adding.ts';
import { openLater } from './later.ts';
import { must } from './must.ts';
import { assertAdded, openHere, play } from './ours.ts';
import { median, race, type Side } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const STEPS = 40;
/** A bare append of Firefox is faster than that of Chromium, and its private files are slower. */
const PURE_MAX = navigator.userAgent.includes('Firefox') ? 1.2 : 0.7;

/** Steps whose records are on disk before the next proposal is requested, beside the bare cost of disk and guest. */
export async function durable(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  return [
    ...(await against(engine, rounds, BUILT_IN, ['relaxed'], PURE_MAX)),
    ...(await against(engine, rounds, WITH_EFFECT, ['strict', 'strict'], 0.6)),
  ];
}

async function against(
  engine: Engine,
  rounds: number,
  adding: Adding,
  durability: readonly Durability[],
  goal: number,
): Promise<Row[]> {
  const store = await openLater(`bench-${crypto.randomUUID()}`);
  const runtime = await openHere(engine, store, adding);
  const { run_id } = await play(runtime, adding, STEPS);
  await assertAdded(runtime, run_id, adding, STEPS);
  const batches = await stepOf(store, run_id, durability.length);
  const sides: Side[] = [
    { name: 'sallyport', sample: async () => median((await play(runtime, adding, STEPS)).steps) * 1000 },
    bare(engine, adding, batches, durability),
  ];
  const raced = await race(sides, rounds);
  await runtime.close();
  return rowsOf(`durable step, ${adding.definition.effect}, on disk`, raced, { ratio: goal });
}

/** The batches of a step in the middle of the run. The bare side writes the same sizes. */
async function stepOf(store: LedgerStore, run_id: string, count: number): Promise<readonly Batch[]> {
  const batches = must(await store.read(run_id));
  const middle = batches.findIndex(
    (batch, at) => at > batches.length / 2 && batch.records.some((text) => text.includes('"kind":"proposal"')),
  );
  return batches.slice(middle, middle + count);
}

/** The copy of the bare side, flushed behind each strict commit. */
async function openCopy() {
  const root = await openRoot();
  if (root === undefined) throw new Error('This browser has no private files.');
  const folder = await root.getDirectoryHandle(`bare-${crypto.randomUUID()}`, { create: true });
  const { file } = await opfsFolder(folder).claim();
  return file;
}

/**
 * One `add` in one transaction for each commit of a step, with a flushed copy behind a strict commit; and a call on a
 * fresh heap.
 */
function bare(
  engine: Engine,
  { definition, args }: Adding,
  batches: readonly Batch[],
  durability: readonly Durability[],
): Side {
  const opening = openBare(`bare-${crypto.randomUUID()}`);
  const loaded = loadCapability(engine, { name: 'add', source: definition.source });
  let seq = 0;
  const copying = openCopy();
  const copies = batches.map((batch) => encodeFrame({ batch, tables: [] }));
  const one = async (db: IDBDatabase, step: number) => {
    const call = loaded.prepare({ seed: step, now: step }).begin(JSON.stringify(args(step)));
    if (!call.done || !call.settled.ok) throw new Error('the bare call failed');
    for (const [at, how] of durability.entries()) {
      const batch = batches[at];
      await add(db, { ...batch, seq, run_seq: seq++ }, how);
      if (how === 'relaxed') continue;
      const copy = await copying;
      copy.write(copies[at] ?? new Uint8Array(), copy.size());
      await copy.flush();
    }
  };
  return {
    name: `${durability.map((how) => (how === 'strict' ? 'strict add + flushed copy' : 'relaxed add')).join(' + ')} + sandbox call`,
    async sample() {
      const db = await opening;
      const times: number[] = [];
      for (let step = 1; step <= STEPS; step++) {
        const start = performance.now();
        await one(db, step);
        times.push(performance.now() - start);
      }
      return median(times) * 1000;
    },
  };
}

/** The same store and index as the ledger's, without the ledger. */
function openBare(name: string): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      const batches = opening.result.createObjectStore('batches', { keyPath: 'seq' });
      batches.createIndex('run', ['run_id', 'run_seq'], { unique: true });
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

function add(db: IDBDatabase, value: object, durability: Durability): Promise<void> {
  return new Promise((resolve, reject) => {
    const tx = db.transaction('batches', 'readwrite', { durability });
    tx.objectStore('batches').add(value);
    tx.oncomplete = () => resolve();
    tx.onabort = () => reject(tx.error);
  });
}
