import { fromScript, openRuntime } from '../../workers/node.ts';
import { median, race, type Side } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const MANY = 1000;
const USED = 10;
const STEPS = 20;

const NUMBER = { type: 'number' } as const;

/** A capability with schemas and a definition of its own. */
const adding = (at: number) => ({
  name: `math.add${at}`,
  version: '1.0.0',
  description: `Adds two numbers and ${at}.`,
  effect: 'pure' as const,
  args: {
    type: 'object',
    required: ['a', 'b'],
    additionalProperties: false,
    properties: { a: NUMBER, b: NUMBER, [`note${at}`]: { type: 'string', maxLength: at + 1 } },
  },
  result: { type: 'object', required: ['sum'], properties: { sum: { type: 'number', minimum: -at } } },
  source: `export default ({ a, b }) => ({ sum: a + b + ${at} });`,
});

type Opened = Awaited<ReturnType<typeof openRuntime>>;

const openWith = (count: number, grants: readonly object[] = []): Promise<Opened> => {
  const capabilities = Array.from({ length: count }, (_, at) => adding(at));
  const all = capabilities.map(({ name }) => ({ capability: name, mode: 'allow' as const }));
  return openRuntime({ capabilities, grants: grants.length > 0 ? (grants as typeof all) : all });
};

/** µs until a runtime with this many capabilities is open. */
const opening = (count: number): Side => ({
  name: `open of ${count} capabilities`,
  sample: async () => {
    const start = performance.now();
    const runtime = await openWith(count);
    const ms = performance.now() - start;
    await runtime.close();
    return ms * 1000;
  },
});

/** µs a step of a run that calls each capability once: schemas and images are made here. */
const firstUse = (count: number): Side => ({
  name: `first call of ${USED}, ${count} open`,
  sample: async () => {
    const runtime = await openWith(count);
    const us = await stepOf(runtime, USED, (at) => `math.add${at}`);
    await runtime.close();
    return us;
  },
});

/** µs a step: the median between the requests for two proposals. */
async function stepOf(runtime: Opened, steps: number, tool: (at: number) => string): Promise<number> {
  const calls = Array.from({ length: steps }, (_, at) => ({
    next_step: { tool: tool(at), arguments: { a: at, b: at }, goal: 'add' },
  }));
  const script = fromScript([...calls, { done: true, message: 'added' }]);
  const asked: number[] = [];
  const propose: typeof script.propose = (request, io) => {
    asked.push(performance.now());
    return script.propose(request, io);
  };
  const limits = { steps: steps + 1 };
  const run = runtime.start({ dialect: 'xct', task: 'Add.', model: { ...script, propose }, limits, paused: true });
  await run.run();
  const end = await run.result;
  if (end.state !== 'completed') throw new Error(`the run ended ${end.state}: ${end.code} ${end.message}`);
  return median(asked.slice(1).map((at, step) => at - (asked[step] ?? 0))) * 1000;
}

/** µs a step beside this many grants, each for its own value of an argument. */
function beside(count: number, where: (at: number) => object, named: string): Side {
  let opened: Promise<Opened> | undefined;
  return {
    name: `${count} grants, ${named}`,
    sample: async () => {
      const grants = Array.from({ length: count }, (_, at) => ({
        capability: 'math.add0',
        mode: 'allow',
        where: { properties: { a: where(at) } },
      }));
      opened ??= openWith(1, grants);
      return stepOf(await opened, STEPS, () => 'math.add0');
    },
  };
}

/** Costs beside many capabilities and many grants, with real threads and a store in memory. */
export async function scale(rounds: number): Promise<Row[]> {
  const narrowed = (count: number) => beside(count, (at) => ({ const: at }), 'const');
  const patterned = (count: number) => beside(count, (at) => ({ multipleOf: at + 1 }), 'multipleOf');
  return [
    ...rowsOf(`open of ${MANY} capabilities`, await race([opening(MANY), opening(1)], rounds), { us: 1_000_000 }),
    ...rowsOf(`first call of ${USED} of ${MANY}`, await race([firstUse(MANY), firstUse(USED)], rounds)),
    ...rowsOf(`step beside ${MANY} grants, const`, await race([narrowed(MANY), narrowed(STEPS)], rounds), { us: 5000 }),
    ...rowsOf(`step beside ${STEPS} grants, multipleOf`, await race([patterned(STEPS), narrowed(STEPS)], rounds)),
  ];
}
