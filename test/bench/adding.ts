import { schemaHash } from '../../core/capability/define.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import { calcEval } from '../../sandbox/capabilities/calc.eval.ts';
import type { CapabilityDefinition } from '../../workers/api.ts';

/** The capability that both sides of a step have: it adds two numbers. */
export interface Adding {
  readonly name: string;
  readonly definition: CapabilityDefinition;
  /** The same for a competitor: a plain function in the host. */
  readonly tool: (args: never) => JsonObject;
  readonly args: (step: number) => JsonObject;
}

const NOTE = 'One of many small sums, with a note of about a hundred bytes, as a model would explain what it is for.';

/** The schemas of a built-in capability, which were compiled at build time. */
export const BUILT_IN: Adding = {
  name: 'built-in schema',
  definition: {
    name: 'add',
    version: '1.0.0',
    description: 'Adds two numbers.',
    args: calcEval.args,
    ...(calcEval.result === undefined ? {} : { result: calcEval.result }),
    effect: 'pure',
    source: `export default ({ expression }) => {
      const [a, b] = expression.split(' + ').map(Number);
      return { value: a + b, exact: true };
    };`,
  },
  tool: ({ expression }: { readonly expression: string }) => {
    const [a = Number.NaN, b = Number.NaN] = expression.split(' + ').map(Number);
    return { value: a + b, exact: true };
  },
  args: (step) => ({ expression: `${step} + ${step * 7}` }),
};

/** Schemas that are registered at run time and checked in QuickJS. */
export const REGISTERED: Adding = {
  name: 'run-time schema',
  definition: {
    name: 'add',
    version: '1.0.0',
    description: 'Adds two numbers.',
    args: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' }, note: { type: 'string', maxLength: 500 } },
      required: ['a', 'b', 'note'],
      additionalProperties: false,
    },
    effect: 'pure',
    source: 'export default ({ a, b }) => ({ sum: a + b });',
  },
  tool: ({ a, b }: { readonly a: number; readonly b: number }) => ({ sum: a + b }),
  args: (step) => ({ a: step, b: step * 7, note: NOTE }),
};

/** The same capability with an effect: an intent is durable before the call runs. */
export const WITH_EFFECT: Adding = { ...BUILT_IN, definition: { ...BUILT_IN.definition, effect: 'write' } };

for (const schema of [calcEval.args, calcEval.result ?? {}]) {
  if (!VALIDATORS.has(schemaHash(schema))) throw new Error('The schemas of calc.eval are not built in.');
}

export function proposal({ definition, args }: Adding, step: number): string {
  return canonicalText({ next_step: { tool: definition.name, arguments: args(step), goal: 'Add.' } });
}

export const DONE = '{"done":true,"message":"added"}';

/** The results of the steps, on either side. */
export function expected({ tool, args }: Adding, steps: number): readonly string[] {
  return Array.from({ length: steps }, (_, at) => canonicalText(tool(args(at + 1) as never)));
}
