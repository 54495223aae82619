import { BYTES_MAX, type Completion, wellFormed } from '../completion.ts';
import { endpointFailure } from '../failure.ts';
import { promptFailure } from './prompt-failure.ts';
import type { PromptApi, PromptConstraint, PromptCreation, PromptMessage, PromptSession } from './prompt-types.ts';

/** A session with the messages that it has heard. */
export interface HeardSession {
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
