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
import { message, OPERATIONS } from './messages.ts';

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

/** The symbols that a write has moved, if no secret hides them. */
export function movedBy(change: Bodies['content'] | undefined): readonly ReboundSymbol[] {
  return change !== undefined && 'length' in change.symbols ? change.symbols : [];
}
