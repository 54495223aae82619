import { pass } from '../../core/outcome.ts';
import { createEngine, type Engine } from '../../sandbox/index.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import { PrivateFile } from '../../workers/store/page/private-file.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { oneRealm } from '../workers/sandbox/one-realm.ts';
import { withoutCalls } from './ablate.ts';
import { type Adding, BUILT_IN, WITH_EFFECT } from './adding.ts';
import { openLater } from './later.ts';
import { openHere, play } from './ours.ts';
import { median, race, type Side } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const STEPS = 40;

/** Takes a part out of every store, and returns how it comes back. */
type Removal = () => () => void;

/** Parts of a durable step, as `durable.ts` measures it: the whole, beside the same without one of its waits. */
export async function ablateDurable(wasm: Uint8Array, rounds: number): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  const waits = [
    ['the flushes of the private file', withoutFlushes],
    ['the wait for the index', withoutIndexWait],
    ['both waits', () => undone(withoutFlushes(), withoutIndexWait())],
  ] as const;
  return [
    ...rowsOf('durable step, pure, on disk', await race(await sides(engine, wasm, BUILT_IN, []), rounds)),
    ...rowsOf('durable step, write, on disk', await race(await sides(engine, wasm, WITH_EFFECT, waits), rounds)),
  ];
}

async function sides(
  engine: Engine,
  wasm: Uint8Array,
  adding: Adding,
  waits: readonly (readonly [name: string, removal: Removal])[],
): Promise<Side[]> {
  const side = async (
    name: string,
    store: LedgerStore,
    removal: Removal = () => () => undefined,
    sandbox?: Sandbox,
  ) => {
    const runtime = await openHere(engine, store, adding, await (sandbox ?? oneRealm({ wasm })));
    await play(runtime, adding, STEPS);
    const sample = async (): Promise<number> => {
      const restore = removal();
      try {
        return median((await play(runtime, adding, STEPS)).steps) * 1000;
      } finally {
        restore();
      }
    };
    return { name, sample };
  };
  const onDisk = () => openLater(`ablate-${crypto.randomUUID()}`);
  const whole = await side('the whole', await onDisk());
  const waiting: Side[] = [];
  for (const [name, removal] of waits) waiting.push(await side(name, await onDisk(), removal));
  return [
    whole,
    ...waiting,
    await side('the call of the guest', await onDisk(), undefined, withoutCalls(wasm)),
    await side('the disk: a store in memory', openMemoryStore()),
  ];
}

type Sandbox = ReturnType<typeof oneRealm>;

/** The part of the standard that some versions of `lib` lack. */
interface Handles {
  readonly FileSystemSyncAccessHandle: { readonly prototype: { flush: () => void } };
}

/** Private files are written, and not flushed. */
function withoutFlushes(): () => void {
  const { prototype } = (globalThis as unknown as Handles).FileSystemSyncAccessHandle;
  const { flush } = prototype;
  prototype.flush = () => undefined;
  return () => void Object.assign(prototype, { flush });
}

/** An append with an effect waits for the flush of its file alone: the index is filled behind it. */
function withoutIndexWait(): () => void {
  const { secure } = PrivateFile.prototype;
  PrivateFile.prototype.secure = async function (waiting) {
    await this.flush(waiting.batch?.run_id);
    return pass(undefined);
  };
  return () => void Object.assign(PrivateFile.prototype, { secure });
}

function undone(...all: readonly (() => void)[]): () => void {
  return () => {
    for (const each of all) each();
  };
}
