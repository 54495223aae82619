import type { GuestError } from '../core/errors/details.ts';

/** The name under which the author's source appears in positions. */
export const SOURCE_FILE = 'capability.js';

/** Functions of the prelude that the host calls. */
export const ENTRIES = ['setup', 'explain', 'adopt', 'adopted', 'start', 'resume', 'poll', 'lines'] as const;

/**
 * Globals that a capability finds in its heap. Authority as a table: a global that is not listed is deleted before the
 * author's code runs, and a test compares these names with the globals of a real heap.
 */
export const GLOBALS: readonly string[] = [
  'globalThis undefined NaN Infinity console eval parseInt parseFloat isNaN isFinite escape unescape',
  'decodeURI decodeURIComponent encodeURI encodeURIComponent',
  'Object Function Array Iterator Boolean Number BigInt String Symbol Math Reflect Proxy Date RegExp JSON Promise',
  'Error AggregateError EvalError InternalError RangeError ReferenceError SyntaxError TypeError URIError',
  'Map Set WeakMap WeakSet ArrayBuffer DataView',
  'Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array',
  'BigInt64Array BigUint64Array Float16Array Float32Array Float64Array',
].flatMap((line) => line.split(' '));

/** Lengths to which the host cuts a guest's own words, in UTF-16 code units. */
const ERROR_TEXT = { name: 128, message: 2048, stack: 4096 } as const;

/**
 * The first script in a capability's heap. It keeps what it needs of the intrinsics before the author's code can
 * change them, takes away the globals that are not permitted, and is the only thing that speaks with the host: JSON
 * text in, one tagged text out. It reads nothing through a prototype the guest could have changed: own members of
 * fresh arrays, objects without prototype, and captured functions only.
 *
 * What `start` and `poll` return: '' to go on, `w[[ticket,"name","args"],…]` for power calls to be made, or the end:
 * `v` + JSON of the value, `t` threw, `p` threw a power's failure, `r` the result is not JSON, `a` the arguments are
 * not; the last four with `[name,message,stack]`. A capital letter says that there are lines on the console.
 */
export const PRELUDE: string = `(() => {
'use strict';
const { parse, stringify } = JSON;
const { create, defineProperty, freeze, getOwnPropertyNames, setPrototypeOf } = Object;
const NativePromise = Promise, NativeError = Error, String_ = String;
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const slice = uncurry(String.prototype.slice);
const split = uncurry(String.prototype.split);
const has = uncurry(WeakSet.prototype.has), add = uncurry(WeakSet.prototype.add);
const failures = new WeakSet();
const pending = create(null);
const powers = create(null);
let main, state = '', loading = 'pending', outbox = '', tickets = 0, ticketsMax = 0;
let log = '', logged = 0, logMax = 0, logOver = false;

const permitted = create(null);
${JSON.stringify(GLOBALS)}.forEach((name) => { permitted[name] = true; });
getOwnPropertyNames(globalThis).forEach((name) => { if (!permitted[name]) delete globalThis[name]; });

const text = (read, max) => {
  try { return slice(\`\${read()}\`, 0, max); } catch { return ''; }
};
const explain = (e) => {
  const rich = (typeof e === 'object' && e !== null) || typeof e === 'function';
  const name = rich ? text(() => e.name === undefined ? '' : e.name, ${ERROR_TEXT.name}) : '';
  const message = rich ? text(() => e.message === undefined ? e : e.message, ${ERROR_TEXT.message}) : text(() => String_(e), ${ERROR_TEXT.message});
  const stack = rich ? text(() => e.stack, ${ERROR_TEXT.stack}) : '';
  return '[' + stringify(name || 'Error') + ',' + stringify(message) + ',' + stringify(stack) + ']';
};

const loud = { __proto__: null, v: 'V', t: 'T', p: 'P', r: 'R', a: 'A' };
const end = (tag, said) => { if (state === '') state = (log === '' && !logOver ? tag : loud[tag]) + said; };
const threw = (e) => end(has(failures, e) ? 'p' : 't', explain(e));
const finish = (value) => {
  let json;
  try { json = stringify(value); } catch (e) { end('r', explain(e)); return; }
  if (json === undefined) end('r', explain(new NativeError('the result is ' + typeof value + ', which is not JSON')));
  else end('v', json);
};
const follow = async (promise) => {
  let value;
  try { value = await promise; } catch (e) { threw(e); return; }
  finish(value);
};
const then = (value) => ((typeof value === 'object' && value !== null) || typeof value === 'function') ? value.then : undefined;

const ask = (name, args) => new NativePromise((resolve, reject) => {
  if (state !== '') throw new NativeError('power ' + name + ' was asked for after the result');
  // without a prototype, no toJSON of the guest's can make something else of the list than a list
  const json = stringify(setPrototypeOf(args, null));
  if (tickets > ticketsMax) return;
  tickets += 1;
  pending[tickets] = { __proto__: null, resolve, reject };
  outbox += (outbox === '' ? '' : ',') + '[' + tickets + ',' + stringify(name) + ',' + stringify(json) + ']';
});

const show = (value) => {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof NativeError) return value.name + ': ' + value.message;
    const json = stringify(value);
    return json === undefined ? String_(value) : json;
  } catch { return text(() => String_(value), ${ERROR_TEXT.message}); }
};
const line = (level) => (...values) => {
  if (logOver || state !== '') return;
  let said = '';
  for (let i = 0; i < values.length; i++) said += (i === 0 ? '' : ' ') + show(values[i]);
  logged += said.length + 1;
  if (logged <= logMax) log += (log === '' ? '' : ',') + '["' + level + '",' + stringify(said) + ']';
  // nothing else ends a guest that catches every error: the rest of its fuel goes at once, on every machine alike
  else { logOver = true; for (;;); }
};
globalThis.console = { debug: line('debug'), log: line('log'), info: line('info'), warn: line('warn'), error: line('error') };

return {
  __proto__: null,
  explain,
  setup: (json) => {
    const told = parse(json);
    ticketsMax = told.powerCalls;
    logMax = told.consoleBytes;
    told.powers.forEach((name) => {
      const path = split(name, '.');
      let at = powers;
      path.forEach((part, i) => {
        if (i === path.length - 1) at[part] = (...args) => ask(name, args);
        else at = at[part] ??= create(null);
      });
    });
    const seal = (object) => { getOwnPropertyNames(object).forEach((name) => { if (typeof object[name] === 'object') seal(object[name]); }); freeze(object); };
    seal(powers);
    return '';
  },
  adopt: (exported) => {
    const take = (namespace) => { main = namespace.default; loading = typeof main === 'function' ? '' : 'no_default'; };
    const wait = async () => { try { take(await exported); } catch (e) { loading = explain(e); } };
    if (typeof exported.default === 'function') take(exported); else wait();
    return '';
  },
  adopted: () => loading === 'pending' ? explain(new NativeError('top-level await never settles')) : loading,
  start: (json) => {
    let args;
    try { args = parse(json); } catch (e) { end('a', explain(e)); return state; }
    try {
      const value = main(args, powers);
      if (typeof then(value) === 'function') follow(value); else finish(value);
    } catch (e) { threw(e); }
    return outbox === '' ? state : '';
  },
  resume: (json) => {
    const answer = parse(json);
    const ticket = answer[0], { resolve, reject } = pending[ticket];
    delete pending[ticket];
    if (answer[1] === 1) { resolve(parse(answer[2])); return ''; }
    const failure = new NativeError(answer[3]);
    defineProperty(failure, 'name', { __proto__: null, value: answer[2] });
    add(failures, failure);
    reject(failure);
    return '';
  },
  poll: () => {
    if (outbox === '') return state;
    const asked = 'w[' + outbox + ']';
    outbox = '';
    return asked;
  },
  lines: () => (logOver ? '1' : '0') + '[' + log + ']',
};
})()`;

/** Place in a source; line and column count from 1. */
export type SourcePlace = Required<Pick<GuestError, 'line' | 'column'>>;

/**
 * Reads a prelude's report about a thrown value: `[name, message, stack]`, each cut to size by the prelude. All of it
 * is the guest's text. The position is the innermost frame in the author's own file.
 */
export function readError(text: string, fileName: string): GuestError {
  const [name = 'Error', message = '', stack = ''] = JSON.parse(text) as readonly string[];
  return { name: name.toWellFormed(), message: message.toWellFormed(), ...placeIn(stack, fileName) };
}

/**
 * The innermost frame of a stack that is in this file. The engine keeps positions of calls and members only: between
 * two of them it gives the earlier position, so a loop that only counts is placed at the start of its function.
 */
export function placeIn(stack: string, fileName: string): SourcePlace | undefined {
  const at = stack.indexOf(`${fileName}:`);
  const [, line, column] = /^(\d{1,9}):(\d{1,9})/.exec(at < 0 ? '' : stack.slice(at + fileName.length + 1)) ?? [];
  return line === undefined || column === undefined ? undefined : { line: Number(line), column: Number(column) };
}
