import { describe, expect, test } from 'vitest';
import { Defect } from '../../core/assert.ts';
import * as core from '../../core/index.ts';

/** A value of each kind that JavaScript has. */
const ODD: readonly unknown[] = [
  ...[undefined, null, 1, Number.NaN, true, 'text', '\ud800', 1n, Symbol('s'), () => 1, {}, [], [1], [null]],
  ...[new Date(0), new Uint8Array(2), new ArrayBuffer(2), new Map()],
];

/** Errors beside `SallyportError` that a function may throw by its own documentation. */
const OTHERS: { readonly [name: string]: new (message: string) => Error } = {
  canonicalText: Defect,
  extend: Defect,
  proveConsistency: RangeError,
  proveInclusion: RangeError,
};

type Call = (first: unknown, second: unknown) => unknown;
const isFunction = ([name, value]: readonly [string, unknown]) => typeof value === 'function' && /^[a-z]/.test(name);
const FUNCTIONS = Object.entries(core).filter(isFunction) as [string, Call][];

describe('a public function of core that gets a value of the wrong type', () => {
  test.each(FUNCTIONS)('a public function throws only the errors of its documentation: %s', (name, call) => {
    const thrown = ODD.flatMap((first) => ODD.map((second) => errorOf(call, first, second)));
    const other = OTHERS[name];
    const unexpected = thrown.filter(
      (error) => !(error === undefined || error instanceof core.SallyportError || (other && error instanceof other)),
    );
    expect([...new Set(unexpected.map(String))]).toEqual([]);
  });

  test.each([
    ['parseSlice', () => core.parseSlice(1 as never), 'slice', 'a string'],
    ['applySlice', () => core.applySlice('text', null as never), 'slice', 'a string'],
    ['decode', () => core.decode(new ArrayBuffer(2) as never), 'bytes', 'a Uint8Array'],
    ['contentHash', () => core.contentHash(undefined as never), 'text', 'a string'],
    ['merkleRoot', () => core.merkleRoot(['00'] as never), 'leaves', 'a list of Uint8Array'],
    ['buildIndex', () => core.buildIndex([{ path: 'a.md', bytes: 'text' as never }]), 'bytes', 'a Uint8Array'],
    ['verifyExport', () => core.verifyExport(new Uint8Array() as never), 'text', 'a string'],
  ])('a public function names the argument and the type that it wants: %s', (_, call, name, wants) => {
    expect(call).toThrow(expect.objectContaining({ code: 'option_invalid', details: { name, wants } }));
  });
});

function errorOf(call: Call, first: unknown, second: unknown): unknown {
  try {
    return void call(first, second);
  } catch (error) {
    return error;
  }
}
