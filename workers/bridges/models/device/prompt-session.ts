import { ModelError } from '../../../../core/model-error.ts';
import type { ModelMessage } from '../../../api.ts';
import { BYTES_MAX, type Completion, wellFormed } from '../completion.ts';
import { endpointFailure } from '../failure.ts';
import type { PromptApi, PromptConstraint, PromptCreation, PromptMessage, PromptSession } from './prompt-types.ts';

/** A session with the messages that it has heard. */
interface HeardSession {
  readonly session: PromptSession;
  readonly instructions: string;
  readonly heard: readonly PromptMessage[];
}

/** A session with the rest of a request. */
export interface OpenPrompt extends HeardSession {
  readonly rest: readonly PromptMessage[];
  /** Tokens of the session after the rest. */
  readonly tokens: number;
}

/** A request on its way to a session. */
export interface PromptCall {
  readonly constraint: PromptConstraint;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  readonly onText?: ((text: string) => void) | undefined;
}

/**
 * A session that lives until `destroy`. The browser ends a session by the signal of its creation at any later time, so
 * the caller's signal counts during the creation only.
 */
export async function createSession(
  api: PromptApi,
  creation: Omit<PromptCreation, 'signal'>,
  signal?: AbortSignal,
): Promise<PromptSession> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await api.create({ ...creation, signal: controller.signal });
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Tokens of the session after these messages; undefined where they do not fit beside an answer. */
export async function tokensWith(
  session: PromptSession,
  rest: readonly PromptMessage[],
  { constraint, maxTokens, signal }: PromptCall,
): Promise<number | undefined> {
  const tokens = session.contextUsage + (await session.measureContextUsage([...rest], { ...constraint, signal }));
  // a window in which the whole answer would not fit beside any request gives a quarter to the answer
  return tokens + Math.min(maxTokens, session.contextWindow / 4) > session.contextWindow ? undefined : tokens;
}

/**
 * The messages that fit the window of a new session: the oldest messages are left out, and the newest task and the
 * newest message stay. Throws `model_failed` where those do not fit. The browser would forget messages by itself, the
 * task among them.
 */
export async function fitted(
  session: PromptSession,
  history: readonly PromptMessage[],
  task: PromptMessage | undefined,
  call: PromptCall,
): Promise<Pick<OpenPrompt, 'rest' | 'tokens'>> {
  let rest = history;
  for (;;) {
    const tokens = await tokensWith(session, rest, call);
    if (tokens !== undefined) return { rest, tokens };
    const oldest = rest.findIndex((message, at) => message !== task && at < rest.length - 1);
    if (oldest < 0) throw promptFailure('window');
    rest = rest.toSpliced(oldest, 1);
  }
}

/** Sends the rest of a request, and reads the answer to its end. */
export async function answerIn({ session, rest, tokens }: OpenPrompt, call: PromptCall): Promise<Completion> {
  const { constraint, signal } = call;
  const reader = session.promptStreaming([...rest], { ...constraint, signal }).getReader();
  const stop = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { text, finish } = await readPieces(reader, call);
    signal.throwIfAborted();
    const output = Math.ceil(session.contextUsage) - Math.ceil(tokens);
    // a browser that does not count the answer tells no usage
    const usage = output > 0 && Number.isSafeInteger(output) ? { input: Math.ceil(tokens), output } : undefined;
    return { text: wellFormed(text), finish, ...(usage && { usage }) };
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/** The API has no limit of an answer. A piece has one token at least, so the number of pieces bounds the tokens. */
async function readPieces(
  reader: ReadableStreamDefaultReader<string>,
  { maxTokens, onText }: PromptCall,
): Promise<{ readonly text: string; readonly finish: 'stop' | 'length' }> {
  let text = '';
  for (let pieces = 0; ; pieces++) {
    const { done, value } = await reader.read();
    if (done) return { text, finish: 'stop' };
    if (pieces >= maxTokens) return { text, finish: 'length' };
    text += value;
    if (text.length > BYTES_MAX) throw endpointFailure('too_long');
    if (value !== '') onText?.(value);
  }
}

/** A request as sessions hear it: a session begins with the instructions. */
interface PromptConversation {
  readonly instructions: string;
  readonly said: readonly PromptMessage[];
  /** The newest task, which stays where the window is too small for all. */
  readonly task: PromptMessage | undefined;
}

export function conversationOf(messages: readonly ModelMessage[]): PromptConversation {
  const ofSystem = messages.filter(({ role }) => role === 'system');
  const others = messages.filter(({ role }) => role !== 'system');
  const said = others.map(({ role, content }): PromptMessage => ({ role: role as PromptMessage['role'], content }));
  const task = said[others.findLastIndex(({ kind }) => kind === 'task')];
  return { instructions: ofSystem.map(({ content }) => content).join('\n\n'), said, task };
}

/** Sessions that are kept: two runs may share the model. */
const KEPT_MAX = 2;

/** Sessions of earlier requests, the newest first. */
export class KeptSessions {
  #kept: readonly HeardSession[] = [];

  /** The session that has heard the longest beginning of this request. The caller owns it from then on. */
  take(conversation: PromptConversation): HeardSession | undefined {
    const begun = this.#kept.filter((each) => hasHeardBeginning(each, conversation));
    const longest = begun.toSorted((one, two) => two.heard.length - one.heard.length)[0];
    this.#kept = this.#kept.filter((each) => each !== longest);
    return longest;
  }

  keep(session: HeardSession): void {
    const all = [session, ...this.#kept];
    this.#kept = all.slice(0, KEPT_MAX);
    for (const each of all.slice(KEPT_MAX)) each.session.destroy();
  }

  close(): void {
    for (const { session } of this.#kept) session.destroy();
    this.#kept = [];
  }
}

function hasHeardBeginning(session: HeardSession, { instructions, said }: PromptConversation): boolean {
  const { heard } = session;
  const isSame = ({ role, content }: PromptMessage, at: number): boolean =>
    said[at]?.role === role && said[at].content === content;
  return session.instructions === instructions && heard.length < said.length && heard.every(isSame);
}

interface Failure {
  readonly message: string;
  readonly retryable: boolean;
}

type PromptFault =
  | 'unsupported'
  | 'unavailable'
  | 'not_ready'
  | 'not_allowed'
  | 'filtered'
  | 'not_supported'
  | 'download'
  | 'window'
  | 'ended'
  | 'failed';

/** Failures of the browser's model. The messages are recorded, so they hold no text of the browser. */
const FAILURES: { readonly [fault in PromptFault]: Failure } = {
  unsupported: {
    message: 'This browser has no Prompt API here. It exists in windows of some browsers, and in no worker.',
    retryable: false,
  },
  unavailable: { message: 'The browser has no model for this device or these languages.', retryable: false },
  not_ready: { message: 'The model of the browser is not downloaded. Call prepare() on a click.', retryable: true },
  not_allowed: { message: 'The browser does not let this page use its model.', retryable: false },
  filtered: { message: 'The browser has withheld the answer of its model.', retryable: false },
  not_supported: {
    message: 'The model of the browser does not support the language or the schema of the request.',
    retryable: false,
  },
  download: { message: 'The browser could not download its model.', retryable: true },
  window: { message: 'The request is larger than the window of the browser model.', retryable: false },
  ended: { message: 'The browser has ended the session of its model.', retryable: true },
  failed: { message: 'The model of the browser has failed.', retryable: true },
};

/** Faults by the name of the browser's exception. */
const BY_NAME: ReadonlyMap<string, PromptFault> = new Map([
  ['NotAllowedError', 'not_allowed'],
  ['NotReadableError', 'filtered'],
  ['NotSupportedError', 'not_supported'],
  ['NetworkError', 'download'],
  ['QuotaExceededError', 'window'],
  ['AbortError', 'ended'],
  ['InvalidStateError', 'ended'],
]);

/** UTF-16 units of the browser's text that are shown to the developer. */
const SAID_MAX = 2048;

export function promptFailure(fault: PromptFault, said?: string): ModelError {
  const { message, retryable } = FAILURES[fault];
  return new ModelError(message, { retryable, ...(said && { said: said.slice(0, SAID_MAX) }) }, { fault });
}

/** The failure for the run, of a request that the run has not aborted. A `ModelError` passes unchanged. */
export function failureOfPrompt(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const { name, message } = Object(error) as { readonly name?: unknown; readonly message?: unknown };
  return promptFailure(BY_NAME.get(String(name)) ?? 'failed', `${String(name)}: ${String(message)}`);
}
