import { defineTool, fromScript, openRuntime } from '../../workers/node.ts';
import { median, race, type Side } from './race.ts';
import { type Row, rowsOf } from './table.ts';

const MANY = 1000;
const OFFERED = 10;
const CALLS = 200;

/** A tool with a schema of its own. */
const tool = (at: number) =>
  defineTool({
    name: `math.add${at}`,
    version: '1.0.0',
    description: `Adds two numbers and ${at}.`,
    effect: 'read',
    labels: [],
    args: {
      type: 'object',
      required: ['a', 'b'],
      additionalProperties: false,
      properties: { a: { type: 'number' }, b: { type: 'number', minimum: -at - 1 } },
    },
    run: ({ a, b }) => a + b + at,
  });

type Opened = Awaited<ReturnType<typeof openRuntime>>;

const openWith = (count: number): Promise<Opened> => {
  const tools = Array.from({ length: count }, (_, at) => tool(at));
  return openRuntime({ tools, grants: tools.map(({ name }) => ({ capability: name, mode: 'allow' }) as const) });
};

/** µs until a runtime with this many tools is open. */
const opening = (count: number): Side => ({
  name: `open of ${count} tools`,
  sample: async () => {
    const start = performance.now();
    const runtime = await openWith(count);
    const ms = performance.now() - start;
    await runtime.close();
    return ms * 1000;
  },
});

const offer = Array.from({ length: OFFERED }, (_, at) => `math.add${at}`);
const args = (at: number) => ({ a: at, b: at });

/** µs a call of a tool in a session. */
const sessionCall = (opened: () => Promise<Opened>, name: string): Side => ({
  name,
  sample: async () => {
    const session = (await opened()).openSession({ offer });
    const times: number[] = [];
    for (let at = 0; at < CALLS; at++) {
      const start = performance.now();
      await session.call('math.add0', args(at));
      times.push(performance.now() - start);
    }
    await session.close();
    return median(times) * 1000;
  },
});

/** µs a step of a run that calls the same tool: the time between the requests for two proposals. */
const runStep = (opened: () => Promise<Opened>): Side => ({
  name: 'step of a run',
  sample: async () => {
    const calls = Array.from({ length: CALLS }, (_, at) => ({
      next_step: { tool: 'math.add0', arguments: args(at), goal: 'add' },
    }));
    const script = fromScript([...calls, { done: true, message: 'added' }]);
    const asked: number[] = [];
    const propose: typeof script.propose = (request, io) => {
      asked.push(performance.now());
      return script.propose(request, io);
    };
    const limits = { steps: CALLS + 1 };
    const run = (await opened()).start({ dialect: 'xct', task: 'Add.', model: { ...script, propose }, limits, offer });
    await run.result;
    return median(asked.slice(1).map((at, step) => at - (asked[step] ?? 0))) * 1000;
  },
});

/** Costs of tools of the program and of sessions, with a store in memory. */
export async function tools(rounds: number): Promise<Row[]> {
  const once = (count: number) => {
    let opened: Promise<Opened> | undefined;
    return () => (opened ??= openWith(count));
  };
  const [few, many] = [once(OFFERED), once(MANY)];
  const rows = [
    ...rowsOf(`open of ${MANY} tools`, await race([opening(MANY), opening(1)], rounds), { us: 1_000_000 }),
    ...rowsOf('call of a session', await race([sessionCall(few, 'call of a session'), runStep(few)], rounds), {
      ratio: 1.05,
    }),
    ...rowsOf(
      `call beside ${MANY} tools, ${OFFERED} offered`,
      await race([sessionCall(many, `beside ${MANY}`), sessionCall(few, `beside ${OFFERED}`)], rounds),
      { ratio: 1.1 },
    ),
  ];
  for (const opened of [few, many]) await (await opened()).close();
  return rows;
}
