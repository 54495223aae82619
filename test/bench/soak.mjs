// 100,000 calls that each try to leave something behind: `node --expose-gc test/bench/soak.mjs`.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runnerImport } from 'vite';

const CALLS = 100_000;
const SOURCE = `let calls = 0; const kept = [];
export default ({ n }) => {
  calls += 1; globalThis.leak = (globalThis.leak ?? 0) + 1; Array.prototype.evil = 1;
  for (let i = 0; i < n; i++) kept.push({ i });
  if (n % 7 === 0) JSON.stringify = () => 'forged';
  return [calls, leak, kept.length, Math.random(), typeof [].evil];
}`;

const wasm = await readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm'));
const { module } = await runnerImport(join(import.meta.dirname, '../../sandbox/index.ts'), { configFile: false });
const loaded = module.loadCapability(await module.createEngine({ wasm }), { name: 'soak', source: SOURCE });

const resident = () => {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
};
const before = resident();
const ends = new Map();
const start = performance.now();
for (let i = 0; i < CALLS; i++) {
  const n = i % 50;
  const end = JSON.stringify(loaded.prepare({ seed: 1, now: 0 }).begin(`{"n":${n}}`));
  if ((ends.get(n) ?? end) !== end) throw new Error(`call ${i} differs from an earlier one: ${end}`);
  ends.set(n, end);
}
const microseconds = ((performance.now() - start) * 1000) / CALLS;
const grown = resident() - before;
const instance = loaded.realm.take();
const pristine = module.heapHash(instance.bytes) === loaded.imageHash;
console.log(
  `${CALLS} calls, ${ends.size} distinct arguments with one result each, ${microseconds.toFixed(1)} µs a call,`,
  `memory ${before.toFixed(0)} MB and ${grown.toFixed(1)} more, wasm ${instance.bytes.length / 2 ** 20} MB, heap ${pristine ? 'pristine' : 'CHANGED'}`,
);
process.exitCode = pristine && grown < 32 ? 0 : 1;
