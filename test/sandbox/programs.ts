import type { CallSettled } from '../../core/capability/call.ts';
import { sha256Hex } from '../../core/hash.ts';
import {
  type CallInput,
  type CapabilityRealm,
  createEngine,
  type Engine,
  loadCapability,
  storeImage,
} from '../../sandbox/index.ts';
import { HOSTILE } from './hostile-programs.ts';

/**
 * Costs and results of these programs. The numbers are the same in every engine, time zone and process:
 * `determinism.test.ts` compares them with this table, `engines.process.test.ts` compares engines with each other.
 */
export const PROGRAMS: readonly (readonly [name: string, body: string, fuel: number, text: string])[] = [
  ['a loop', 'let s = 0; for (let i = 0; i < 1e5; i++) s += i; return s', 200034, '4999950000'],
  ['calls', 'const f = (x) => x + 1; let s = 0; for (let i = 0; i < 1e5; i++) s = f(s); return s', 300034, '100000'],
  ['sorting', 'return Array.from({ length: 2e4 }, (_, i) => (i * 7919) % 20011).sort((a, b) => a - b)[7]', 319850, '7'],
  ['a regular expression', "return /^(a+)+$/.test('a'.repeat(18) + 'b')", 520036, 'false'],
  ['JSON', "return JSON.stringify(JSON.parse('[' + '1,'.repeat(2e4) + '1]')).length", 36, '40003'],
  [
    'strings',
    "let s = ''; for (let i = 0; i < 1e4; i++) s += String.fromCharCode(97 + (i % 26)); return s.length",
    30034,
    '10000',
  ],
  ['maps', 'const m = new Map(); for (let i = 0; i < 1e4; i++) m.set({}, i); return m.size', 30036, '10000'],
  ['promises', 'let s = 0; for (let i = 0; i < 3000; i++) s += await i; return s', 21034, '4498500'],
  [
    'numbers',
    'return [0.1 + 0.2, Math.sin(1), Math.pow(2, 0.5), (1e21).toString(36), NaN, -0]',
    36,
    '[0.30000000000000004,0.8414709848078965,1.4142135623730951,"5v1j4f4ds7a000",null,0]',
  ],
  // Every NaN has the same bits on every processor.
  [
    'the bits of NaN',
    'return [Float64Array, Float32Array, Float16Array].map((T) => [...new Uint8Array(new T([NaN, 0 / 0, -NaN, Math.sqrt(-1), Infinity - Infinity]).buffer)].join(" "))',
    60,
    '["0 0 0 0 0 0 248 127 0 0 0 0 0 0 248 127 0 0 0 0 0 0 248 127 0 0 0 0 0 0 248 127 0 0 0 0 0 0 248 127","0 0 192 127 0 0 192 127 0 0 192 127 0 0 192 127 0 0 192 127","1 124 1 124 1 124 1 124 1 124"]',
  ],
  ['chance', 'return [Math.random(), Math.random()]', 35, '[0.5020617100322515,0.4872525064377009]'],
  [
    'time',
    'return [Date.now(), new Date().toString(), new Date(2026, 5, 15, 12).getTimezoneOffset(), new Date(0).toLocaleString()]',
    40,
    '[1700000000000,"Tue Nov 14 2023 22:13:20 GMT+0000",0,"01/01/1970, 12:00:00 AM"]',
  ],
  ['order', 'return Object.keys({ b: 1, a: 2, 1: 3, [Symbol.iterator]: 4 })', 34, '["1","b","a"]'],
  [
    'locale',
    "return ['ä', 'z', 'a'].sort((a, b) => a.localeCompare(b)).concat((1234.5).toLocaleString(), 'I'.toLocaleLowerCase('tr'))",
    45,
    '["a","z","ä","1234.5","i"]',
  ],
];

export const asSource = (body: string): string => `export default async () => { ${body} }`;

/** A call, and the values that are the same on every host. */
interface Row {
  readonly name: string;
  readonly imageHash: string;
  readonly settled: CallSettled;
}

/** The results of an engine for all programs, and its host. */
interface Measured {
  /** Properties of the host that no guest can see. They differ between the compared hosts. */
  readonly host: { readonly offset: number; readonly language: string; readonly agent: string };
  readonly rows: readonly Row[];
}

const TABLE = `const table = new Map(); export default ({ n }) => {
  for (let i = 0; i < n; i++) table.set(i, \`\${i}\`); console.log(table.size); return n;
}`;
const POWERS = `const seen = []; export default async ({ n }, powers) => {
  for (let i = 0; i < n; i++) seen.push(await powers.get(i, Math.random(), new Date().toString()));
  return seen;
}`;
const RUN = 'export default ({ program }) => (0, eval)(program) ?? null';
const INPUT: CallInput = { seed: 7, now: 1.7e12, heapHash: true };

/** Makes the call of each program in this engine. The bytes are the engine itself. */
export async function measure(wasm: Uint8Array<ArrayBuffer>): Promise<Measured> {
  const engine = await createEngine({ wasm });
  const load = (source: string, powers: readonly string[] = []) =>
    loadCapability(engine, { name: 'test', source, powers, limits: { fuel: 500_000, deadlineMs: 120_000 } });
  const programs = PROGRAMS.map(([name, body]) => row(name, load(asSource(body)), {}));
  const hostile = load(RUN);
  const contained = HOSTILE.filter(isTried).map(([name, , program]) => row(name, hostile, { program }));
  const heaps = [0, 1, 500].map((n) => row(`a table of ${n}`, load(TABLE), { n }));
  return { host: hostHere(), rows: [...programs, ...contained, ...heaps, ...parked(engine, load(POWERS, ['get']))] };
}

/** A third of the programs that end soon. Programs that take long or much memory would prove no more. */
function isTried([name, end]: (typeof HOSTILE)[number], at: number): boolean {
  return at % 3 === 0 && ['ok', 'threw', 'stack', 'jobs'].includes(end) && !/BigInt|OOM|MB/.test(name);
}

function row(name: string, loaded: CapabilityRealm, args: object): Row {
  const step = loaded.prepare(INPUT).begin(JSON.stringify(args));
  if (!step.done) throw new Error(`${name} waits for a power`);
  return { name, imageHash: loaded.imageHash, settled: step.settled };
}

/** A call that is parked at each of its questions, and goes on in a heap that was made from the kept image. */
function parked(engine: Engine, loaded: CapabilityRealm): readonly Row[] {
  const image = storeImage(loaded.realm.image);
  const rows: Row[] = [{ name: `the image kept as ${image.digest}`, imageHash: image.imageHash, settled: NOTHING }];
  let call = loaded.prepare(INPUT);
  let step = call.begin('{"n":3}');
  while (!step.done) {
    const kept = call.park();
    if (kept === undefined) throw new Error('it is too much to be kept');
    rows.push({
      name: `parked as ${sha256Hex(kept.bytes)}, pages ${kept.pages.join()}`,
      imageHash: kept.imageHash,
      settled: NOTHING,
    });
    call = loaded.unpark(kept, kept.digest);
    const [open] = call.open;
    step = call.resume(open?.ticket ?? 0, { ok: true, text: open?.args ?? '' });
  }
  return [...rows, { name: `powers, ${engine.wasmHash}`, imageHash: loaded.imageHash, settled: step.settled }];
}
const NOTHING: CallSettled = { ok: true, text: '', fuel: 0, console: [], powerCalls: [] };

function hostHere(): Measured['host'] {
  return { offset: new Date(1.7e12).getTimezoneOffset(), language: navigator.language, agent: navigator.userAgent };
}
