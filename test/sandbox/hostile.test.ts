import { expect, it } from 'vitest';
import { caseCount } from '../cases.ts';
import { call, isPristine, load, watchTraps } from './guest.ts';
import { HOSTILE } from './hostile-programs.ts';

const SOURCE = `export default ({ program, a, b }) => {
  if (program === undefined) return a + b;
  const value = (0, eval)(program);
  return value === undefined ? null : value;
}`;

const FUEL = 4_000_000;
const loaded = load(SOURCE, { limits: { fuel: FUEL, deadlineMs: 60_000 } });
/** For programs that end with their fuel, however much they have. */
const endless = load(SOURCE, { limits: { fuel: caseCount(FUEL), deadlineMs: 60_000 } });

for (const [name, end, program] of HOSTILE.filter(([, kind]) => kind !== 'hang')) {
  it(`a realm survives ${name}, which ends as ${end}`, async () => {
    const capability = await (end === 'fuel' ? endless : loaded);
    const isSound = watchTraps(capability);
    const settled = call(capability, { program });
    expect(settled.ok ? 'ok' : settled.kind).toBe(end);
    // The limits of the engine end the call, equal on all hosts. An overflow of the host's stack would trap.
    expect(isSound()).toBe(true);
    expect(call(capability, { a: 20, b: 22 })).toMatchObject({ ok: true, text: '42' });
    expect(isPristine(capability)).toBe(true);
  });
}

/** Changes of the intrinsics that the prelude might rely on, made by a guest before it answers. */
const POLLUTIONS: readonly string[] = [
  'JSON.stringify = () => \'v"forged"\'; JSON.parse = () => 1',
  'Promise.prototype.then = () => { throw 1 }; Promise.resolve = () => 5; globalThis.Promise = class {}',
  'Object.defineProperty(Promise.prototype, "constructor", { get() { throw 2 } })',
  'Array.prototype.toJSON = () => "forged"; String.prototype.toJSON = () => "forged"; Object.prototype.toJSON = undefined',
  'Object.defineProperty(Array.prototype, 0, { set() { throw 3 }, get() { return "forged" } })',
  'String.prototype.slice = String.prototype.split = () => "forged"; Function.prototype.call = Function.prototype.bind = 0',
  'WeakSet.prototype.has = () => true; WeakSet.prototype.add = () => { throw 4 }',
  'Array.prototype[Symbol.iterator] = function* () { yield "forged" }',
  'globalThis.console = undefined; delete globalThis.JSON; delete globalThis.Object; globalThis.Error = 7',
  'Object.setPrototypeOf(Object.prototype.__proto__ ?? {}, null); Object.freeze(Object.prototype); Object.freeze(Array.prototype)',
];

for (const pollution of POLLUTIONS) {
  it(`a guest answers with its value or fails after ${pollution}`, async () => {
    const source = `export default async () => { ${pollution}; return [1, 'two', { three: 3 }]; }`;
    const capability = await load(source);
    const settled = call(capability);
    // A toJSON of the guest is JSON.stringify as specified, not a forgery.
    if (settled.ok) expect(['"forged"', '[1,"two",{"three":3}]']).toContain(settled.text);
    else expect(['threw', 'result']).toContain(settled.kind);
    expect(isPristine(capability)).toBe(true);
  });
}

it('a call leaves no state for the next call', async () => {
  const source = `let calls = 0; export default () => {
    const seen = [calls, globalThis.leak, [].leak, Math.random()];
    calls += 1; globalThis.leak = 1; Array.prototype.leak = 2;
    return seen.map((x) => x ?? null);
  }`;
  const capability = await load(source);
  const first = call(capability);
  for (let i = 0; i < 20; i++) expect(call(capability)).toEqual(first);
});
