import { describe, expect, it } from 'vitest';
import { CALL_LIMITS_MOST } from '../../core/limits.ts';
import { call, callWith, isPristine, load, run, watchTraps } from './guest.ts';

/** Answers every power call. */
const answer = () => ({ ok: true, text: '1' }) as const;

/** The largest number for which `test` holds, if it holds for all smaller numbers. */
function boundary(holds: number, fails: number, test: (n: number) => boolean): number {
  if (fails - holds === 1) return holds;
  const middle = Math.floor((holds + fails) / 2);
  return test(middle) ? boundary(middle, fails, test) : boundary(holds, middle, test);
}

describe('the limit that is passed first', () => {
  const OVERFLOW = 'const f = () => f(); try { f() } catch {}';
  const FLOOD = 'try { new Uint8Array(1e9) } catch {}';
  const SHOUT = 'console.log("x".repeat(30))';
  const ends = [
    [`${OVERFLOW}; for (;;);`, 'stack'],
    [`${FLOOD}; for (;;);`, 'memory'],
    [`${FLOOD}; ${OVERFLOW}`, 'memory'],
    [`${SHOUT}; for (;;);`, 'console'],
    [`${SHOUT}; throw new Error('no')`, 'console'],
    [`${SHOUT}; const f = () => Promise.resolve().then(f); f()`, 'console'],
    [`${SHOUT}; return 'x'.repeat(200)`, 'console'],
    [`${SHOUT}; for (let i = 0; i < 9; i++) powers.clock()`, 'console'],
  ] as const;

  it.each(ends)('the limit that is passed first names the end of the call: %s', async (body, kind) => {
    const limits = { fuel: 100_000, memoryBytes: 8 << 20, jobs: 50, consoleBytes: 20, bytesOut: 100, powerCalls: 3 };
    const capability = await load(`export default (args, powers) => { ${body} }`, { powers: ['clock'], limits });
    expect(callWith(capability, answer)).toMatchObject({ ok: false, kind });
    expect(isPristine(capability)).toBe(true);
  });
});

describe('fuel', () => {
  const LOOP = 'export default ({ n }) => { let s = 0; for (let i = 0; i < n; i++) s += i; return s; }';

  it('fuel accepts exactly the limit and refuses one operation more', async () => {
    const needed = call(await load(LOOP), { n: 5000 }).fuel;
    expect(await run(LOOP, { n: 5000 }, { limits: { fuel: needed } })).toMatchObject({ ok: true, fuel: needed });
    const refused = await run(LOOP, { n: 5000 }, { limits: { fuel: needed - 1 } });
    expect(refused).toMatchObject({ ok: false, kind: 'fuel', fuel: needed });
  });

  it('fuel is exact beyond the interval at which the engine polls', async () => {
    const needed = call(await load(LOOP), { n: 100_000 }).fuel;
    expect(await run(LOOP, { n: 100_000 }, { limits: { fuel: needed } })).toMatchObject({ ok: true });
    expect(await run(LOOP, { n: 100_000 }, { limits: { fuel: needed - 1 } })).toMatchObject({ kind: 'fuel' });
  });

  it('fuel is exact at a limit that falls on a poll', async () => {
    // The host polls every 9,999 operations; a turn of the loop costs two.
    const base = call(await load(LOOP), { n: 0 }).fuel;
    const limit = [9999, 19_998].find((polls) => (polls - base) % 2 === 0) ?? 0;
    const n = (limit - base) / 2;
    expect(await run(LOOP, { n }, { limits: { fuel: limit } })).toMatchObject({ ok: true, fuel: limit });
    expect(await run(LOOP, { n: n + 1 }, { limits: { fuel: limit } })).toMatchObject({ kind: 'fuel', fuel: limit + 1 });
  });

  it('fuel counts two operations for each turn of a loop', async () => {
    const capability = await load(LOOP);
    expect(call(capability, { n: 20_000 }).fuel - call(capability, { n: 10_000 }).fuel).toBe(20_000);
  });

  it('fuel ends a guest that catches every error and answers', async () => {
    const source = `export default async () => {
      for (;;) { try { await 0; while (true); } catch {} finally { continue } }
    }`;
    expect(await run(source, {}, { limits: { fuel: 100_000 } })).toMatchObject({ ok: false, kind: 'fuel' });
  });

  it('fuel counts regular expressions', async () => {
    const source = "export default () => /^(a+)+$/.test('a'.repeat(40) + 'b')";
    expect(await run(source, {}, { limits: { fuel: 1_000_000 } })).toMatchObject({ ok: false, kind: 'fuel' });
  });
});

describe('memory', () => {
  const FILL = 'export default ({ bytes }) => new Uint8Array(bytes).length';
  const limits = { memoryBytes: 8 << 20 };

  it('memory accepts the last page that fits, and refuses one page more', async () => {
    const capability = await load(FILL, { limits });
    const fits = (pages: number) => call(capability, { bytes: pages * 4096 }).ok;
    const most = boundary(1, 1024, fits);
    expect([most > 256, most < 1023]).toEqual([true, true]);
    expect(call(capability, { bytes: most * 4096 })).toMatchObject({ ok: true, text: String(most * 4096) });
    expect(call(capability, { bytes: (most + 1) * 4096 })).toMatchObject({ ok: false, kind: 'memory' });
  });

  it('a memory failure ends the call although the guest catches it', async () => {
    const source = 'export default () => { try { new Uint8Array(1e9) } catch {} return 1 }';
    expect(await run(source, {}, { limits })).toMatchObject({ ok: false, kind: 'memory' });
  });

  it('an error that only claims to be a memory failure ends the call as threw', async () => {
    const source = "export default () => { throw new InternalError('out of memory') }";
    expect(await run(source)).toMatchObject({ ok: false, kind: 'threw' });
  });

  it('a call after a memory failure starts with a fresh heap', async () => {
    const capability = await load(FILL, { limits });
    expect(call(capability, { bytes: 4 << 20 })).toMatchObject({ kind: 'memory' });
    expect(call(capability, { bytes: 1000 })).toMatchObject({ ok: true, text: '1000' });
    expect(isPristine(capability)).toBe(true);
  });

  it('a limit outside the range of the engine is refused', async () => {
    await expect(load(FILL, { limits: { memoryBytes: 1 << 20 } })).rejects.toMatchObject({ code: 'limits_invalid' });
    for (const [limit, most] of Object.entries(CALL_LIMITS_MOST)) {
      for (const value of [most + 1, -1, 0.5, Number.NaN, Infinity]) {
        await expect(load(FILL, { limits: { [limit]: value } }), `${limit} ${value}`).rejects.toMatchObject({
          code: 'limits_invalid',
          details: { limit },
        });
      }
      const capability = await load(FILL, { limits: { [limit]: most } });
      expect(call(capability, { bytes: 10 })).toMatchObject({ ok: true, text: '10' });
    }
  });
});

describe('stack', () => {
  const DEEP = 'export default ({ n }) => { const f = (k) => (k === 0 ? 0 : 1 + f(k - 1)); return f(n); }';

  it('the stack accepts its deepest level, and refuses one level more and endless recursion', async () => {
    const capability = await load(DEEP);
    const most = boundary(100, 100_000, (n) => call(capability, { n }).ok);
    expect(call(capability, { n: most })).toMatchObject({ ok: true, text: String(most) });
    expect(call(capability, { n: most + 1 })).toMatchObject({ ok: false, kind: 'stack' });
    expect(call(capability, { n: 1e9 })).toMatchObject({ ok: false, kind: 'stack' });
  });

  it('a stack overflow ends the call although the guest catches it', async () => {
    const source = 'export default () => { const f = () => f(); try { f() } catch { return 1 } }';
    expect(await run(source)).toMatchObject({ ok: false, kind: 'stack' });
  });

  it('an error that only claims to be a stack overflow ends the call as threw', async () => {
    const source = "export default () => { throw new InternalError('stack overflow') }";
    expect(await run(source)).toMatchObject({ ok: false, kind: 'threw' });
  });

  it.each([
    ['JSON.parse', 'JSON.parse("[".repeat(n) + "]".repeat(n))'],
    ['JSON.stringify', '{ let x = 1; for (let i = 0; i < n; i++) x = [x]; JSON.stringify(x) }'],
    ['the parser', '(0, eval)("(".repeat(n) + "1" + ")".repeat(n))'],
    ['toString of nested arrays', '{ let x = 1; for (let i = 0; i < n; i++) x = [x]; String(x) }'],
  ])('the stack limit ends %s before the stack of the host overflows, at the same level each time', async (_, body) => {
    const capability = await load(`export default ({ n }) => { ${body}; return n; }`);
    const isSound = watchTraps(capability);
    const most = boundary(20, 100_000, (n) => call(capability, { n }).ok);
    // Deeper than any value that may cross the border of the sandbox.
    expect(most).toBeGreaterThan(64);
    const ends = [most, most + 1, 50_000].map((n) => [call(capability, { n }), call(capability, { n })]);
    for (const [end, again] of ends) expect(again).toEqual(end);
    expect(ends.map(([end]) => (end?.ok === true ? 'ok' : end?.kind))).toEqual(['ok', 'stack', 'stack']);
    expect(isSound()).toBe(true);
  });

  it('the depth of the stack grows with its limit', async () => {
    const small = await load(DEEP, { limits: { stackBytes: 64 << 10 } });
    const large = await load(DEEP, { limits: { stackBytes: 256 << 10 } });
    expect(call(small, { n: 600 })).toMatchObject({ kind: 'stack' });
    expect(call(large, { n: 600 })).toMatchObject({ ok: true });
  });
});

describe('deadline', () => {
  it('the deadline stops a guest that has fuel left', async () => {
    const limits = { fuel: 2 ** 50, deadlineMs: 50 };
    expect(await run('export default () => { while (true); }', {}, { limits })).toMatchObject({ kind: 'deadline' });
  });

  it('the deadline does not stop a guest that ends before it', async () => {
    const source = 'export default () => { let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n; }';
    const limits = { fuel: 2 ** 50, deadlineMs: 120_000 };
    expect(await run(source, {}, { limits })).toMatchObject({ ok: true, text: '4999950000' });
  });
});

describe('jobs', () => {
  const JOBS = 'export default async ({ n }) => { for (let i = 0; i < n; i++) await 0; return n; }';

  it('the limit of jobs accepts exactly its number and refuses one job more', async () => {
    // The jobs are the awaits of the loop, and two jobs in which the prelude waits for the result.
    const capability = await load(JOBS, { limits: { jobs: 100 } });
    const most = Array.from({ length: 101 }, (_, n) => n).findLast((n) => call(capability, { n }).ok);
    expect(most).toBeGreaterThan(95);
    expect(call(capability, { n: (most ?? 0) + 1 })).toMatchObject({ ok: false, kind: 'jobs' });
    expect(call(capability, { n: 50 })).toMatchObject({ ok: true });
  });

  it('the limit of jobs stops jobs that make jobs after the result', async () => {
    const source = 'export default () => { const f = () => Promise.resolve().then(f); f(); return 1; }';
    expect(await run(source)).toMatchObject({ ok: false, kind: 'jobs' });
  });
});

describe('bytes in and out', () => {
  const ECHO = 'export default (args) => args';

  it('bytesIn accepts arguments of exactly the limit and refuses one byte more', async () => {
    const capability = await load(ECHO, { limits: { bytesIn: 20 } });
    expect(call(capability, { a: 'xxxxxxxxxxxx' })).toMatchObject({ ok: true });
    expect(call(capability, { a: 'xxxxxxxxxxxxx' })).toMatchObject({ ok: false, kind: 'bytes_in' });
  });

  it('bytesOut accepts a result of exactly the limit and refuses one byte more', async () => {
    const capability = await load('export default ({ n }) => "x".repeat(n)', { limits: { bytesOut: 20 } });
    expect(call(capability, { n: 18 })).toMatchObject({ ok: true });
    expect(call(capability, { n: 19 })).toMatchObject({ ok: false, kind: 'bytes_out' });
  });

  it('bytesOut counts bytes, not characters', async () => {
    const capability = await load('export default ({ n }) => "é".repeat(n)', { limits: { bytesOut: 20 } });
    expect(call(capability, { n: 9 })).toMatchObject({ ok: true });
    expect(call(capability, { n: 10 })).toMatchObject({ ok: false, kind: 'bytes_out' });
  });
});

describe('power calls', () => {
  const ASK = 'export default async ({ n }, powers) => { for (let i = 0; i < n; i++) await powers.clock(); return n; }';

  it('the limit of power calls accepts exactly its number and refuses one call more', async () => {
    const capability = await load(ASK, { powers: ['clock'], limits: { powerCalls: 3 } });
    expect(callWith(capability, answer, { n: 3 })).toMatchObject({ ok: true, text: '3' });
    expect(callWith(capability, answer, { n: 4 })).toMatchObject({ ok: false, kind: 'power_calls' });
  });

  it('a limit of zero power calls refuses the first power call', async () => {
    const capability = await load(ASK, { powers: ['clock'], limits: { powerCalls: 0, consoleBytes: 0, jobs: 2 } });
    expect(callWith(capability, answer, { n: 0 })).toMatchObject({ ok: true, text: '0' });
    expect(callWith(capability, answer, { n: 1 })).toMatchObject({ ok: false, kind: 'power_calls' });
  });

  it('the limit of power calls stops a guest that asks without waiting', async () => {
    const source = 'export default (args, powers) => { for (let i = 0; i < 1e5; i++) powers.clock(); }';
    const capability = await load(source, { powers: ['clock'] });
    expect(callWith(capability, answer)).toMatchObject({ ok: false, kind: 'power_calls' });
  });
});

describe('console', () => {
  const SAY = 'export default ({ n }) => { console.log("x".repeat(n)); return 1; }';

  it('consoleBytes accepts exactly the limit with the end of the line and refuses one byte more', async () => {
    const capability = await load(SAY, { limits: { consoleBytes: 20 } });
    expect(call(capability, { n: 19 })).toMatchObject({ ok: true, console: [{ level: 'log', text: 'x'.repeat(19) }] });
    expect(call(capability, { n: 20 })).toMatchObject({ ok: false, kind: 'console' });
  });

  it('consoleBytes counts bytes and empty lines', async () => {
    const capability = await load('export default ({ say }) => { for (const s of say) console.log(s); return 1; }', {
      limits: { consoleBytes: 4 },
    });
    expect(call(capability, { say: ['é', ''] })).toMatchObject({ ok: true });
    expect(call(capability, { say: ['é', '', ''] })).toMatchObject({ kind: 'console' });
  });

  it('a guest that floods its console does nothing more, and has used the same fuel in every engine', async () => {
    const flood =
      'export default async (_, { clock }) => { for (;;) { try { console.log("x".repeat(1000)); } catch {} if (n++ > 99) await clock(); } }; let n = 0;';
    const limits = { fuel: 10_000_000, consoleBytes: 4096 };
    const capability = await load(flood, { powers: ['clock'], limits });
    const ended = callWith(capability, () => {
      throw new Error('the guest went on');
    });
    expect(ended).toMatchObject({ ok: false, kind: 'console', fuel: 10_000_003 });
  });
});

describe('the place where a limit stopped the guest', () => {
  const PLACE = (line: number) => ({ line, column: expect.any(Number) as number });
  const limits = { fuel: 100_000, memoryBytes: 8 << 20, jobs: 50 };
  const places = [
    [
      'a loop',
      'fuel',
      { line: 3, column: 22 },
      'export default () => {\n  for (;;) {\n    Math.max(Math.abs(1), 2);\n  }\n};',
    ],
    ['an expression', 'fuel', { line: 2, column: 16 }, "export default () =>\n  /(a+)+b/.test('a'.repeat(40));"],
    [
      'an array',
      'memory',
      { line: 3, column: 35 },
      'export default () => {\n  const all = [];\n  for (;;) all.push(new Uint8Array(1e5));\n};',
    ],
    ['a function', 'stack', { line: 2, column: 8 }, 'const f = () =>\n  1 + f();\nexport default () => f();'],
    ['no line, in an async function', 'fuel', undefined, 'export default async () => { for (;;); };'],
    [
      'no line, between promise jobs',
      'jobs',
      undefined,
      'export default () => { const f = () => Promise.resolve().then(f); return f(); };',
    ],
  ] as const;

  it.each(places)(
    'the place where a limit stopped the guest is given as %s, the same in each call',
    async (_, kind, at, source) => {
      const capability = await load(source, { limits });
      const settled = call(capability);
      expect({ kind, at }).toEqual({ kind: settled.ok || settled.kind, at: settled.ok || settled.at });
      expect(call(capability)).toEqual(settled);
    },
  );

  it('a traced call gives the place in an async function where a limit stopped it', async () => {
    const inner = 'async () => {\n  await 0;\n  for (;;) Math.abs(1);\n}';
    const traced = async (source: string) => {
      const capability = await load(source, { limits });
      const settled = call(capability, {}, { trace: true });
      expect(isPristine(capability)).toBe(true);
      return settled.ok || [settled.kind, settled.at];
    };
    expect(await traced('export default async () => {\n  for (;;) Math.abs(1);\n};')).toEqual(['fuel', PLACE(2)]);
    expect(await traced(`const f = ${inner};\nexport default async () => (await f()) + 1;`)).toEqual([
      'fuel',
      PLACE(2),
    ]);
    const caught = `const f = ${inner};\nexport default async () => { for (;;) { try { await f(); } catch { continue; } } };`;
    expect(await traced(caught)).toEqual(['fuel', undefined]);
  });

  it('asking for the place of a stop runs no getter of the guest and changes no other part of the result', async () => {
    const source = `export default () => {
      Object.defineProperty(Object.prototype, 'stack', { get() { for (;;); } });
      Object.defineProperty(Error.prototype, 'message', { get() { for (;;); } });
      try { new Uint8Array(1e9) } catch {}
      for (;;);
    }`;
    const capability = await load(source, { limits });
    expect(call(capability)).toMatchObject({ kind: 'memory', fuel: 9999, console: [] });
    expect(isPristine(capability)).toBe(true);
  });
});
