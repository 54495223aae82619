import { expect, test } from 'vitest';
import type { CapabilityDefinition, Runtime } from '../../../../workers/api.ts';
import { localAuditor } from '../../../../workers/auditor/auditor.ts';
import { openClient } from '../../../../workers/client/client.ts';
import { makeKernel } from '../../../../workers/kernel/kernel.ts';
import { nodePorts } from '../../../../workers/node/platform.ts';
import { fromScript } from '../../../../workers/node.ts';
import { emptyLog, type MemoryLog, openMemoryStore } from '../../../../workers/store/memory/store.ts';
import { BUDGETS } from '../../../runtime/content/messages.ts';
import { forChecks, forRuns } from '../../../runtime/shared.ts';

const ECHO = {
  name: 'echo',
  version: '1.0.0',
  description: 'Says it again.',
  args: {},
  effect: 'pure',
  source: 'export default (args) => args;',
} as const;
const ROW = {
  symbol_id: '@TOOLS/echo',
  target_type: 'FILE',
  target_ref: 'a.md',
  default_slice_policy: 'head(1)',
} as const;
const TWICE = { code: 'symbol_twice', details: { symbol: '@TOOLS/echo' } };

/** Runtime of a process over a log that outlives the process. */
async function open(log: MemoryLog, capabilities: readonly CapabilityDefinition[] = []): Promise<Runtime> {
  const ports = { store: openMemoryStore(log), ...(await forRuns()), ...nodePorts };
  const kernel = makeKernel(ports, { isolation: 'node', probes: [], store: { kind: 'memory' } });
  return openClient(kernel, async () => localAuditor(forChecks), { capabilities });
}

async function defined(log: MemoryLog): Promise<Runtime> {
  const runtime = await open(log);
  await runtime.content.add([{ path: 'a.md', bytes: new TextEncoder().encode('# A\n') }]);
  await runtime.content.define(ROW);
  return runtime;
}

test('a capability is refused under the name of a symbol, also when an earlier process defined the symbol', async () => {
  const log = emptyLog();
  const first = await defined(log);
  await expect(first.capabilities.register(ECHO)).rejects.toMatchObject(TWICE);
  await expect(open(log, [ECHO])).rejects.toMatchObject(TWICE);
  await first.content.undefine('@TOOLS/echo');
  expect((await first.capabilities.register(ECHO)).name).toBe('echo');
  await expect(first.content.define(ROW)).rejects.toMatchObject(TWICE);
});

test('a catalytic run is neither begun nor resumed when a capability of it has the name of a symbol', async () => {
  const log = emptyLog();
  const first = await open(log, [ECHO]);
  const model = () => fromScript([{ intent: 'end', refs: [], ops: [], budgets: BUDGETS, required_outputs: [] }]);
  const ended = first.start({ dialect: 'catalytic', task: 'End.', model: model() });
  await ended.result;
  const second = await defined(log);
  await expect(first.start({ dialect: 'catalytic', task: 'End.', model: model() }).result).rejects.toMatchObject(TWICE);
  await expect(second.resume(ended.id, model())).rejects.toMatchObject(TWICE);
  const xct = first.start({ dialect: 'xct', task: 'Say.', model: fromScript([{ done: true, message: 'ok' }]) });
  expect(await xct.result).toMatchObject({ state: 'completed' });
});
