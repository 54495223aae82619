import { expect, it } from 'vitest';
import { GLOBALS } from '../../sandbox/index.ts';
import { call, load, valueOf } from './guest.ts';
import { INTRINSICS } from './intrinsics.ts';

it('a realm has the permitted globals only', async () => {
  const names = await valueOf('export default () => Object.getOwnPropertyNames(globalThis)');
  expect((names as string[]).toSorted()).toEqual(GLOBALS.toSorted());
});

const ABSENT = [
  'SharedArrayBuffer Atomics WeakRef FinalizationRegistry performance queueMicrotask setTimeout fetch XMLHttpRequest',
  'WebSocket process require std os bjson navigator crypto gc WebAssembly Worker postMessage print scriptArgs load Intl',
].flatMap((line) => line.split(' '));

it.each(ABSENT)('a realm has no global %s', async (name) => {
  expect(await valueOf(`export default () => typeof ${name}`)).toBe('undefined');
});

/** All objects that are reachable from the globals by names, symbols and prototypes, as `path: own names`. */
const WALK = `export default () => {
  const seen = new Map(), rows = {};
  const walk = (value, path) => {
    if ((typeof value !== 'object' || value === null) && typeof value !== 'function' || seen.has(value)) return;
    seen.set(value, path);
    const names = Reflect.ownKeys(value).map(String).filter((n) => !(typeof value === 'function' && ['length', 'name'].includes(n)));
    if (names.length > 0) rows[path] = names.sort().join(' ');
    for (const key of Reflect.ownKeys(value)) {
      const { value: member, get, set } = Object.getOwnPropertyDescriptor(value, key);
      for (const [part, at] of [[member, ''], [get, ' (get)'], [set, ' (set)']]) walk(part, path + '.' + String(key) + at);
    }
    walk(Object.getPrototypeOf(value), path + '.__proto__');
  };
  for (const name of Object.getOwnPropertyNames(globalThis).sort()) walk(globalThis[name], name);
  for (const [path, value] of [['async', async () => {}], ['generator', function* () {}], ['asyncGenerator', async function* () {}],
    ['arguments', (function () { return arguments })()], ['regexp', 'x'.matchAll(/x/g)], ['array', [][Symbol.iterator]()],
    ['map', new Map().entries()], ['set', new Set().entries()], ['string', ''[Symbol.iterator]()], ['iterator', Iterator.from({ next() {} })],
    ['helper', [].values().map(Number)], ['concat', Iterator.concat([])]]) walk(value, '%' + path + '%');
  return rows;
}`;

it('a realm has exactly the listed intrinsics', async () => {
  const capability = await load(WALK);
  const settled = call(capability);
  expect(settled.ok && (JSON.parse(settled.text) as unknown)).toEqual(INTRINSICS);
});

it('functions of a realm lead to no object of the host', async () => {
  const source = `export default () => [
    typeof (function () { return this })(), Function('return typeof this')(), (0, eval)('Object.getOwnPropertyNames(globalThis).length'),
    (() => { try { return Object.getOwnPropertyNames((() => {}).caller ?? {}) } catch (e) { return e.name } })(),
  ]`;
  expect(await valueOf(source)).toEqual(['undefined', 'object', GLOBALS.length, 'TypeError']);
});
