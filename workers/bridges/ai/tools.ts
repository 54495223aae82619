import { CALLBACK, demand, LIST, OBJECT, type OptionTypes, oneOf, optionsOf } from '../../../core/option.ts';
import type { Session, ToolRow } from '../../api.ts';
import { openAIFunction } from '../models/shapes.ts';
import { toolNames } from '../models/tool-names.ts';
import type { AiCall, AiFunctions, AiTool, SessionTools } from './sdk.ts';
import { ToolCalls } from './tool-calls.ts';

export interface ToolsForOptions {
  /** Names of the capabilities that become tools; absent: all that the session offers. */
  readonly names?: readonly string[];
  /** `result` (default): a refusal is the result of the tool. `throw`: `execute` throws it, and the SDK tells an error. */
  readonly refusals?: 'result' | 'throw';
  /** Name of a tool for a capability; by default each point becomes `_`. */
  readonly alias?: (name: string) => string;
  /**
   * `session` (default): the session's `approve` answers questions. `sdk`: the tools ask by `needsApproval`, as
   * version 6 has it. Version 7 asks by `toolApproval` in either case.
   */
  readonly approvals?: 'session' | 'sdk';
}

const OPTIONS: OptionTypes = {
  names: LIST,
  refusals: oneOf('result', 'throw'),
  alias: CALLBACK,
  approvals: oneOf('session', 'sdk'),
};

/**
 * The capabilities of a session as tools of the AI SDK 5, 6 and 7. Each call passes every gate to its receipt, and calls
 * wait for each other in order. Wrap the model with `middleware`: without it the gate gets the arguments that the SDK
 * has parsed. Throws `option_invalid`, also for a name that the session does not offer and for an alias twice.
 *
 * @example const { tools, middleware, toolApproval } = await toolsFor(session, { tool, jsonSchema });
 *   const model = wrapLanguageModel({ model: openai('gpt-5'), middleware });
 *   await generateText({ model, tools, toolApproval, messages });
 */
export async function toolsFor<Schema>(
  session: Session,
  sdk: AiFunctions<Schema>,
  options: ToolsForOptions = {},
): Promise<SessionTools<Schema>> {
  demand('session', session, OBJECT);
  demand('tool', sdk?.tool, CALLBACK);
  demand('jsonSchema', sdk.jsonSchema, CALLBACK);
  const given = optionsOf(options, OPTIONS);
  const rows = rowsOf(await session.tools(), given);
  const aliases = aliasesOf(rows, given);
  const names = new Map([...aliases].map(([name, alias]) => [alias, name]));
  demand('alias', names.size, ['a function with another alias for each name', (size) => size === rows.length]);
  const calls = new ToolCalls(session, names, given.refusals);
  const approval = (alias: string) => (input: unknown, call: AiCall) => calls.approval(alias, input, call);
  return {
    tools: Object.fromEntries(rows.map((row) => toolOf(row, aliases.get(row.name) ?? row.name, sdk, calls, given))),
    middleware: calls.written.middleware,
    toolApproval: Object.fromEntries([...names.keys()].map((alias) => [alias, approval(alias)])),
    receipts: calls.receipts,
  };
}

function rowsOf(rows: readonly ToolRow[], { names }: ToolsForOptions): readonly ToolRow[] {
  const offered = new Set(rows.map(({ name }) => name));
  for (const name of names ?? []) demand('names', name, oneOf(...offered));
  return names === undefined ? rows : rows.filter(({ name }) => names.includes(name));
}

function aliasesOf(rows: readonly ToolRow[], { alias }: ToolsForOptions): ReadonlyMap<string, string> {
  const names = rows.map(({ name }) => name);
  const spelled = alias ?? toolNames(names).theirs;
  return new Map(names.map((name) => [name, spelled(name)]));
}

function toolOf<Schema>(
  row: ToolRow,
  alias: string,
  { tool, jsonSchema }: AiFunctions<Schema>,
  calls: ToolCalls,
  { approvals }: ToolsForOptions,
): readonly [alias: string, tool: AiTool<Schema>] {
  const { description, parameters } = openAIFunction(row, alias).function;
  const definition: AiTool<Schema> = {
    description,
    // Without a check of the SDK: the gate decides, and the model reads its refusal.
    inputSchema: jsonSchema(parameters as never),
    execute: (input, call) => calls.execute(alias, input, call),
    ...(approvals === 'sdk' && { needsApproval: (input, call) => calls.needsApproval(alias, input, call) }),
  };
  return [alias, tool(definition as never) as AiTool<Schema>];
}
