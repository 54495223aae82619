import type { JsonObject } from '../../../core/json/value.ts';
import type { GrantOption, Runtime } from '../../../workers/api.ts';

export const BUDGETS = { max_symbols: 10, max_sections: 5, max_bytes_expanded: 10_000, max_expands_per_step: 3 };
export const OPERATIONS: readonly GrantOption[] = [
  { capability: 'content.read', mode: 'allow' },
  { capability: 'content.write', mode: 'allow' },
];

/**
 * A message whose absent members are filled in by the test, never by the runtime. Its refs are its targets, and the
 * symbols that the arguments of its calls name, except `@x/none`, which is in no index.
 */
export function message(ops: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const named = JSON.stringify(ops.map(({ params }) => params)).match(/(?<=")@x\/(?!none)\w+(?=")/g) ?? [];
  const refs = [...new Set([...ops.map((op) => op['target'] as string), ...named])];
  return { intent: 'work', refs, ops, budgets: BUDGETS, required_outputs: [], ...more };
}

export const read = (target: string, params: JsonObject = {}): JsonObject => ({ type: 'READ', target, params });
export const write = (target: string, params: JsonObject): JsonObject => ({ type: 'WRITE', target, params });
export const execute = (target: string, params: JsonObject): JsonObject => ({ type: 'EXECUTE', target, params });

export async function put(runtime: Runtime, files: { readonly [path: string]: string }): Promise<void> {
  const sources = Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));
  await runtime.content.replace(sources);
}

export async function name(
  runtime: Runtime,
  symbol_id: string,
  target_type: 'FILE' | 'HEADING' | 'SECTION',
  target_ref: string,
  default_slice_policy = 'head(2)',
): Promise<void> {
  if ((await runtime.content.symbols()).some((row) => row.symbol_id === symbol_id))
    await runtime.content.undefine(symbol_id);
  await runtime.content.define({ symbol_id, target_type, target_ref, default_slice_policy });
}
