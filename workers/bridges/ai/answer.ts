import { isCount } from '../../../core/json/value.ts';
import type { AnswerFacts } from '../../../core/ledger/kinds/step.ts';
import { BYTES_MAX, type ChatAnswer, type ChatCall, finishOf, wellFormed } from '../models/completion.ts';
import { isAbort } from '../models/endpoint.ts';
import { endpointFailure } from '../models/failure.ts';
import type { AiPart, AiPartMembers } from './model.ts';
import { RawInputs } from './raw-inputs.ts';

/** Receivers of an answer while it is written. */
export interface AnswerListeners {
  readonly onText?: ((text: string) => void) | undefined;
  readonly onReasoning?: ((text: string) => void) | undefined;
}

/**
 * Reads the stream of a language model to its end. The model's text and the arguments of its calls stay text. Half an
 * answer is refused, because it could look whole. Throws the error that the stream tells, and `model_failed`.
 */
export async function readAnswer(
  stream: ReadableStream<AiPart>,
  signal: AbortSignal,
  listeners: AnswerListeners,
): Promise<ChatAnswer> {
  const reader = stream.getReader();
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  const answer = new StreamedParts(listeners);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read().catch(cutOff);
      signal.throwIfAborted();
      if (done) return answer.whole();
      answer.add(value as AiPartMembers);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

function cutOff(error: unknown): never {
  throw isAbort(error) ? error : endpointFailure('cut_off');
}

/** Collects the parts of a single answer. */
class StreamedParts {
  readonly #listeners: AnswerListeners;
  readonly #pieces: string[] = [];
  readonly #inputs = new RawInputs();
  readonly #calls: ChatCall[] = [];
  #length = 0;
  #usage: AnswerFacts['usage'];
  #reason: string | undefined;

  constructor(listeners: AnswerListeners) {
    this.#listeners = listeners;
  }

  add(part: AiPartMembers): void {
    const { type, delta = '', toolName = '' } = part;
    this.#bound(part);
    this.#inputs.add(part);
    if (type === 'error') throw part.error;
    if (type === 'text-delta') this.#pieces.push(delta);
    if (type === 'text-delta' || type === 'tool-input-delta') this.#listeners.onText?.(delta);
    if (type === 'tool-input-start') this.#listeners.onText?.(`${toolName} `);
    if (type === 'reasoning-delta') this.#listeners.onReasoning?.(delta);
    // A call that the provider itself has executed is no proposal.
    if (type === 'tool-call' && part.providerExecuted !== true)
      this.#calls.push({ name: toolName, args: this.#inputs.end(part) });
    if (type === 'finish') this.#finish(part);
  }

  #bound({ delta, input }: AiPartMembers): void {
    this.#length += (delta?.length ?? 0) + (input?.length ?? 0);
    if (this.#length > BYTES_MAX) throw endpointFailure('too_long');
  }

  #finish({ usage, finishReason }: AiPartMembers): void {
    const [input, output] = [usage?.inputTokens, usage?.outputTokens].map((told) =>
      typeof told === 'object' ? told.total : told,
    );
    if (isCount(input) && isCount(output)) this.#usage = { input, output };
    this.#reason = typeof finishReason === 'object' ? finishReason.unified : finishReason;
  }

  whole(): ChatAnswer {
    const reason = this.#reason;
    if (reason === 'error') throw endpointFailure('reported');
    const finish = finishOf(reason);
    if (finish === undefined)
      throw endpointFailure('cut_off', reason === undefined ? {} : { said: `finishReason: ${JSON.stringify(reason)}` });
    const open = this.#inputs.open.map(({ name, text }) => ({ name, args: text }));
    const calls = [...this.#calls, ...open];
    return {
      text: wellFormed(this.#pieces.join('')),
      finish,
      ...(calls.length > 0 && { calls }),
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }
}
