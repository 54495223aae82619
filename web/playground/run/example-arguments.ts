import { isObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { sampleOf } from '../parts/schema-sample.ts';
import type { PlaygroundScenario } from '../scenario.ts';

/** Arguments that a tool accepts: from the scenario's own script, from this table, or made from its schema. */
export function exampleArgs(name: string, schema: JsonObject, scenarios: readonly PlaygroundScenario[]): JsonValue {
  for (const { script } of scenarios) {
    const call = script.map(callIn).find((each) => each?.tool === name);
    if (call !== undefined) return call.args;
  }
  return EXAMPLES[name] ?? sampleOf(schema);
}

/** For built-in tools that the script does not call. */
const EXAMPLES: { readonly [name: string]: JsonValue } = {
  'unit.convert': { value: 250, from: 'g', to: 'kg' },
};

function callIn(text: string): { readonly tool: unknown; readonly args: JsonValue } | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    const call = isObject(value) ? value['next_step'] : undefined;
    return isObject(call) ? { tool: call['tool'], args: call['arguments'] ?? null } : undefined;
  } catch {
    return undefined;
  }
}
