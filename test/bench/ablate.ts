import { sha256Texts, useSha256 } from '../../core/hash.ts';
import { canonicalText, lint } from '../../core/index.ts';
import { formatExport } from '../../core/ledger/export.ts';
import { verifyExport } from '../../core/ledger/verify.ts';
import { pass } from '../../core/outcome.ts';
import { createEngine, type Engine, SchemaChecker, SchemaCompiler } from '../../sandbox/index.ts';
import { SCHEMA_CHECKER } from '../../sandbox/schema/checker.generated.ts';
import { SCHEMA_COMPILER } from '../../sandbox/schema/compiler.generated.ts';
import { openMemoryStore } from '../../workers/store/memory/store.ts';
import type { LedgerStore } from '../../workers/store/store.ts';
import { sampleRun } from '../core/ledger/sample.ts';
import { oneRealm } from '../workers/sandbox/one-realm.ts';
import { BUILT_IN } from './adding.ts';
import { must } from './must.ts';
import { openHere, play } from './ours.ts';
import { calls, race, type Side } from './race.ts';
import { CASES } from './schema.ts';
import { type Row, rowsOf } from './table.ts';

const STEPS = 200;
const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

/**
 * Parts of what misses a goal: the whole, beside the same with one part taken out, or beside one part alone (`all but`).
 * A ratio of 1.3 beside the same without a part says that the part took 23 % of the whole. The check sum is a loop in
 * JavaScript: beside the hash of Node it saves little. `rehash` gives the host its hash back.
 */
export async function ablate(wasm: Uint8Array, rounds: number, rehash: () => void): Promise<Row[]> {
  const engine = await createEngine({ wasm });
  return [
    ...rowsOf(`step without disk, N = ${STEPS}`, await race(await stepSides(wasm, engine, rehash), rounds)),
    ...rowsOf('verify 503 records', await race(verifySides(rehash), rounds)),
    ...rowsOf('run-time schema, twenty objects', await race(schemaSides(engine), rounds)),
  ];
}

async function stepSides(wasm: Uint8Array, engine: Engine, rehash: () => void): Promise<Side[]> {
  const side = async (name: string, store: LedgerStore, sandbox = oneRealm({ wasm })): Promise<Side> => {
    const runtime = await openHere(engine, store, BUILT_IN, await sandbox);
    const sample = async () => ((await play(runtime, BUILT_IN, STEPS)).ms * 1000) / STEPS;
    await sample();
    return { name, sample };
  };
  // opened with SHA-256: the hashes of the engine and of the built-in schemas are known ones
  const cheap = await side('SHA-256, for a check sum in JavaScript', openMemoryStore());
  const hashed = async (): Promise<number> => {
    useSha256(checkSum, CHECK_SUMS);
    try {
      return await cheap.sample();
    } finally {
      rehash();
    }
  };
  return [
    await side('the whole', openMemoryStore()),
    { ...cheap, sample: hashed },
    await side('the call of the guest', openMemoryStore(), withoutCalls(wasm)),
    await side('the store, with its tree', withoutAppends(openMemoryStore())),
  ];
}

/** The sandbox, which makes the first call and answers each other with its result. */
export async function withoutCalls(wasm: Uint8Array): ReturnType<typeof oneRealm> {
  const sandbox = await oneRealm({ wasm });
  let first: ReturnType<typeof sandbox.call> | undefined;
  return { ...sandbox, call: (request) => (first ??= sandbox.call(request)) };
}

/** A store that acknowledges each batch and keeps none. */
function withoutAppends(store: LedgerStore): LedgerStore {
  const nothing = pass({ seq: 0, size: 0, root: new Uint8Array(32) });
  return { ...store, append: async () => nothing as never };
}

function verifySides(rehash: () => void): Side[] {
  const under = <T>(act: () => T): T => {
    useSha256(checkSum, CHECK_SUMS);
    try {
      return act();
    } finally {
      rehash();
    }
  };
  const made = () => {
    const { run_id, batches } = sampleRun(1, 100);
    const texts = batches.flatMap(({ records }) => records.map(({ text }) => text));
    return { texts, whole: formatExport(run_id, texts, []) };
  };
  const { texts, whole } = made();
  const parsed = texts.map((text) => JSON.parse(text) as object);
  const summed = under(made).whole;
  if (!under(() => verifyExport(summed)).ok) throw new Error('the sample with check sums does not verify');
  return [
    calls('the whole', () => verifyExport(whole)),
    calls('SHA-256, for a check sum in JavaScript', () => under(() => verifyExport(summed))),
    calls('all but JSON.parse of the records', () => texts.map((text) => JSON.parse(text) as unknown)),
    calls('all but the canonical text of the records', () => parsed.map(canonicalText)),
    calls('all but SHA-256 of the records at once', () => sha256Texts('', texts)),
  ];
}

function schemaSides(engine: Engine): Side[] {
  const compiler = new SchemaCompiler(engine, SCHEMA_COMPILER);
  const { schema, value } = found(CASES.find(({ name }) => name === 'twenty objects'));
  const checking = (name: string, of: object, text: string): Side => {
    const linted = must(lint(of));
    const checker = new SchemaChecker(engine, SCHEMA_CHECKER, [must(compiler.compile(linted))]);
    return calls(name, () => checker.check(linted.hash, text));
  };
  const text = canonicalText(value);
  return [
    checking('the whole', schema, text),
    checking('the validator: a schema that permits anything', {}, text),
    checking('the value: an empty object', {}, '{}'),
  ];
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is no such case.');
  return value;
}

/** 64 hex digits that differ where the bytes differ, without the cost of SHA-256. */
function checkSum(bytes: Uint8Array): string {
  let [one, two] = [0x811c9dc5, 0x1000193];
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x1000193);
    two = Math.imul(two ^ byte, 0x5bd1e995);
  }
  if (bytes.length === 3 && bytes[0] === 97 && bytes[1] === 98 && bytes[2] === 99) return ABC;
  return hex(one) + hex(two) + hex(bytes.length) + '0'.repeat(40);
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0');
}

const utf8 = new TextEncoder();
const CHECK_SUMS: NonNullable<Parameters<typeof useSha256>[1]> = {
  texts: (prefix, texts) => texts.map((text) => checkSum(utf8.encode(prefix + text))),
  parts: (_prefix, bytes, size) => new Uint8Array((bytes.length / size) * 32),
};
