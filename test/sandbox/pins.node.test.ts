import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../core/index.ts';
import { createEngine, type Engine } from '../../sandbox/engine.ts';
import { PINS, type Pins } from '../../sandbox/index.ts';
import { Instance } from '../../sandbox/instance.ts';
import { prepareWasm, STACK_LOW } from '../../sandbox/wasm/prepare.ts';
import { QUICKJS_NG } from '../engines/quickjs-ng.ts';

/** Names and offsets of each engine build, found again: an upgrade that moves a name or an offset fails here. */
const require = createRequire(import.meta.url);

describe.each([['the engine', PINS] as const, ['the second engine', QUICKJS_NG] as const])('%s:', (_, pins) => {
  const [packageName = ''] = pins.engine.name.split(' ');
  let wasm: Uint8Array<ArrayBuffer>;
  let module: WebAssembly.Module;
  let glue: string;
  let engine: Engine;

  beforeAll(async () => {
    const file = require.resolve(`${packageName}/wasm`);
    wasm = new Uint8Array(await readFile(file));
    module = await WebAssembly.compile(wasm);
    glue = (await readFile(join(dirname(file), 'emscripten-module.browser.mjs'), 'utf8')).replaceAll('\n', '');
    engine = await createEngine({ wasm }, pins);
  });

  function booted(stackBytes = 256 << 10): Instance {
    const instance = new Instance(engine, pins.pagesMin, 32 << 20);
    instance.boot(stackBytes);
    instance.meter.arm(1_000_000, 10_000);
    return instance;
  }

  it('the pinned build is the installed version of the engine', () => {
    const { name, version } = require(`${packageName}/package.json`) as { name: string; version: string };
    expect(pins.engine).toEqual({ name: `${name} ${version}`, hash: sha256Hex(wasm) });
  });

  describe('the prepared build', () => {
    it('is what prepareWasm makes of the pinned build, and starts as that build', async () => {
      const prepared = prepareWasm(wasm, pins.pagesMin);
      expect(sha256Hex(prepared)).toBe(pins.preparedHash);
      const { wasmHash, module: compiled } = await createEngine({ wasm: prepared }, pins);
      expect(wasmHash).toBe(pins.engine.hash);
      expect(WebAssembly.Module.exports(compiled).map(({ name }) => name)).toContain(STACK_LOW);
    });

    it('is refused where a single bit differs', async () => {
      const altered = prepareWasm(wasm, pins.pagesMin);
      altered[altered.length >> 1] = (altered[altered.length >> 1] ?? 0) ^ 1;
      await expect(createEngine({ wasm: altered }, pins)).rejects.toMatchObject({ code: 'engine_unknown' });
    });
  });

  describe('pinned exports', () => {
    const NAMES: readonly (readonly [keyof Pins['exports'], string])[] = [
      ['malloc', '_malloc'],
      ['free', '_free'],
      ['newRuntime', '_QTS_NewRuntime'],
      ['newContext', '_QTS_NewContext'],
      ['setStackSize', '_QTS_RuntimeSetMaxStackSize'],
      ['enableInterrupts', '_QTS_RuntimeEnableInterruptHandler'],
      ['undefined', '_QTS_GetUndefined'],
      ['newString', '_QTS_NewString'],
      ['getString', '_QTS_GetString'],
      ['getProp', '_QTS_GetProp'],
      ['eval', '_QTS_Eval'],
      ['call', '_QTS_Call'],
      ['resolveException', '_QTS_ResolveException'],
      ['isJobPending', '_QTS_IsJobPending'],
      ['executeJobs', '_QTS_ExecutePendingJob'],
    ];

    it.each(NAMES)('the pinned export %s is the name that the package itself uses for %s', (name, symbol) => {
      expect(glue).toContain(`c.${symbol}=b.${pins.exports[name]};`);
    });

    it('the pinned export start is the function that the package itself runs first', () => {
      expect(glue).toContain(`Z.${pins.exports.start}();`);
      expect(WebAssembly.Module.exports(module).map(({ name }) => name)).toContain(pins.exports.start);
    });
  });

  describe('pinned imports', () => {
    it('each import of the engine is pinned as open or shut', () => {
      const { shut, ...open } = pins.imports;
      const names = WebAssembly.Module.imports(module).map((entry) => {
        expect(entry.module).toBe('a');
        return entry.name;
      });
      expect([...Object.values(open), ...shut].toSorted()).toEqual(names.toSorted());
    });

    it.each([
      ['now', 'Date.now()'],
      ['clock', 'performance.now()'],
      ['interrupt', 'c.callbacks.shouldInterrupt'],
      ['resizeHeap', '2147483648<'],
      ['localtime', 'getTimezoneOffset'],
      ['tzset', 'UTC'],
    ] as const)('the pinned import %s has the body that its name says', (name, telltale) => {
      if (pins.imports[name] === undefined) return;
      const body = new RegExp(`[,{]${pins.imports[name]}:(function)?\\(?(.{0,400})`).exec(glue)?.[2];
      expect(body).toContain(telltale);
    });
  });

  describe('pinned offsets', () => {
    it('the interrupt counter counts operations from a value that the host can write', async () => {
      const instance = booted();
      const at = (instance.roots.context + pins.context.interruptCounter) >> 2;
      instance.words[at] = 5000;
      instance.evaluate('for (let i = 0; i < 100; i++);', 'probe.js', 'script');
      expect(5000 - (instance.words[at] ?? 0)).toBeGreaterThan(200);
      expect(5000 - (instance.words[at] ?? 0)).toBeLessThan(220);
    });

    it('the engine polls when the counter is used up, after setting it back', async () => {
      const instance = booted();
      const at = (instance.roots.context + pins.context.interruptCounter) >> 2;
      const seen: (number | undefined)[] = [];
      instance.interrupt = () => {
        seen.push(instance.words[at]);
        return 0;
      };
      instance.words[at] = 50;
      instance.evaluate('for (let i = 0; i < 100; i++);', 'probe.js', 'script');
      expect(seen).toEqual([pins.pollInterval]);
    });

    it('the random state is the state that Math.random steps through', async () => {
      const instance = booted();
      const at = (instance.roots.context + pins.context.randomState) >> 2;
      [instance.words[at], instance.words[at + 1]] = [1, 0];
      instance.evaluate('Math.random()', 'probe.js', 'script');
      // xorshift64*, one step from 1
      expect([instance.words[at], instance.words[at + 1]]).toEqual([33_554_433, 0]);
    });

    it('the stack limit follows the stack size', async () => {
      const [small, large] = [booted(64 << 10), booted(256 << 10)];
      expect(small.stackLimit - large.stackLimit).toBe(192 << 10);
      // The stack that the frames around the boot took.
      expect(pins.stack.high - small.stackLimit - (64 << 10)).toBeLessThan(1024);
    });

    it('the stack lies between static data and the heap', async () => {
      const instance = booted();
      expect(Math.min(instance.roots.runtime, instance.roots.context)).toBeGreaterThan(pins.stack.high);
      instance.evaluate('1', 'probe.js', 'script');
      // Untouched below, used at its very top.
      expect(instance.bytes.subarray(pins.stack.low, pins.stack.high - (1 << 20)).every((byte) => byte === 0)).toBe(
        true,
      );
      expect(instance.bytes.subarray(pins.stack.high - 1024, pins.stack.high).some((byte) => byte !== 0)).toBe(true);
    });

    it('an instance starts with its least number of pages', async () => {
      const instance = booted();
      expect(instance.bytes.length).toBe(pins.pagesMin * 65_536);
    });
  });
});
