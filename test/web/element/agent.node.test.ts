import { expect, test } from 'vitest';
import { Agent } from '../../../web/element/agent.ts';
import { fromScript } from '../../../workers/node.ts';
import { CAPABILITIES } from '../../runtime/secret/world.ts';
import { openRuntime } from '../../runtime/shared.ts';

test('the texts that a consent would send are those of the model, also of a secret step', async () => {
  const proposal = JSON.stringify({ next_step: { tool: 'pin.result', arguments: {}, goal: 'see' } });
  const runtime = await openRuntime({
    capabilities: CAPABILITIES.filter(({ name }) => name === 'pin.result'),
    grants: [{ capability: 'pin.result', mode: 'allow' }],
  });
  const idle = (): void => undefined;
  const listener = { state: idle, record: idle, text: idle, asking: idle, taken: idle };
  const options = { runtime, model: fromScript([proposal, JSON.stringify({ done: true, message: 'x' })]) };
  const agent = await Agent.open(options, {}, listener, {});
  const run = agent.start('Look.');
  void run.resume();
  await run.result;
  const [task, said, reply] = await agent.told();
  expect([task, said]).toEqual(['Look.', proposal]);
  expect(JSON.parse(reply ?? '')).toMatchObject({ status: 'success' });
  await runtime.close();
});
