import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Clone, makeClone } from './clone.ts';

let clone: Clone;
beforeAll(() => {
  clone = makeClone();
  const scripts = {
    measure: `node -e "console.log('warm'); console.log(JSON.stringify({ ok: true, words: process.argv.slice(1) }))" --`,
    fail: `node -e "console.log('half'); process.exitCode = 3"`,
  };
  clone.write('package.json', JSON.stringify({ scripts }));
});
afterAll(() => clone.remove());

test('a kept run prints its output, and stores it as text and its last line as JSON beside the machine', () => {
  const { status, stdout } = clone.script('kept.mjs', 'measure', 'quick');
  expect(status).toBe(0);
  expect(stdout).toContain('warm\n{"ok":true,"words":["quick"]}\n');
  expect(clone.read('test-results/kept/measure.txt')).toBe(stdout);
  expect(JSON.parse(clone.read('test-results/kept/measure.json'))).toMatchObject({
    node: process.version,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    result: { ok: true, words: ['quick'] },
  });
});

test('a kept run that fails is stored, and fails', () => {
  expect(clone.script('kept.mjs', 'fail').status).not.toBe(0);
  expect(clone.read('test-results/kept/fail.txt')).toContain('half\n');
  expect(() => clone.read('test-results/kept/fail.json')).toThrow('ENOENT');
});

test('kept.mjs without a name prints its usage', () => {
  expect(clone.script('kept.mjs')).toMatchObject({
    status: 64,
    stderr: 'Usage: node .scripts/kept.mjs NAME [ARGUMENT...]\n',
  });
});
