import { parentPort, workerData } from 'node:worker_threads';
import { createEngine, type Engine, heapHash, loadCapability } from '../../sandbox/index.ts';
import type { Pins } from '../../sandbox/pins.ts';
import type { Program } from './all-programs.ts';

/** Entry of a thread that runs one program after the other in one engine. A program that hangs hangs the thread. */
export interface LaneStart {
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly pins: Pins;
}

/** The end of a program: the kind of its outcome, the value of a good one, and whether the instance is sound behind it. */
export interface Ended {
  readonly end: string;
  readonly text?: string;
  readonly fuel: number;
  /** The instance did not trap, and the next call starts from the image. */
  readonly isSound: boolean;
}

const { wasm, pins } = workerData as LaneStart;
const engine = await createEngine({ wasm }, pins);
parentPort?.on('message', (program: Program) => parentPort?.postMessage(runProgram(engine, program)));
parentPort?.postMessage('ready');

function runProgram(made: Engine, { source, limits }: Program): Ended {
  const { realm, imageHash, ...loaded } = loadOf(made, source, limits);
  const give = realm.give.bind(realm);
  let isSound = true;
  realm.give = (instance) => {
    isSound &&= !instance.dead;
    give(instance);
  };
  const step = loaded.prepare().begin('{}');
  if (!step.done) throw new Error('a program asks for no power');
  const { settled } = step;
  const next = realm.take();
  isSound &&= heapHash(next.bytes) === imageHash;
  give(next);
  const { fuel } = settled;
  return settled.ok ? { end: 'ok', text: settled.text, fuel, isSound } : { end: settled.kind, fuel, isSound };
}

function loadOf(made: Engine, source: string, limits: Program['limits']) {
  const loaded = loadCapability(made, { name: 'program', source, limits });
  const prepare = () => loaded.prepare({ seed: 7, now: 1.7e12 });
  return { realm: loaded.realm, imageHash: loaded.imageHash, prepare };
}
