import { expect, test } from 'vitest';
import { type StampedEvent, toOtlp } from '../../../core/index.ts';
import { fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';

const ADD = {
  name: 'math.add',
  version: '1.0.0',
  description: 'Adds two numbers.',
  args: {
    type: 'object',
    required: ['a', 'b'],
    additionalProperties: false,
    properties: { a: { type: 'number' }, b: { type: 'number' } },
  },
  effect: 'pure',
  source: 'export default ({ a, b }) => ({ sum: a + b });',
} as const;

const CALL = { tool_call: { tool: 'math.add', args: { a: 31337, b: 2 } } };

async function opened() {
  const runtime = await openRuntime({ capabilities: [ADD], grants: [{ capability: 'math.add', mode: 'allow' }] });
  const run = runtime.start({
    dialect: 'femtoclaw',
    task: 'Add.',
    model: fromScript([CALL, '{', { message: { content: 'done' } }]),
  });
  return { runtime, run };
}

test('a run emits the events of its records while it runs', async () => {
  const { runtime, run } = await opened();
  const events: StampedEvent[] = [];
  for await (const event of run.telemetry()) events.push(event);
  const records = await runtime.ledger.records(run.id);
  const types = events.map(({ event }) => event.event_type);
  expect(types.filter((type) => type === 'protocol_received').length).toBe(
    records.filter(({ kind }) => kind === 'proposal').length,
  );
  expect(types.filter((type) => type === 'protocol_rejected').length).toBe(1);
  expect(types.filter((type) => type === 'capability_completed').length).toBe(1);
  expect(types.at(-1)).toBe('run_completed');
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
  expect(JSON.stringify(events)).not.toContain('31337');
  expect(toOtlp(events).traces.resourceSpans[0].scopeSpans[0].spans.length).toBe(8);
  await runtime.close();
});

test('a telemetry reader that throws, and a reader that stops reading, leave the run as it is', async () => {
  const { runtime, run } = await opened();
  const broken = (async () => {
    for await (const _ of run.telemetry()) throw new Error('the listener broke');
  })();
  const stuck = run.telemetry()[Symbol.asyncIterator]();
  await stuck.next();
  await expect(broken).rejects.toThrow('the listener broke');
  expect(await run.result).toMatchObject({ state: 'completed', steps: 3 });
  await runtime.close();
});

test('the telemetry of a run that could not start fails like its result', async () => {
  const runtime = await openRuntime();
  const run = runtime.start({ dialect: 'femtoclaw', task: '', model: fromScript([]), limits: { steps: -1 } });
  await expect(run.telemetry()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'option_invalid' });
  await expect(run.result).rejects.toMatchObject({ code: 'option_invalid' });
  await runtime.close();
});
