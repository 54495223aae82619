import { defineCapability, fromScript, type PageOptions } from '../../web/index.ts';
import type { ModelPort } from '../../workers/api.ts';

/** A call that a person answers in most tests. */
export const keep = defineCapability({
  name: 'keep',
  version: '1.0.0',
  description: 'Keeps a number.',
  effect: 'write',
  args: { type: 'object', required: ['n'], additionalProperties: false, properties: { n: { type: 'integer' } } },
  source: 'export default ({ n }) => n;',
});

/** A runtime in memory. A person answers each call of `keep`. */
export const OPTIONS: PageOptions = {
  store: 'memory',
  capabilities: [keep],
  grants: [{ capability: 'keep', mode: 'ask' }],
};

/** A proposal that calls `keep`. */
export const keepCall = (n: number) => ({ next_step: { tool: 'keep', arguments: { n }, goal: 'keep' } });

/** Calls `keep` for each number, and ends. */
export function keeps(...numbers: readonly number[]): ModelPort {
  return fromScript([...numbers.map(keepCall), { done: true, message: 'Kept.' }]);
}
