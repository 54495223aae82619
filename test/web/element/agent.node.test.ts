import { expect, test, vi } from 'vitest';
import { Agent } from '../../../web/element/agent.ts';
import type { ModelPort, Runtime } from '../../../workers/api.ts';
import { deferred } from '../../../workers/async.ts';
import { fromScript } from '../../../workers/node.ts';
import { CAPABILITIES } from '../../runtime/secret/world.ts';
import { openRuntime } from '../../runtime/shared.ts';

const idle = (): void => undefined;
const LISTENER = { state: idle, record: idle, text: idle, asking: idle, taken: idle };

test('the texts that a consent would send are those of the model, also of a secret step', async () => {
  const proposal = JSON.stringify({ next_step: { tool: 'pin.result', arguments: {}, goal: 'see' } });
  const runtime = await openRuntime({
    capabilities: CAPABILITIES.filter(({ name }) => name === 'pin.result'),
    grants: [{ capability: 'pin.result', mode: 'allow' }],
  });
  const options = { runtime, model: fromScript([proposal, JSON.stringify({ done: true, message: 'x' })]) };
  const agent = await Agent.open(options, {}, LISTENER, {});
  const run = agent.start('Look.');
  void run.resume();
  await run.result;
  const [task, said, reply] = await agent.told();
  expect([task, said]).toEqual(['Look.', proposal]);
  expect(JSON.parse(reply ?? '')).toMatchObject({ status: 'success' });
  await runtime.close();
});

/** A runtime that the page has lent, with a run of these records: a model's proposal, or a person's edited call. */
function lent(proposals: readonly ('model' | 'person')[], until: Promise<void> = Promise.resolve()) {
  const records = proposals.map((by) => ({ kind: 'proposal', body: by === 'person' ? { by } : {} }));
  const run = {
    id: 'kept',
    view: {},
    watch: idle,
    records: async function* () {},
    abort: vi.fn(async () => undefined),
  };
  let shown = records.slice(0, 1);
  // the rest was written by a page that went meanwhile
  const resume = vi.fn(async (_id: string, _model: ModelPort) => (await until, (shown = records), run));
  const runtime = { ledger: { records: async () => shown }, resume } as unknown as Runtime;
  return { runtime, run, resume };
}

test('a script goes on behind the proposals that it has made: the call that a person has edited is none of them', async () => {
  const { runtime, resume } = lent(['model', 'person', 'model']);
  const agent = await Agent.open({ runtime }, { script: ['one', 'two', 'three'] } as never, LISTENER, {});
  await agent.takeUp('kept');
  const [, model] = resume.mock.calls[0] ?? [];
  expect(await model?.propose({} as never, new AbortController())).toMatchObject({ text: 'three' });
});

test('a run that is taken up while its element is taken away ends: no other element could take it up', async () => {
  const until = deferred<void>();
  const { runtime, run } = lent([], until.promise);
  const agent = await Agent.open({ runtime, model: fromScript([]) }, {}, LISTENER, {});
  const takingUp = agent.takeUp('kept');
  await agent.close();
  expect(run.abort).not.toHaveBeenCalled();
  until.resolve();
  await takingUp;
  expect(run.abort).toHaveBeenCalledWith('the element was taken away');
});
