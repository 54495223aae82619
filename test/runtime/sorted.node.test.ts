import { expect, test } from 'vitest';
import { canonicalText } from '../../core/json/canonical.ts';
import type { LedgerRecord } from '../../core/ledger/record.ts';
import { fromScript } from '../../workers/node.ts';
import { openRuntime } from './shared.ts';

const CALL = { next_step: { tool: 'note.keep', arguments: { text: 'a' }, goal: 'Keep a note.' } };

test('the bodies of a step are made with their members in canonical order', async () => {
  const note = {
    name: 'note.keep',
    version: '1.0.0',
    description: 'Keeps a note.',
    effect: 'write',
    args: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
    source: 'export default (args) => args;',
  } as const;
  const runtime = await openRuntime({ capabilities: [note], grants: [{ capability: note.name, mode: 'allow' }] });
  const model = fromScript([CALL, 'no proposal', { done: true, message: 'kept' }]);
  const run = runtime.start({ dialect: 'xct', task: 'Keep.', model });
  expect((await run.result).state).toBe('completed');
  const kinds = new Map<string, LedgerRecord['body']>();
  for await (const { kind, body } of run.records()) {
    if (!OF_STEP.has(kind)) continue;
    kinds.set(kind, body);
    expect(JSON.stringify(body), kind).toBe(canonicalText(body));
  }
  expect([...kinds.keys()].toSorted()).toEqual([...OF_STEP]);
  await runtime.close();
});

const OF_STEP: ReadonlySet<string> = new Set(['decision', 'intent', 'observation', 'proposal', 'receipt', 'verdict']);
