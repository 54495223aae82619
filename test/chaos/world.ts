import { contentHash } from '../../core/index.ts';
import type {
  Authorizer,
  CapabilityDefinition,
  GrantOption,
  PowerDefinition,
  StartOptions,
} from '../../workers/api.ts';
import { CORPUS_CAPABILITIES, definePower } from '../../workers/node.ts';
import { execute, message, read, write } from '../runtime/content/messages.ts';
import { type Dice, pause, pick } from './dice.ts';

const ARGS = {
  type: 'object',
  required: ['n'],
  additionalProperties: false,
  properties: { n: { type: 'integer' } },
} as const;

function capability(name: string, body: string, more: Partial<CapabilityDefinition> = {}): CapabilityDefinition {
  const source = `export default async ({ n }, powers) => { ${body} }`;
  return { name, version: '1.0.0', description: name, args: ARGS, effect: 'pure', source, ...more };
}

const OWN: readonly CapabilityDefinition[] = [
  capability('a.add', 'return n + 1;', { result: { type: 'integer' } }),
  capability('a.throw', 'throw new RangeError(`no ${n}`);'),
  capability('a.loop', 'for (;;);', { limits: { fuel: 200_000 } }),
  capability('a.none', 'return { f: () => n, n: NaN };'),
  capability('a.dice', 'return [await powers.random(), await powers.clock(), Math.random(), Date.now()];', {
    powers: ['random', 'clock'],
  }),
  capability('a.note', 'console.log("put", n); return "ok";', { effect: 'write' }),
  capability('a.get', 'return { note: `private ${n}` };', { effect: 'read', labels: ['private', 'untrusted'] }),
  capability('a.key', 'return `key ${n}`;', { secret: ['args', 'result'] }),
  capability('a.keep', 'const old = await powers.store.get("k"); await powers.store.put("k", n); return old ?? null;', {
    effect: 'write',
    powers: ['store.get', 'store.put'],
  }),
  capability('a.mail', 'return powers.mail.send({ n });', { effect: 'egress', powers: ['mail.send'] }),
  capability(
    'a.twice',
    `const page = await powers.web.read({ n });
    const first = await powers.mail.send({ n }).catch((e) => e.name);
    const both = await Promise.allSettled([powers.mail.send({ n: -n }), powers.web.read({ n })]);
    await powers.store.put("m", n);
    return [page, first, both.map(({ status }) => status)];`,
    { effect: 'egress', powers: ['mail.send', 'web.read', 'store.put'] },
  ),
  capability('a.slow', 'return powers.web.slow({ n });', { effect: 'read', powers: ['web.slow'] }),
];
export const CAPABILITIES: readonly CapabilityDefinition[] = [...OWN, ...CORPUS_CAPABILITIES];

/** The powers of the page. Each number that is sent is given to `sends`. */
export function powersOf(roll: Dice, sends: (n: number) => void): readonly PowerDefinition[] {
  const common = { version: '1.0.0', description: 'For chaos.', args: ARGS } as const;
  const send = async ({ n }: { n: number }) => {
    sends(n);
    await pause(roll() * 8);
    if (roll() < 0.1) throw new Error('nobody there');
    return n;
  };
  const answer =
    (ms: () => number) =>
    async ({ n }: { n: number }) => {
      await pause(ms());
      return `page ${n}`;
    };
  const web = { ...common, effect: 'read', labels: ['untrusted'] } as const;
  return [
    definePower({ ...common, name: 'mail.send', effect: 'egress', run: send as never }),
    definePower({ ...web, name: 'web.read', run: answer(() => roll() * 4) as never }),
    // Sometimes longer than a call may wait inside the sandbox.
    definePower({ ...web, name: 'web.slow', run: answer(() => (roll() < 0.2 ? 2_300 : 5)) as never }),
  ];
}

export function grantsOf(roll: Dice): readonly GrantOption[] {
  const mode = () => pick(roll, ['allow', 'allow', 'ask'] as const);
  const uses = () => (roll() < 0.15 ? { uses: 2 } : {});
  const where = () => (roll() < 0.1 ? { where: { properties: { n: { maximum: 60 } } } } : {});
  const expires = () => (roll() < 0.05 ? { expires: Date.now() + Math.floor(roll() * 1_000) } : {});
  const some = OWN.filter(() => roll() < 0.95);
  const powers = ['mail.send', 'web.read', 'web.slow'];
  const denied = { properties: { n: { minimum: 90 } } };
  return [
    ...some.map(({ name }) => ({ capability: name, mode: mode(), ...uses(), ...where(), ...expires() })),
    ...powers.map((power) => ({ power, mode: mode(), ...uses(), ...where(), ...expires() })),
    ...powers.filter(() => roll() < 0.1).map((power) => ({ power, mode: 'deny' as const, where: denied })),
    ...['content.read', 'content.write'].map((name) => ({ capability: name, mode: mode() })),
    ...CORPUS_CAPABILITIES.map(({ name }) => ({ capability: name, mode: 'allow' as const })),
  ];
}

/** Options of one run: limits that it may reach, and heap hashes that a replay compares. */
export function startOf(roll: Dice): Pick<StartOptions, 'limits' | 'heapHash'> {
  const few = roll() < 0.2 ? { expandedBytes: 200 } : {};
  const short = roll() < 0.1 ? { wallMs: 100 + Math.floor(roll() * 1_000) } : {};
  const limits = { proposalBytes: 2_000, refusalsInRow: roll() < 0.2 ? 3 : 20, steps: 50, ...few, ...short };
  return { limits, heapHash: roll() < 0.3 };
}

/** An authorizer beside the grants that sometimes denies or throws. */
export function rulesOf(roll: Dice): Authorizer {
  const authorize = async () => {
    if (roll() < 0.05) throw new Error('no rules');
    return roll() < 0.85 ? { allow: true as const } : { allow: false as const, reason: 'rules' };
  };
  return { id: 'rules', authorize };
}

/** The texts that a section may have. A write names the hash of the current text. */
const TEXTS = ['## B\ntwo\n', '## B\n2\n'];
export const TEXT = '# A\none\n## B\ntwo\n';

export const DIALECTS = ['xct', 'femtoclaw', 'catalytic'] as const;

/** A random proposal: mostly calls, each with a number of its own, some of them wrong, and sometimes the end. */
export function proposal(roll: Dice, dialect: (typeof DIALECTS)[number], n: number): string | Uint8Array {
  const kind = roll();
  if (kind < 0.05) return 'no json';
  if (kind < 0.08) return new Uint8Array([0xff]);
  if (kind < 0.1) return 'x'.repeat(3_000);
  const args = { n, ...(kind < 0.14 ? { m: 1 } : {}) };
  const tool = pick(roll, CAPABILITIES).name;
  const isLast = kind > 0.88;
  switch (dialect) {
    case 'xct':
      return JSON.stringify(
        isLast ? { done: true, message: 'end' } : { next_step: { tool, arguments: args, goal: 'g' } },
      );
    case 'femtoclaw':
      return JSON.stringify(isLast ? { message: { content: 'end' } } : { tool_call: { tool, args } });
    case 'catalytic':
      return JSON.stringify(isLast ? message([]) : message(operations(roll, n, args), outputs(roll)));
  }
}

/** A required output. The message fails when no operation names it. */
function outputs(roll: Dice): { required_outputs?: string[] } {
  return roll() < 0.1 ? { required_outputs: ['out-0'] } : {};
}

function operations(roll: Dice, n: number, args: object) {
  return Array.from({ length: 1 + Math.floor(roll() * 3) }, (_, at) => {
    const kind = roll();
    const slice = roll() < 0.3 ? { slice: pick(roll, ['lines[0:2]', 'head(1)', 'lines[5:99]']) } : {};
    const output = roll() < 0.3 ? { output: `out-${at}` } : {};
    if (kind < 0.25)
      return read(pick(roll, ['@x/file', '@x/b', '@x/file', '@x/b', '@x/none']), { ...slice, ...output });
    const [content, before] = [pick(roll, TEXTS), pick(roll, TEXTS)];
    if (kind < 0.45) return write('@x/b', { content, expected_hash: contentHash(before), ...output });
    const critical = roll() < 0.3 ? { critical: false } : {};
    return execute(`@TOOLS/${pick(roll, OWN).name}`, { args: { ...args, n: n + at * 1_000 }, ...critical, ...output });
  });
}
