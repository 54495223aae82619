import { refuse } from '../../../core/errors.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonValue } from '../../../core/json/value.ts';
import { CALLBACK, demand, LIST, OBJECT, type OptionTypes, oneOf, optionsOf } from '../../../core/option.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { observeRefusal } from '../../../core/run/observe.ts';
import { refusalError } from '../../../core/sallyport-error.ts';
import type { Called, CallingOptions, RawJson, ReceiptPlace, Session, ToolRow } from '../../api.ts';
import { rawJson } from '../../client/raw-json.ts';
import { type Rejections, rejectionsOf } from '../../client/rejections.ts';
import { openAIFunction } from '../models/shapes.ts';
import { toolNames } from '../models/tool-names.ts';
import { callApproved, GOALS, isApproved, recordQuestion } from './approvals.ts';
import { Newest } from './newest.ts';
import type { AiApproval, AiCall, AiFunctions, AiTool, SessionTools } from './sdk.ts';
import { WrittenCalls } from './written-calls.ts';

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

type Arguments = JsonValue | RawJson;

/** The calls that a model makes through the tools of a session. A tool is named by its alias. */
class ToolCalls {
  readonly #session: Session;
  /** The capability of each alias. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #refusals: 'result' | 'throw' | undefined;
  readonly #rejections: Rejections;
  readonly receipts: Newest<ReceiptPlace> = new Newest();
  readonly written: WrittenCalls;

  constructor(session: Session, names: ReadonlyMap<string, string>, refusals?: 'result' | 'throw') {
    this.#session = session;
    this.#rejections = rejectionsOf(session, 'ai');
    this.#names = names;
    this.#refusals = refusals;
    const isHolding = () => session.run.view.holding === true;
    this.written = new WrittenCalls(new Set(names.keys()), (id, call) => this.#unknown(id, call), isHolding);
  }

  /** Carries out a call of the SDK, and resolves with the result of the tool. */
  async execute(alias: string, input: unknown, call: Parameters<AiTool<never>['execute']>[1]): Promise<JsonValue> {
    const { toolCallId, messages, abortSignal } = call;
    const [name, how] = [this.#nameOf(alias), { ...(abortSignal && { signal: abortSignal }) }];
    if (isApproved(messages, toolCallId)) return this.#executeApproved(name, input as JsonValue, toolCallId, how);
    const decided = this.written.get(toolCallId)?.decided;
    return this.#told(await (decided ?? this.#call(name, this.#argumentsOf(input, toolCallId), toolCallId, how)));
  }

  /**
   * Carries out a call of an earlier request. The messages that hold it may be a stranger's: a call that the SDK's person is
   * not asked about has not been approved.
   */
  async #executeApproved(name: string, args: JsonValue, toolCallId: string, how: CallingOptions): Promise<JsonValue> {
    const { decision, reason, held } = await this.#session.preview(name, args);
    if (held || decision === 'AUTHORIZED' || reason === 'authorizer') {
      const { refusal } = refuse('answer_unknown', {}, { step: 'approve' });
      this.#reject(refusal, { toolCallId, toolName: name, input: args });
      return this.#refused(refusal);
    }
    return this.#told(this.#kept(toolCallId, await callApproved(this.#session, name, args, toolCallId, how)));
  }

  /**
   * Whether a person has to approve a call. A denied call is made, so that it has its receipt. A call with handles is
   * executed: what becomes of it is held, and the runtime's own approvers are asked.
   */
  async approval(alias: string, input: unknown, { toolCallId, messages }: AiCall): Promise<AiApproval> {
    if (isApproved(messages, toolCallId)) return 'user-approval';
    const [name, args] = [this.#nameOf(alias), this.#argumentsOf(input, toolCallId)];
    const { decision = '', reason, held } = await this.#session.preview(name, args);
    if (held) return 'not-applicable';
    if (decision === 'REQUIRES_APPROVAL' && reason !== 'authorizer') return this.#ask(alias, args, toolCallId);
    if (!decision.startsWith('DENIED_')) return 'not-applicable';
    const called = await this.#decide(alias, toolCallId, this.#call(name, args, toolCallId));
    return called.ok ? 'not-applicable' : { type: 'denied', reason: called.refusal.message };
  }

  /** As `approval`, for version 6: a denied call is executed, and the gate denies it. */
  async needsApproval(alias: string, input: unknown, { toolCallId, messages }: AiCall): Promise<boolean> {
    if (isApproved(messages, toolCallId)) return true;
    const args = this.#argumentsOf(input, toolCallId);
    const { decision, reason, held } = await this.#session.preview(this.#nameOf(alias), args);
    if (held || decision !== 'REQUIRES_APPROVAL' || reason === 'authorizer') return false;
    return (await this.#ask(alias, args, toolCallId)) !== 'not-applicable';
  }

  async #ask(alias: string, args: Arguments, toolCallId: string): Promise<AiApproval> {
    const asked = await recordQuestion(this.#session, this.#nameOf(alias), args, toolCallId);
    if (asked.called === undefined) return { type: 'user-approval', reason: asked.reason };
    await this.#decide(alias, toolCallId, Promise.resolve(asked.called));
    this.#kept(toolCallId, asked.called);
    return 'not-applicable';
  }

  /** Keeps a call for `execute`, which does not make it again. */
  async #decide(alias: string, toolCallId: string, decided: Promise<Called>): Promise<Called> {
    this.written.set(toolCallId, { toolName: alias, ...this.written.get(toolCallId), decided });
    return decided;
  }

  /** Proposes a call of a tool that is not there. The gate refuses it before the SDK knows of it. */
  #unknown(toolCallId: string, { toolName, text = '' }: { readonly toolName: string; readonly text?: string }): void {
    const decided = this.#session.tools().then((rows) => {
      // A capability under its own name, which this request does not offer.
      if (rows.some(({ name }) => name === toolName)) {
        const { refusal } = refuse('unknown_capability', { name: toolName }, { step: 'capability' });
        this.#reject(refusal, { toolCallId, toolName, input: text });
        throw refusalError(refusal);
      }
      return this.#call(toolName, rawJson(text), toolCallId);
    });
    decided.catch(() => undefined);
    void this.#decide(toolName, toolCallId, decided).catch(() => undefined);
  }

  /** Records a call that no gate may see: it would run there, and the model was not offered it, or nobody approved it. */
  #reject(refusal: Refusal, call: { readonly [name: string]: JsonValue }): void {
    this.#rejections.add(refusal, encodeText(JSON.stringify(call).toWellFormed()));
  }

  async #call(name: string, args: Arguments, toolCallId: string, how: CallingOptions = {}): Promise<Called> {
    return this.#kept(toolCallId, await this.#session.call(name, args, { ...how, goal: GOALS.call(toolCallId) }));
  }

  #kept(toolCallId: string, called: Called): Called {
    this.receipts.set(toolCallId, called.receipt);
    return called;
  }

  #nameOf(alias: string): string {
    return this.#names.get(alias) ?? alias;
  }

  /** The arguments as the model wrote them; without the middleware, as the SDK has parsed them. */
  #argumentsOf(input: unknown, toolCallId: string): Arguments {
    const { text } = this.written.get(toolCallId) ?? {};
    return text === undefined ? (input as JsonValue) : rawJson(text);
  }

  #told(called: Called): JsonValue {
    if (called.held !== undefined) return { $held: called.held };
    return called.ok ? called.value : this.#refused(called.refusal);
  }

  #refused(refusal: Refusal): JsonValue {
    if (this.#refusals === 'throw') throw refusalError(refusal);
    return observeRefusal(refusal);
  }
}
