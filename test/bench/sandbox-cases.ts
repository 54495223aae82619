import variant from '@jitl/quickjs-wasmfile-release-sync';
import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSHandle } from 'quickjs-emscripten-core';
import { createEngine, loadCapability } from '../../sandbox/index.ts';

/** A guest function as source, and one argument for it. */
interface Workload {
  readonly name: string;
  /** Statements that the function needs. */
  readonly library: string;
  /** A function expression. */
  readonly fn: string;
  readonly args: string;
}

/** A way to make one call; returns the JSON text of its result. */
export interface Contestant {
  readonly name: string;
  readonly call: () => string;
}

export interface Race {
  readonly workload: string;
  /** Ours comes first. */
  readonly contestants: readonly Contestant[];
}

const TRIVIAL: Workload = {
  name: 'trivial',
  library: '',
  fn: '({ a, b }) => ({ sum: a + b })',
  args: '{"a":20,"b":22}',
};

/** A library of 55 KB, and 9 KB of rows to be grouped with it. */
const MEDIUM: Workload = {
  name: 'medium',
  library: library(),
  fn: `(rows) => {
    const groups = {};
    for (const row of rows) {
      const group = (groups[row.group] ??= { n: 0, sum: 0, names: [] });
      group.n++;
      group.sum += row.value + LIBRARY['f' + (row.id % 300)](row.id, row.value);
      group.names.push(row.name.toUpperCase());
    }
    const out = Object.entries(groups).map(([k, v]) => ({
      group: k, n: v.n, mean: v.sum / v.n, names: v.names.sort().slice(0, 5), w: LIBRARY.index.get('key' + v.n)?.w ?? 0,
    }));
    return out.sort((a, b) => b.mean - a.mean || (a.group < b.group ? -1 : 1));
  }`,
  args: JSON.stringify(
    Array.from({ length: 118 }, (_, i) => ({
      id: (i * 13) % 997,
      name: `record number ${i}`,
      group: `g${i % 9}`,
      value: (i * 7919) % 1000,
      flag: i % 2 === 0,
    })),
  ),
};

function library(): string {
  const functions = Array.from(
    { length: 300 },
    (_, i) =>
      `T.f${i} = function f${i}(x, y) { let acc = ${i}; for (let k = 0; k < (x & 7); k++) { acc = (acc * 31 + k + ${i * 7}) | 0; if (acc % 3 === 0) acc ^= y | 0 } const o = { id: ${i}, acc, tag: "t${i}" }; return o.acc + o.tag.length };`,
  );
  const rows = Array.from({ length: 200 }, (_, i) => `{ k: "key${i}", w: ${(i * 37) % 101}, d: "desc ${i}" }`);
  return `const LIBRARY = (() => { const T = {};\n${functions.join('\n')}\nT.index = new Map([${rows.join(',')}].map((r) => [r.k, r])); return T })();`;
}

export async function races(wasm: Uint8Array): Promise<readonly Race[]> {
  return Promise.all([TRIVIAL, MEDIUM].map((workload) => raceOf(workload, wasm)));
}

async function raceOf(workload: Workload, wasm: Uint8Array): Promise<Race> {
  const contestants = [
    await restored(workload, wasm),
    await shared(workload),
    await freshContext(workload),
    await freshRuntime(workload),
  ];
  const [expected, ...others] = contestants.map(({ call }) => call());
  if (others.some((text) => text !== expected)) throw new Error(`${workload.name}: the contestants disagree`);
  return { workload: workload.name, contestants };
}

/** The extra cost of a call whose instance is gone: after a trap, after growth, after a rest. */
export async function forks(wasm: Uint8Array): Promise<readonly Contestant[]> {
  const source = `export default ${TRIVIAL.fn}`;
  const { realm } = loadCapability(await createEngine({ wasm }), { name: 'bench', source });
  const fork = () => String(realm.fork().bytes.length);
  const restore = () => {
    const instance = realm.take();
    realm.give(instance);
    return String(instance.bytes.length);
  };
  return [
    { name: 'sallyport: a new instance from the image', call: fork },
    { name: 'the image written back into an instance', call: restore },
  ];
}

async function restored({ library: text, fn, args }: Workload, wasm: Uint8Array): Promise<Contestant> {
  const loaded = loadCapability(await createEngine({ wasm }), {
    name: 'bench',
    source: `${text}\nexport default ${fn}`,
  });
  const call = () => {
    const step = loaded.prepare({ seed: 0, now: 0 }).begin(args);
    if (!step.done || !step.settled.ok) throw new Error('the call failed');
    return step.settled.text;
  };
  return { name: 'sallyport: a restored heap for every call', call };
}

/** The usual way with the public API of quickjs-emscripten: JSON text in, JSON text out. */
const wrapped = ({ library: text, fn }: Workload) =>
  `${text}\n(() => { const f = ${fn}; return (json) => JSON.stringify(f(JSON.parse(json))) })()`;

function callIn(context: QuickJSContext, fn: QuickJSHandle, args: string): string {
  const text = context.newString(args);
  const result = context.unwrapResult(context.callFunction(fn, context.undefined, text));
  const json = context.getString(result);
  text.dispose();
  result.dispose();
  return json;
}

async function shared(workload: Workload): Promise<Contestant> {
  const context = (await newQuickJSWASMModuleFromVariant(variant)).newContext();
  const fn = context.unwrapResult(context.evalCode(wrapped(workload)));
  return { name: 'the same call without isolation', call: () => callIn(context, fn, workload.args) };
}

async function freshContext(workload: Workload): Promise<Contestant> {
  const runtime = (await newQuickJSWASMModuleFromVariant(variant)).newRuntime();
  const call = () => {
    const context = runtime.newContext();
    const fn = context.unwrapResult(context.evalCode(wrapped(workload)));
    const json = callIn(context, fn, workload.args);
    fn.dispose();
    context.dispose();
    return json;
  };
  return { name: 'a fresh QuickJS context for every call', call };
}

async function freshRuntime(workload: Workload): Promise<Contestant> {
  const module = await newQuickJSWASMModuleFromVariant(variant);
  const call = () => {
    const context = module.newContext();
    const fn = context.unwrapResult(context.evalCode(wrapped(workload)));
    const json = callIn(context, fn, workload.args);
    fn.dispose();
    context.dispose();
    return json;
  };
  return { name: 'a fresh QuickJS runtime for every call', call };
}
