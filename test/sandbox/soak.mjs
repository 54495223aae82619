// `npm run test:long -- soak`: calls that each try to leave a trace in the sandbox.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { start } from '../../.scripts/long/command.mjs';
import { ROOT } from '../../.scripts/steps.mjs';

/** Calls between two looks at the clock and at an interruption. */
const BATCH = 500;
/** Distinct arguments: each has a single result. */
const ARGUMENTS = 50;
/** More resident memory than this at the end is a leak: a call that kept 400 bytes comes to it in 100,000 calls. */
const GROWN_MB_MAX = 32;

const SOURCE = `let calls = 0; const kept = [];
export default ({ n }) => {
  calls += 1; globalThis.leak = (globalThis.leak ?? 0) + 1; Array.prototype.evil = 1;
  for (let i = 0; i < n; i++) kept.push({ i });
  if (n % 7 === 0) JSON.stringify = () => 'forged';
  return [calls, leak, kept.length, Math.random(), typeof [].evil];
}`;

/** @param {import('../../.scripts/long/types.ts').Work} work */
async function run({ numbers, signal, report, progress, say }) {
  const { calls = 0 } = numbers;
  report({ calls: 0, arguments: 0, differing: 0, microseconds: 0 });
  progress(0, calls);
  const { loaded, heapHash } = await load();
  const before = residentMb();
  /** @type {Map<number, string>} */
  const ends = new Map();
  let differing = 0;
  let spentMs = 0;
  for (let done = 0; done < calls; await setImmediate()) {
    signal.throwIfAborted();
    const began = performance.now();
    for (const next = Math.min(done + BATCH, calls); done < next; done++)
      if (!isSame(ends, loaded, done % ARGUMENTS)) differing++;
    spentMs += performance.now() - began;
    progress(done, calls, `${differing} differing`);
    const microseconds = Math.round((spentMs * 10_000) / done) / 10;
    report({ calls: done, arguments: ends.size, differing, microseconds });
  }
  const grownMb = Math.round((residentMb() - before) * 10) / 10;
  const { bytes } = loaded.realm.take();
  const heapChanged = heapHash(bytes) === loaded.imageHash ? 0 : 1;
  const microseconds = Math.round((spentMs * 10_000) / calls) / 10;
  report({ calls, arguments: ends.size, differing, microseconds, grownMb, heapChanged });
  say(
    `${calls} calls, ${ends.size} distinct arguments, ${differing} calls with another result than the first of theirs, ` +
      `${microseconds} µs a call, memory ${before.toFixed(0)} MB and ${grownMb} more, ` +
      `wasm ${bytes.length / 2 ** 20} MB, heap ${heapChanged === 0 ? 'pristine' : 'CHANGED'}`,
  );
  return differing === 0 && heapChanged === 0 && grownMb < GROWN_MB_MAX;
}

async function load() {
  const { runnerImport } = await import('vite');
  const wasm = await readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
  /** @type {{module: any}} */
  const { module } = await runnerImport(join(ROOT, 'sandbox/index.ts'), { configFile: false });
  const loaded = module.loadCapability(await module.createEngine({ wasm }), { name: 'soak', source: SOURCE });
  return { loaded, heapHash: module.heapHash };
}

/** Makes a call, and compares its result with that of the first call of the same argument.
 * @param {Map<number, string>} ends @param {Awaited<ReturnType<typeof load>>['loaded']} loaded @param {number} n */
function isSame(ends, loaded, n) {
  const end = JSON.stringify(loaded.prepare({ seed: 1, now: 0 }).begin(`{"n":${n}}`));
  const first = ends.get(n);
  if (first === undefined) ends.set(n, end);
  return first === undefined || first === end;
}

/** Resident memory of this process after a full collection. */
function residentMb() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage.rss() / 2 ** 20;
}

await start({
  name: 'soak',
  summary: 'Makes calls that each pollute globals and prototypes, and compares results, memory and the heap.',
  numbers: { calls: { help: 'Calls to make.', min: 1, max: 1_000_000_000, default: 100_000 } },
  names: {},
  time: '100,000 calls take 10 seconds.',
  members: {
    calls: 'Calls that were made.',
    arguments: 'Distinct arguments among them.',
    differing: 'Calls with another result than the first call of the same argument.',
    microseconds: 'Time of a call.',
    grownMb: `Resident memory at the end beyond that at the start, in MB; ${GROWN_MB_MAX} fail the test.`,
    heapChanged: '1 where the heap before a call is no longer that of the image.',
  },
  run,
});
