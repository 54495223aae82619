import type { JsonObject } from '../../../core/json/value.ts';
import type { ReboundSymbol } from '../../../core/ledger/kinds/content.ts';
import type { Bodies } from '../../../core/ledger/record.ts';
import type { StampedEvent } from '../../../core/telemetry/event.ts';
import type {
  ApprovalAnswer,
  CapabilityDefinition,
  GrantOption,
  PowerDefinition,
  Runtime,
  StartOptions,
  ToolDefinition,
} from '../../../workers/api.ts';
import { fromScript } from '../../../workers/node.ts';
import { openRuntime } from '../shared.ts';

/** A runtime with content, and messages to it: the result of each message, as the ledger and the model read it. */
export interface Desk {
  readonly runtime: Runtime;
  /** Runs these messages, then a last message that ends the run, and reads all records back. */
  send(messages: readonly unknown[], more?: Partial<StartOptions>): Promise<Told>;
  close(): Promise<void>;
}

export interface Told {
  readonly run_id: string;
  readonly kinds: readonly string[];
  readonly receipts: readonly Bodies['receipt'][];
  /** The reply that the model reads after each message. */
  readonly replies: readonly JsonObject[];
  readonly events: readonly StampedEvent[];
  bodies<K extends keyof Bodies>(kind: K): readonly Bodies[K][];
  text(sha256: string): Promise<string>;
}

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

export async function openDesk(
  grants: readonly GrantOption[] = OPERATIONS,
  capabilities: readonly CapabilityDefinition[] = [],
  approve: (request: { readonly args: string }) => ApprovalAnswer | Promise<ApprovalAnswer> = () => ({
    approved: true,
  }),
  powers: readonly PowerDefinition[] = [],
  tools: readonly ToolDefinition[] = [],
): Promise<Desk> {
  const runtime = await openRuntime({
    capabilities,
    powers,
    tools,
    grants,
    guard: false,
    approve: async (request) => approve(request),
  });
  async function send(messages: readonly unknown[], more: Partial<StartOptions> = {}): Promise<Told> {
    const model = fromScript([...messages, message([])] as JsonObject[]);
    const run = runtime.start({ dialect: 'catalytic', task: 'Work.', model, ...more });
    const events: StampedEvent[] = [];
    for await (const event of run.telemetry()) events.push(event);
    await run.result;
    const records = await runtime.ledger.records(run.id);
    const bodies = <K extends keyof Bodies>(kind: K) =>
      records.flatMap((record) => (record.kind === kind ? [record.body as Bodies[K]] : []));
    const text = async (sha256: string) => new TextDecoder().decode(await runtime.ledger.payload(run.id, sha256));
    const replies = await Promise.all(
      bodies('observation').map(async ({ payload }) => JSON.parse(await text(payload.sha256)) as JsonObject),
    );
    const kinds = records.map(({ kind }) => kind);
    return { run_id: run.id, kinds, receipts: bodies('receipt'), replies, events, bodies, text };
  }
  return { runtime, send, close: () => runtime.close() };
}

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

/** The symbols that a write has moved, if no secret hides them. */
export function movedBy(change: Bodies['content'] | undefined): readonly ReboundSymbol[] {
  return change !== undefined && 'length' in change.symbols ? change.symbols : [];
}
