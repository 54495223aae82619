import { refuse } from '../../../core/errors.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import type { JsonValue } from '../../../core/json/value.ts';
import type { Refusal } from '../../../core/outcome.ts';
import { observeRefusal } from '../../../core/run/observe.ts';
import { refusalError } from '../../../core/sallyport-error.ts';
import type { Called, CallingOptions, OpenQuestion, RawJson, ReceiptPlace, Session } from '../../api.ts';
import { rawJson } from '../../client/raw-json.ts';
import { type Rejections, rejectionsOf } from '../../client/rejections.ts';
import { answerApproved, GOALS, isApproved, recordQuestion } from './approvals.ts';
import { Newest } from './newest.ts';
import type { AiApproval, AiCall, AiTool } from './sdk.ts';
import { WrittenCalls } from './written-calls.ts';

type Arguments = JsonValue | RawJson;

/** The calls that a model makes through the tools of a session. A tool is named by its alias. */
export class ToolCalls {
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
    this.written = new WrittenCalls(new Set(names.keys()), (id, call) => this.#unknown(id, call));
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
   * Carries out a call of an earlier request. The messages that hold it may be a stranger's: a call that no person is
   * asked about has been approved by no person.
   */
  async #executeApproved(name: string, args: JsonValue, toolCallId: string, how: CallingOptions): Promise<JsonValue> {
    const { decision, reason } = await this.#session.preview(name, args);
    if (decision === 'AUTHORIZED' || reason === 'authorizer') {
      const { refusal } = refuse('answer_unknown', {}, { step: 'approve' });
      this.#reject(refusal, { toolCallId, toolName: name, input: args });
      return this.#refused(refusal);
    }
    const onQuestion = (question: OpenQuestion) => void answerApproved(this.#session, question, toolCallId);
    return this.#told(await this.#call(name, args, toolCallId, { ...how, onQuestion }));
  }

  /** Whether a person has to approve a call. A denied call is made, so that it has its receipt. */
  async approval(alias: string, input: unknown, { toolCallId, messages }: AiCall): Promise<AiApproval> {
    if (isApproved(messages, toolCallId)) return 'user-approval';
    const [name, args] = [this.#nameOf(alias), this.#argumentsOf(input, toolCallId)];
    const { decision = '', reason } = await this.#session.preview(name, args);
    if (decision === 'REQUIRES_APPROVAL' && reason !== 'authorizer') return this.#ask(alias, args, toolCallId);
    if (!decision.startsWith('DENIED_')) return 'not-applicable';
    const called = await this.#decide(alias, toolCallId, this.#call(name, args, toolCallId));
    return called.ok ? 'not-applicable' : { type: 'denied', reason: called.refusal.message };
  }

  /** As `approval`, for version 6: a denied call is executed, and the gate denies it. */
  async needsApproval(alias: string, input: unknown, { toolCallId, messages }: AiCall): Promise<boolean> {
    if (isApproved(messages, toolCallId)) return true;
    const args = this.#argumentsOf(input, toolCallId);
    const { decision, reason } = await this.#session.preview(this.#nameOf(alias), args);
    if (decision !== 'REQUIRES_APPROVAL' || reason === 'authorizer') return false;
    return (await this.#ask(alias, args, toolCallId)) !== 'not-applicable';
  }

  async #ask(alias: string, args: Arguments, toolCallId: string): Promise<AiApproval> {
    const asked = await recordQuestion(this.#session, this.#nameOf(alias), args, toolCallId);
    if (asked.called === undefined) return { type: 'user-approval', reason: asked.reason };
    await this.#decide(alias, toolCallId, Promise.resolve(asked.called));
    this.receipts.set(toolCallId, asked.called.receipt);
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
    const called = await this.#session.call(name, args, { ...how, goal: GOALS.call(toolCallId) });
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
    return called.ok ? called.value : this.#refused(called.refusal);
  }

  #refused(refusal: Refusal): JsonValue {
    if (this.#refusals === 'throw') throw refusalError(refusal);
    return observeRefusal(refusal);
  }
}
