import { expect, it } from 'vitest';
import type { CallFailureKind } from '../../core/capability/call.ts';
import type { PowerAnswer, PowerRequest } from '../../sandbox/index.ts';
import { callWith, isPristine, load } from './guest.ts';

/**
 * Attacks of a guest while the answer of a power comes in: the host is within a turn, the prelude parses, resolves and
 * rejects, and promises look up members that the guest has defined.
 */
const ATTACKS: readonly (readonly [name: string, end: CallFailureKind | 'ok', body: string])[] = [
  [
    'a then on Object.prototype that loops',
    'fuel',
    `Object.defineProperty(Object.prototype, 'then', { get() { for (;;); } }); await powers.get()`,
  ],
  [
    'a then on Object.prototype that overflows the stack',
    'stack',
    `Object.defineProperty(Object.prototype, 'then', { get() { return (function f() { return f() + 1; })(); } });
     try { await powers.get() } catch {} return 1`,
  ],
  [
    'a then on Object.prototype that asks again, without end',
    'power_calls',
    `Object.prototype.then = function (resolve) { powers.get().then(resolve) }; await powers.get()`,
  ],
  [
    'the stack nearly used up where it asks',
    'stack',
    `const down = (n) => (n === 0 ? powers.get() : down(n - 1)); let n = 1;
     for (;;) { try { await down(n); n *= 2; } catch { await powers.get(); return n; } }`,
  ],
  [
    'a flood of jobs behind one answer',
    'jobs',
    `const one = powers.get(); for (let i = 0; i < 500; i++) one.then(() => i); await one; return 1`,
  ],
  [
    'jobs that make jobs behind one answer',
    'jobs',
    `const storm = () => Promise.resolve().then(storm).then(storm); powers.get().then(storm); return 1`,
  ],
  [
    'a power asked for in each turn of an async generator',
    'power_calls',
    `for await (const x of (async function* () { for (;;) yield powers.get() })());`,
  ],
  [
    'an async generator that asks while it is returned',
    'ok',
    `const g = (async function* () { try { yield 1 } finally { await powers.get(); yield powers.get() } })();
     await g.next(); return [await g.return(7), await g.next()]`,
  ],
  [
    'all memory taken before the answer is read',
    'memory',
    `const hold = []; const one = powers.get(); try { for (let n = 1 << 20; n > 64; n /= 2) for (;;) { try { hold.push(new Uint8Array(n)) } catch { break } } } catch {}
     return one`,
  ],
  [
    'members of arrays and objects that the prelude might read',
    'ok',
    `for (const at of [Object.prototype, Array.prototype]) for (const key of ['0', '1', '2', '3', 'resolve', 'reject', 'length'])
       try { Object.defineProperty(at, key, { get() { return 'forged' }, set() {}, configurable: true }) } catch {}
     const answer = await powers.get(); return answer.x`,
  ],
  [
    'a promise that is not the promise it asked for',
    'result',
    `const one = powers.get(); one.then = (resolve) => resolve('forged'); one.constructor = { [Symbol.species]: function () {} };
     Promise.prototype.then = () => 'forged'; return [await one]`,
  ],
  [
    'a failure that is changed, kept and thrown again',
    'power',
    `let kept; try { await powers.fail() } catch (e) { kept = e; Object.defineProperty(e, 'message', { value: 'forged' }); }
     await powers.get(); throw kept`,
  ],
  ['rejections that nobody handles', 'ok', `for (let i = 0; i < 9; i++) powers.fail(i); await powers.get(); return 1`],
  [
    'an answer raced against all others',
    'ok',
    `const all = [powers.get(1), powers.fail(2), powers.get(3)];
     return [await Promise.race(all), (await Promise.allSettled(all)).map((each) => each.status)]`,
  ],
];

const SOURCE = `export default async ({ program, a, b }, powers) => {
  if (program === undefined) return a + b + (await powers.get()).x;
  return (0, eval)('(async (powers) => {' + program + '})')(powers);
}`;
const limits = { fuel: 4_000_000, deadlineMs: 60_000, memoryBytes: 8 << 20, powerCalls: 30, jobs: 500 };
const loaded = load(SOURCE, { powers: ['get', 'fail'], limits });

const answer = ({ name }: PowerRequest): PowerAnswer =>
  name === 'get' ? { ok: true, text: '{"x":1}' } : { ok: false, error: { name: 'RangeError', message: 'no' } };

for (const [name, end, program] of ATTACKS) {
  it(`a realm survives ${name}, which ends as ${end}`, async () => {
    const capability = await loaded;
    const settled = callWith(capability, answer, { program });
    expect(settled.ok ? 'ok' : settled.kind).toBe(end);
    // The record has the requests of the powers and their answers, although the guest forges its own.
    for (const call of settled.powerCalls)
      expect([call.result, call.error?.name]).toEqual(
        call.name === 'get' ? [{ x: 1 }, undefined] : [null, 'RangeError'],
      );
    expect(callWith(capability, answer, { program })).toEqual(settled);
    expect(callWith(capability, answer, { a: 20, b: 21 })).toMatchObject({ ok: true, text: '42', console: [] });
    expect(isPristine(capability)).toBe(true);
  });
}
