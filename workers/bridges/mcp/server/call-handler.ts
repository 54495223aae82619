import {
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  SdkError,
  SdkErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { type ApprovalCard, cardOf } from '../../../../core/approval/card.ts';
import { refuse } from '../../../../core/errors.ts';
import { sha256Text } from '../../../../core/hash.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject } from '../../../../core/json/value.ts';
import { ANSWER_KEPT_BYTES } from '../../../../core/limits.ts';
import type { Refusal } from '../../../../core/outcome.ts';
import { observeRefusal, replyText } from '../../../../core/run/observe.ts';
import { visibleText } from '../../../../core/text/visible.ts';
import type { ApprovalAnswer, ApprovalRequest, Called, CapabilityRow, OpenCalled, RawJson } from '../../../api.ts';
import { makeDelay, orAborted } from '../../../async.ts';
import { rawJson, rawJsonIn } from '../../../client/raw-json.ts';
import { warn } from '../../../client/warn.ts';
import { type CallerSession, isLimited } from './caller-session.ts';
import {
  answerOf,
  type CallQuestion,
  CLIENT_GONE,
  elicitation,
  GatedCall,
  type HandedQuestions,
  NO_ANSWER,
  type PendingCall,
  type PendingCalls,
  QUESTION_MS,
} from './gated-call.ts';
import { argumentsIn, wireIn } from './incoming.ts';
import type { ServeTerms } from './options.ts';
import { blockOf, handleText, placeOf, type ReadFor, textBlock, withTheirMeta } from './passed-on.ts';
import { type ProgressRelay, tellProgress } from './progress-relay.ts';
import { isForeign, type ServedTools } from './tools.ts';
import { refusalFault } from './turned-away.ts';

/** State of a request that waits for a person, as its client carries it. */
export interface RequestState {
  /** Digest of the question. */
  readonly digest: string;
}

export interface CallHandlerParts {
  readonly tools: ServedTools;
  readonly session: CallerSession;
  readonly handed: HandedQuestions;
  readonly codec: RequestStateCodec<RequestState>;
  readonly terms: ServeTerms;
  readonly approve: ((request: ApprovalRequest) => Promise<ApprovalAnswer>) | undefined;
  /** The version of the client has no request from server to client: a question is a part of the result. */
  readonly isStateless: boolean;
  /** True for a client that has declared elicitation at its beginning. */
  readonly elicits: () => boolean;
  /** Calls under way; a flood of them is refused. */
  readonly open: Set<GatedCall>;
  readonly progress: ProgressRelay;
  /** Calls whose hosts were told to come back. */
  readonly pending: PendingCalls<ServedResult>;
}

/** The answer to `tools/call`. */
export type ServedResult = ToolResult | InputRequiredResult;

/** Calls that may be under way at a time. Each holds its arguments in memory. */
const CALLS_MAX = 256;

/** JSON-RPC's first code for errors of a server's own. */
const SERVER_ERROR = -32_000;

/** Serves `tools/call`: a call through every gate, with its questions. */
export class CallHandler {
  readonly #parts: CallHandlerParts;

  constructor(parts: CallHandlerParts) {
    this.#parts = parts;
  }

  async handle(alias: string, ctx: ServerContext): Promise<ToolResult | InputRequiredResult> {
    const { _meta: meta } = ctx.mcpReq;
    const args = argumentsIn(meta);
    const bytes = wireIn(meta);
    const state = ctx.mcpReq.requestState<RequestState>();
    const name = await this.#parts.tools.ours(alias);
    // an alias may become another capability's, and a name another definition's: a kept outcome is of one definition,
    // and the digest of a handed question holds its definition already
    const of = sha256Text(canonicalText([name, args]));
    const kept = sha256Text(canonicalText([of, (await this.#row(name))?.hash ?? null]));
    const given = bytes === undefined ? rawJson(args) : rawJsonIn(args, bytes);
    const before = state === undefined ? this.#parts.pending.take(kept) : undefined;
    const call = before?.call ?? (state === undefined ? this.#begin(name, given) : this.#goOn(state, of, ctx));
    if (call === undefined) return this.#turnAway(refuse('answer_unknown', {}, { step: 'approve' }).refusal, bytes);
    const { progress } = this.#parts;
    // the call goes on without this request, so it does not end with it either
    const leave = before === undefined ? follow(call, ctx, progress) : tellProgress(call, ctx, progress);
    try {
      const outcome = before?.outcome ?? this.#finish(call, { name, of, ctx });
      const result = await this.#patiently({ call, outcome }, { name, of: kept, ctx }, before !== undefined);
      if (result === undefined) return refused(refuse('approval_pending', { name }, { step: 'approve' }).refusal);
      const called = before && (await call.called);
      if (called && called.held === undefined) this.#parts.session.taken(called.receipt, bytes);
      return result;
    } catch (error) {
      if (!isLimited(error)) throw error;
      return this.#turnAway(refuse('session_limited', error.details as { readonly limit: string }).refusal, bytes);
    } finally {
      leave();
    }
  }

  /**
   * The end of a call. A host that shows no question and hears no progress would give up in silence: while a person is
   * asked about this call, or about one that it waits for, this is undefined, and the call goes on. So it does when a
   * request that repeats another is cancelled, and where results can be held, whether a person is asked or not.
   */
  async #patiently(
    pending: PendingCall<ServedResult>,
    { of, ctx }: ServedRequest,
    isRepeat: boolean,
  ): Promise<ServedResult | undefined> {
    const { pendingMs } = this.#parts.terms;
    const { signal, _meta: meta } = ctx.mcpReq;
    const isPatient = pendingMs === false || meta?.progressToken !== undefined;
    for (;;) {
      const delay = makeDelay();
      const late = isPatient ? [] : [delay.wait(pendingMs).then(() => undefined)];
      const either = Promise.race([pending.outcome, ...late]);
      either.catch(() => undefined);
      const ended = await orAborted(either, isRepeat ? signal : undefined).finally(() => delay.giveUp());
      const isCancelled = isRepeat && signal.aborted;
      if (ended !== undefined && !isCancelled) return ended;
      if (!isCancelled && !this.#waitsUnseen(pending.call, ctx)) continue;
      pending.outcome.catch(() => undefined);
      this.#parts.pending.keep(of, pending);
      return undefined;
    }
  }

  /** True while a person is asked about this call, or about a call that it waits for, and the host shows no question. */
  #waitsUnseen({ isAsking, isAtHost, isQuiet, hasBegun }: GatedCall, { mcpReq }: ServerContext): boolean {
    if (isQuiet) return !(isAsking && isAtHost);
    if (isAsking) return !isAtHost;
    return !hasBegun && this.#parts.session.isHeld && !this.#elicits(mcpReq);
  }

  /** Answers a call that no gate has seen, and records it. */
  #turnAway(refusal: Refusal, bytes: Uint8Array | undefined): ToolResult {
    this.#parts.session.reject(refusal, bytes);
    return refused(refusal);
  }

  /** A call for a request of another kind. Without a connection, only the approver of the runtime can be asked. */
  readonly read: ReadFor = async (name, args, ctx, silent) => {
    const given = rawJson(canonicalText(args));
    if (silent !== undefined && !(await this.#parts.session.isPermitted(name, given))) return undefined;
    const call = this.#begin(name, given);
    const leave = follow(call, ctx, this.#parts.progress);
    try {
      await this.#askAll(call, { name, of: '', ctx }, this.#parts.isStateless);
      return await call.called;
    } finally {
      leave();
    }
  };

  #begin(name: string, args: RawJson): GatedCall {
    const { open, session } = this.#parts;
    if (open.size >= CALLS_MAX) throw refusalFault(SERVER_ERROR, refuse('calls_busy', { limit: CALLS_MAX }).refusal);
    const call = new GatedCall(session, name, args);
    open.add(call);
    const leave = () => void open.delete(call);
    call.called.then(leave, leave);
    return call;
  }

  /** Takes the answer that a client has brought with the state of its request. */
  #goOn({ digest }: RequestState, of: string, { mcpReq }: ServerContext): GatedCall | undefined {
    const taken = this.#parts.handed.take(digest, of);
    if (taken === undefined) return undefined;
    const said = inputResponse(mcpReq.inputResponses, 'approve');
    taken.asked.answer(answerOf(said.kind === 'elicit' ? said : { action: 'cancel' }));
    return taken.call;
  }

  async #finish(call: GatedCall, request: ServedRequest): Promise<ToolResult | InputRequiredResult> {
    return (await this.#askAll(call, request)) ?? this.#result(call, request.name);
  }

  /** Asks each question of a call. Returns the question that the host is to come back with. */
  async #askAll(
    call: GatedCall,
    request: ServedRequest,
    isHostLeftOut = false,
  ): Promise<InputRequiredResult | undefined> {
    for (;;) {
      const asked = await call.next();
      if (asked === undefined) return undefined;
      const card = cardOf(asked.question);
      const { held, signed } = asked.question;
      // a form of a host signs nothing
      const isUnfit = held === true || signed !== undefined;
      const how = this.#askers(request.ctx, card, isHostLeftOut || isUnfit);
      if (how.runtime) this.#askRuntime(asked);
      if (!how.runtime && !how.host) asked.answer(unaskable(asked.question, card));
      call.isAtHost = how.host;
      if (!how.host) continue;
      if (this.#parts.isStateless) return this.#handOut(call, { asked, card }, request);
      await askHost({ asked, card }, request.ctx);
    }
  }

  async #result({ called }: GatedCall, name: string): Promise<ToolResult> {
    const row = await this.#row(name);
    return resultOf(await called, row);
  }

  async #row(name: string): Promise<CapabilityRow | undefined> {
    return (await this.#parts.tools.rows()).find((each) => each.name === name);
  }

  /** A host is not asked about arguments that its form would cut. */
  #askers(
    { mcpReq }: ServerContext,
    { fitsForm }: ApprovalCard,
    isHostLeftOut: boolean,
  ): { readonly host: boolean; readonly runtime: boolean } {
    const { terms, approve } = this.#parts;
    const host = !isHostLeftOut && fitsForm && this.#elicits(mcpReq);
    return { host, runtime: approve !== undefined && (terms.approve !== 'elicit' || !host) };
  }

  /** True for a client that is to show questions. A client without a connection declares it with each request. */
  #elicits({ envelope }: ServerContext['mcpReq']): boolean {
    const { terms, elicits } = this.#parts;
    const declared = (envelope as { readonly [name: string]: unknown } | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
    return terms.approve !== 'runtime' && (declared === undefined ? elicits() : canElicit(declared));
  }

  #askRuntime({ question, answer }: CallQuestion): void {
    const asking = async () => this.#parts.approve?.(question);
    asking().then(
      (given) => given && answer(given),
      (error: unknown) => {
        warn('sallyport: an approver failed', error);
        answer({ approved: false, reason: 'the approver failed', via: 'failed' });
      },
    );
  }

  async #handOut(
    call: GatedCall,
    { asked, card }: HostQuestion,
    { of, ctx }: ServedRequest,
  ): Promise<InputRequiredResult> {
    const { handed, codec } = this.#parts;
    const requestState = await codec.mint({ digest: asked.question.digest }, ctx);
    handed.hand({ asked, call, of });
    return inputRequired({
      inputRequests: { approve: inputRequired.elicit(elicitation(card)) },
      requestState,
    });
  }
}

/** The request that a call is served for now. */
interface ServedRequest {
  readonly name: string;
  readonly of: string;
  readonly ctx: ServerContext;
}

/** A question with the card that the host shows. */
interface HostQuestion {
  readonly asked: CallQuestion;
  readonly card: ApprovalCard;
}

/** The no to a question that nobody can be asked. A question about held values is for no host. */
function unaskable(
  { capability, held, signed }: CallQuestion['question'],
  { fitsForm, args }: ApprovalCard,
): ApprovalAnswer {
  if (held === true) return { approved: false, reason: '', via: 'nobody' };
  if (signed !== undefined) return { approved: false, reason: UNSIGNED };
  return { approved: false, reason: fitsForm ? noElicitation(capability) : tooLong(args) };
}

const UNSIGNED =
  'no person can be asked, because the yes has to be signed with a passkey. A form of a host cannot sign, and the runtime has no approver. Serve the page of sallyport mcp, or give openRuntime an approve function that signs';

function tooLong({ text }: ApprovalCard['args']): string {
  return `no person can be asked, because the arguments have ${visibleText(text).length} characters, unseen ones written out. A form of a host shows 2,000, and the runtime has no approver. Send less at once, give openRuntime an approve function that shows the whole text, or serve the page of sallyport mcp`;
}

function noElicitation(capability: string): string {
  return `no person can be asked, because the host has no elicitation and the runtime has no approver. Grant ${capability}, give openRuntime an approve function, or use a host that can ask`;
}

/** Ends the call with its request, and tells its progress. Returns a function that ends both. */
function follow(call: GatedCall, ctx: ServerContext, progress: ProgressRelay): () => void {
  const { signal } = ctx.mcpReq;
  const giveUp = (): void => call.giveUp(signal.reason, CLIENT_GONE);
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  const quiet = tellProgress(call, ctx, progress);
  return () => {
    quiet();
    signal.removeEventListener('abort', giveUp);
  };
}

/** Asks the person at the host, unless the question is answered before. */
async function askHost({ asked, card }: HostQuestion, { mcpReq }: ServerContext): Promise<void> {
  const params = { ...elicitation(card) };
  try {
    const said = await mcpReq.send(
      { method: 'elicitation/create', params },
      { signal: asked.settled, timeout: QUESTION_MS },
    );
    asked.answer(answerOf(said));
  } catch (error) {
    asked.answer(isTimeout(error) ? NO_ANSWER : mcpReq.signal.aborted ? CLIENT_GONE : unheard(error));
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The no of a host that did not ask. The words of its error are for the developer. */
function unheard(error: unknown): ApprovalAnswer {
  warn('sallyport: a host did not ask a person', error);
  return { approved: false, reason: 'the host did not ask', via: 'failed' };
}

/** True for a client that shows a form to a person. A declaration without a mode means forms. */
export function canElicit(capabilities: unknown): boolean {
  const elicit = isObject(capabilities) ? capabilities['elicitation'] : undefined;
  return isObject(elicit) && (isObject(elicit['form']) || !Object.hasOwn(elicit, 'url'));
}

/** Result of `tools/call`. */
interface ToolResult {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
  readonly _meta?: JsonObject;
  readonly [name: string]: unknown;
}

/** UTF-8 bytes of a refusal that a host is sent. */
const REFUSAL_BYTES = 64 << 10;

/**
 * The result of a call for its host: the value as text, and as structured content for a tool with an output schema; of a
 * tool of another MCP server its whole answer. A refusal has its code, its sentence and its details. The receipt's place
 * in the ledger stands in `_meta`.
 */
function resultOf(called: Called, row: CapabilityRow | undefined): ToolResult {
  // the handle of a held outcome, the same for every outcome
  if (called.held !== undefined) return { content: [textBlock(handleText(called))], _meta: placeOf(called) };
  const _meta = { ...placeOf(called), ...leftOut(called.answer) };
  const result = called.ok ? valueOf(called, row) : (toolErrorOf(called, row) ?? refused(called.refusal));
  return { ...result, _meta: { ...result._meta, ..._meta } };
}

/** Tells a host that the answer of another server is not whole, because it was too long to be kept. */
function leftOut(answer: OpenCalled['answer']): JsonObject {
  if (answer === undefined || answer.value !== undefined) return {};
  const { sha256, bytes } = answer;
  return { 'sallyport/answer_left_out': { code: 'limit_size', limit: ANSWER_KEPT_BYTES, bytes, sha256 } };
}

/** The error of another MCP server's tool: the answer as it came, or where it was not kept the tool's own words. */
function toolErrorOf(
  { refusal, answer }: OpenCalled & { readonly ok: false },
  row: CapabilityRow | undefined,
): ToolResult | undefined {
  const { code, details } = refusal;
  if (!isForeign(row) || code !== 'capability_threw') return undefined;
  const error = isObject(details) ? details['error'] : undefined;
  if (!isObject(error) || error['name'] !== 'mcp_tool_error' || typeof error['message'] !== 'string') return undefined;
  return { ...(passedOn(answer) ?? { content: [textBlock(error['message'])] }), isError: true };
}

/** The result of a call that was refused, also before a gate has seen it. */
function refused(refusal: Refusal): ToolResult {
  const text = replyText(observeRefusal(refusal), REFUSAL_BYTES);
  return { isError: true, content: [textBlock(text)] };
}

function valueOf({ value, answer }: OpenCalled & { readonly ok: true }, row: CapabilityRow | undefined): ToolResult {
  const passed = isForeign(row) ? passedOn(answer) : undefined;
  if (passed !== undefined) return passed;
  const isStructured = row?.result?.['type'] === 'object' && isObject(value);
  const text = typeof value === 'string' ? value : canonicalText(value);
  return { content: [textBlock(text)], ...(isStructured && { structuredContent: value }) };
}

/** The answer of another MCP server, member for member. Undefined where none was kept. */
function passedOn(answer: OpenCalled['answer']): ToolResult | undefined {
  const whole = answer?.value;
  if (!isObject(whole)) return undefined;
  const { content, structuredContent, _meta } = withTheirMeta(whole);
  return {
    content: Array.isArray(content) ? content.map(blockOf) : [],
    ...(isObject(structuredContent) && { structuredContent }),
    ...(isObject(_meta) && { _meta }),
  };
}
