import type {
  CapabilityDefinition,
  GrantOption,
  ModelPort,
  Runtime,
  RuntimeOptions,
  StartOptions,
} from '../../../workers/api.ts';
import { fromScript } from '../../../workers/bridges/models/script.ts';

/** Opens a runtime on the platform of the test. */
export type Open = (options: RuntimeOptions) => Promise<Runtime>;

const NUMBERS = {
  type: 'object',
  required: ['a', 'b'],
  additionalProperties: false,
  properties: { a: { type: 'number' }, b: { type: 'number', maximum: 100 } },
} as const;

function capability(name: string, source: string, more: Partial<CapabilityDefinition> = {}): CapabilityDefinition {
  return { name, version: '1.0.0', description: name, args: NUMBERS, effect: 'pure', source, ...more };
}

/**
 * A double that differs from the integer that JSON.stringify writes for it: schemas may hold it, a proposal may not.
 */
const LEAST = -(2 ** 60);

const CAPABILITIES: readonly CapabilityDefinition[] = [
  capability('math.add', 'export default ({ a, b }) => a + b;', {
    result: { type: 'number', minimum: LEAST, maximum: 1000 },
  }),
  capability('math.throw', 'export default ({ a }) => { throw new RangeError(`no ${a}`); };'),
  capability('math.loop', 'export default () => { for (;;); };'),
  capability(
    'math.dice',
    'export default async ({ a }, { random, clock, log }) => { log("rolled"); return [a, await random(), await clock(), Math.random(), Date.now()]; };',
    { powers: ['random', 'clock', 'log'] },
  ),
  capability('note.put', 'export default ({ a }) => { console.log("put", a); return "ok"; };', { effect: 'write' }),
  capability('note.get', 'export default ({ a }) => ({ note: `private ${a}` });', {
    effect: 'read',
    labels: ['private', 'untrusted'],
  }),
  capability('note.key', 'export default ({ a }) => `key ${a}`;', { secret: ['args', 'result'] }),
  capability('math.off', 'export default () => 1;'),
];

const GRANTS: readonly GrantOption[] = [
  { capability: 'math.add', mode: 'allow', where: { properties: { a: { minimum: LEAST, maximum: 10 } } } },
  { capability: 'math.throw', mode: 'allow', uses: 2 },
  { capability: 'math.loop', mode: 'allow' },
  { capability: 'math.dice', mode: 'allow' },
  { capability: 'note.put', mode: 'ask' },
  { capability: 'note.get', mode: 'allow' },
  { capability: 'note.key', mode: 'allow' },
];

export function call(tool: string, a: unknown = 1, b: unknown = 2) {
  return { tool_call: { tool, args: { a, b } } };
}

const say = (content: string) => ({ message: { content } });

/** A proposal of every kind that has an outcome of its own. */
export const EVERYTHING: readonly unknown[] = [
  call('math.add'),
  call('math.add', 11),
  call('math.add', 1, 200),
  call('math.add', -5000, 1),
  'no json',
  { message: { content: 'x' }, tool_call: {} },
  call('math.none'),
  call('math.off'),
  call('math.throw'),
  call('math.throw', 2),
  call('math.throw', 3),
  call('math.loop'),
  call('math.dice'),
  call('note.put', 1),
  call('note.put', 2),
  call('note.get'),
  call('note.put', 3),
  call('note.key'),
  new Uint8Array([0xff, 0xfe]),
  new Uint8Array(3000),
  call('math.add', 3, 4),
];

const ANSWERS = [
  { approved: true },
  { approved: false, reason: 'not that' },
  { approved: true, standing: { args: 'any', uses: 2 } },
] as const;

/** Runs a script to its end and exports the run. */
export async function record(
  open: Open,
  script: readonly unknown[] = [...EVERYTHING, say('done')],
  more: Partial<StartOptions> & { readonly secrets?: boolean; readonly remote?: string } = {},
): Promise<string> {
  let asked = 0;
  const approve = async () => ANSWERS[asked++ % ANSWERS.length] ?? { approved: false as const, reason: '' };
  const rt = await open({
    capabilities: CAPABILITIES.slice(0, -1),
    grants: GRANTS,
    approve,
    consent: async () => true,
  });
  await rt.capabilities.register(CAPABILITIES.at(-1) as CapabilityDefinition);
  const { secrets = true, remote, ...start } = more;
  const local: ModelPort = fromScript(script as never);
  const model = remote === undefined ? local : { ...local, locality: { kind: 'remote', origin: remote } as const };
  const limits = { refusalsInRow: 100, proposalBytes: 2000 };
  const run = rt.start({ dialect: 'femtoclaw', task: 'Everything.', model, limits, ...start });
  await run.result;
  const text = await rt.ledger.export(run.id, { secrets });
  await rt.close();
  return text;
}
