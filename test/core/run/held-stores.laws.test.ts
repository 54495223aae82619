import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../core/json/value.ts';
import { sourcesIn } from '../../../core/run/commit/storage.ts';
import type { RunFacts } from '../../../core/run/state.ts';
import { caseCount } from '../../cases.ts';
import {
  callOf,
  type Env,
  type Fault,
  type HeldSpec,
  heldFacts,
  type InnerCall,
  type Kept,
  ok,
  type Played,
  play,
} from './held.ts';

const CASES = 400;

const TOOLS: HeldSpec['tools'] = [
  { name: 'mail', effect: 'read', held: true },
  { name: 'file', effect: 'write', labels: [], origin: 'mcp:files' },
  { name: 'look', effect: 'read', labels: [], origin: 'mcp:files' },
  { name: 'notes', effect: 'write', labels: [], store: true },
  { name: 'clerk', effect: 'write', labels: [], store: true, tools: ['mail', 'look'] },
];

const accepts = fc.constantFrom(
  {},
  { '/x': ['private', 'untrusted'] as const },
  { '': ['private', 'untrusted'] as const },
);

const spec: fc.Arbitrary<HeldSpec> = fc
  .record({
    offered: fc.subarray([...TOOLS], { minLength: 3 }),
    accepts,
    hold: fc.constantFrom(undefined, undefined, 'private', 'all'),
  })
  .map(({ offered, accepts: given, hold }) => ({
    // a program is offered with its tools
    tools: offered.some(({ name }) => name === 'clerk') ? TOOLS : offered,
    grants: TOOLS.filter((each) => offered.includes(each) || offered.some(({ name }) => name === 'clerk')).map(
      ({ name }) => ({
        capability: name,
        ...(name === 'file' && { accepts: given }),
      }),
    ),
    ...(hold && { hold: hold as 'all' }),
  }));

const KEYS = ['a', 'b', 'c'];
const part = fc.oneof(
  fc.constantFrom<JsonValue>('a', 'b', 7),
  fc.integer({ min: 1, max: 3 }).map((step): JsonValue => ({ $held: `h${step}` })),
);
const script = fc
  .array(
    fc.tuple(
      fc.constantFrom('mail', 'file', 'look', 'notes', 'notes', 'clerk'),
      fc.record({ x: part }, { requiredKeys: [] }),
    ),
    {
      minLength: 2,
      maxLength: 6,
    },
  )
  .map((calls) => [callOf('mail', {}), ...calls.map(([name, args]) => callOf(name, args))]);

function dice(most: number, ...parts: readonly unknown[]): number {
  let hash = 2166136261;
  for (const letter of JSON.stringify(parts)) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return ((hash ^ (hash >>> 15)) >>> 0) % most;
}

/** Programs put what they were given, under keys and at times that depend on it, and tell what they find. */
function world(seed: number, secret: number): Env {
  return {
    differs: () => true,
    tool: (name, nth, args, differs, heard) => {
      if (name === 'notes' || name === 'clerk') return ok(heard as JsonValue);
      return ok(`${name} ${dice(3, seed, name, nth, args, differs > 0 ? secret : 0)}`);
    },
    program: (name, args, heard): InnerCall | undefined => {
      const key = KEYS[dice(3, args, heard)] as string;
      const n = dice(4, seed, name, args, heard);
      if (heard.length > 2 || n === 3) return undefined;
      if (n === 0) return { tool: 'store.get', args: [key] };
      if (name === 'clerk' && n === 2) return { tool: 'mail', args: {} };
      return { tool: 'store.put', args: [key, (heard.at(-1) as JsonValue | undefined) ?? args] };
    },
  };
}

interface Ran {
  readonly told: readonly string[];
  readonly sources: string;
  readonly played: readonly Played[];
}

type Scripts = readonly [readonly Uint8Array[], readonly Uint8Array[]];

/** A run, then one that had begun before it, and then one that begins behind both. */
function runs([one, other]: readonly [HeldSpec, HeldSpec], [mine, theirs]: Scripts, env: Env, fault?: Fault): Ran {
  const kept: Kept = new Map();
  const early = heldFacts(other);
  const sources = () => sourcesIn([...kept].filter(([key]) => key.startsWith('labels/')));
  const go = (of: RunFacts, proposals: readonly Uint8Array[]) => play(of, proposals, env, fault, kept);
  const played = [go(heldFacts(one), mine), go(early, theirs)];
  const known = sources();
  played.push(go(heldFacts(other, known), theirs));
  return { told: played.flatMap(({ told, end }) => [...told, end]), sources: JSON.stringify(known), played };
}

/** What one world is told and the other is not. */
function leak(of: readonly [HeldSpec, HeldSpec], scripts: Scripts, seed: number, fault?: Fault): unknown {
  const [one, other] = [1, 2].map((secret) => runs(of, scripts, world(seed, secret), fault)) as [Ran, Ran];
  if (one.sources !== other.sources) return [one.sources, other.sources];
  const at = one.told.findIndex((line, nth) => line !== other.told[nth]);
  if (at >= 0 || one.told.length !== other.told.length) return [one.told[at], other.told[at]];
  return undefined;
}

const cases = [fc.tuple(spec, spec), fc.tuple(script, script), fc.nat()] as const;

describe('stores and sources of runs that hold', () => {
  test('worlds that differ in held outcomes leave the same marks, and later runs are told the same bytes', () => {
    let marked = 0;
    fc.assert(
      fc.property(...cases, (of, scripts, seed) => {
        marked += runs(of, scripts, world(seed, 1)).sources.includes('store:') ? 1 : 0;
        expect(leak(of, scripts, seed)).toBe(undefined);
      }),
      { numRuns: caseCount(CASES) },
    );
    // the law holds for nothing if nothing is marked
    expect(marked).toBeGreaterThan(caseCount(CASES) / 10);
  }, 600_000);

  const isMark = ({ key }: { readonly key: string }) => key.startsWith('labels/') && key.endsWith('/held');
  const isOwn = ({ key, value }: { readonly key: string; readonly value?: unknown }) =>
    key.startsWith('own/') && value !== undefined;

  test.each<[string, Fault]>([
    ['a mark that is lost', { kept: (rows) => rows.filter((row) => !isMark(row)) }],
    [
      'a mark that comes with a value alone',
      { kept: (rows) => (rows.some(isOwn) ? rows : rows.filter((row) => !isMark(row))) },
    ],
  ])(
    'the law finds %s',
    (_, fault) => {
      const found = fc.check(
        fc.property(...cases, (of, scripts, seed) => leak(of, scripts, seed, fault) === undefined),
        { numRuns: 2_000, endOnFailure: true },
      );
      expect(found.failed).toBe(true);
    },
    60_000,
  );
});
