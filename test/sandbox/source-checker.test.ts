import { beforeAll, describe, expect, test } from 'vitest';
import { sha256Text } from '../../core/index.ts';
import { preludeDigest } from '../../sandbox/image.ts';
import { loadCapability, PINS, SOURCE_CHECK, SourceChecker } from '../../sandbox/index.ts';
import { PRELUDE } from '../../sandbox/prelude.ts';
import { engine } from './guest.ts';

let checker: SourceChecker;
beforeAll(async () => {
  checker = new SourceChecker(await engine());
});

/** Number of the check. A change of the code that checks, and that makes it refuse other sources, raises it. */
const CHECK = 1;

test('the name of the check covers its number, the pinned engines and the prelude', () => {
  expect(SOURCE_CHECK).toBe(sha256Text(JSON.stringify([CHECK, [PINS.engine.hash], preludeDigest(PRELUDE)])));
});

/** What a function throws, as data. */
function thrown(run: () => unknown): unknown {
  try {
    run();
    return 'nothing';
  } catch (error) {
    return JSON.parse(JSON.stringify(error));
  }
}

describe('a check of a source', () => {
  test.each([
    ['export default ({ a }) => a;'],
    ['export default (args) => {\n  args args;\n};'],
    ['export const a = 1;'],
    ['throw new TypeError("x");\nexport default 1;'],
    ['for (;;);\nexport default () => 1;'],
    ['await new Promise(() => {});\nexport default () => 1;'],
    ['const all = []; for (;;) all.push(new Array(1e5).fill(1));\nexport default () => 1;'],
    ['const f = () => f() + 1; f();\nexport default () => 1;'],
  ])('a check of %j ends as its load ends', async (source) => {
    const given = { name: 'a', source, limits: { memoryBytes: 16 << 20 } };
    const loaded = await engine().then((made) => thrown(() => loadCapability(made, given)));
    expect(thrown(() => checker.check(given))).toEqual(loaded);
  });

  test('a power name or a limit that is not acceptable is refused as by a load', async () => {
    const made = await engine();
    for (const more of [{ powers: ['a b'] }, { limits: { fuel: -1 } }]) {
      const given = { name: 'a', source: 'export default () => 1;', ...more };
      const refusal = thrown(() => loadCapability(made, given));
      expect(refusal).not.toBe('nothing');
      expect(thrown(() => checker.check(given))).toEqual(refusal);
    }
  });

  test('a source leaves no trace for the source that is checked after it', () => {
    checker.check({ name: 'a', source: 'globalThis.seen = 1; Array.prototype.seen = 1; export default () => 1;' });
    const source = 'if (globalThis.seen || [].seen) throw new Error("seen"); export default () => 1;';
    expect(() => checker.check({ name: 'b', source })).not.toThrow();
  });
});
