import { makeTurnQueue } from '../../../../../workers/async.ts';
import type {
  TransformersMessage,
  TransformersStop,
} from '../../../../../workers/bridges/models/device/transformers.ts';
import type { WebLlmChunk, WebLlmEngine, WebLlmRequest } from '../../../../../workers/bridges/models/device/web-llm.ts';

/** Pieces of an answer: a piece is a token. */
export interface EngineAnswer {
  readonly pieces: readonly string[];
  readonly fails?: Error;
  /** Runs before a piece is sent: the engine is computing it. */
  readonly before?: (at: number) => void;
}

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

/** An error of an engine by its name. */
export function engineError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

export interface FakeWebLlm extends WebLlmEngine {
  readonly requests: WebLlmRequest[];
  readonly log: string[];
}

/**
 * WebLLM's engine over a list of answers. It keeps the rules of version 0.2.86: the schema is text, a request holds the
 * model's lock until its stream is read to the end, and an interruption counts from the first token on.
 */
export function fakeWebLlm(answers: readonly EngineAnswer[]): FakeWebLlm {
  const requests: WebLlmRequest[] = [];
  const log: string[] = [];
  let isInterrupted = false;
  const turn = makeTurnQueue();
  let given = 0;
  async function* generate(request: WebLlmRequest): AsyncGenerator<WebLlmChunk> {
    const end = await turn();
    try {
      isInterrupted = false;
      const { pieces, fails, before } = answers[given++] as EngineAnswer;
      log.push('prefill');
      before?.(0);
      await soon();
      // the interruption of the time before is lost
      isInterrupted = false;
      if (fails !== undefined) throw fails;
      let sent = 0;
      for (const content of pieces.slice(0, request.max_tokens)) {
        if (isInterrupted) break;
        yield { choices: [{ delta: { content } }] };
        sent++;
        before?.(sent);
        await soon();
      }
      const reason = isInterrupted ? 'abort' : pieces.length > request.max_tokens ? 'length' : 'stop';
      log.push(reason);
      yield { choices: [{ delta: {}, finish_reason: reason }] };
      yield { choices: [], usage: { prompt_tokens: 7, completion_tokens: sent } };
    } finally {
      end();
    }
  }
  return {
    requests,
    log,
    chat: {
      completions: {
        async create(request) {
          if (typeof request.response_format.schema !== 'string') throw new TypeError('The schema is no text.');
          JSON.parse(request.response_format.schema);
          requests.push(request);
          return generate(request);
        },
      },
    },
    interruptGenerate: async () => {
      isInterrupted = true;
    },
  };
}

interface Streamer {
  put(tokens: bigint[][]): void;
}

interface GenerationOptions {
  readonly max_new_tokens: number;
  readonly do_sample: boolean;
  readonly streamer: Streamer;
  readonly stopping_criteria: { readonly interrupted: boolean };
}

/** Streamer of transformers.js for a tokenizer whose tokens are numbers of pieces. */
export class TextStreamer implements Streamer {
  readonly #tokenizer: { readonly decode: (tokens: readonly bigint[]) => string };
  readonly #options: ConstructorParameters<typeof TextStreamer>[1];
  #isPrompt = true;

  constructor(
    tokenizer: { readonly decode: (tokens: readonly bigint[]) => string },
    options: {
      skip_prompt: boolean;
      skip_special_tokens: boolean;
      callback_function: (text: string) => void;
      token_callback_function: (tokens: bigint[]) => void;
    },
  ) {
    this.#tokenizer = tokenizer;
    this.#options = options;
  }

  put([tokens = []]: bigint[][]): void {
    const isSkipped = this.#isPrompt && this.#options.skip_prompt;
    this.#isPrompt = false;
    if (isSkipped) return;
    this.#options.token_callback_function(tokens);
    this.#options.callback_function(this.#tokenizer.decode(tokens));
  }
}

export class InterruptableStoppingCriteria implements TransformersStop {
  interrupted = false;

  interrupt(): void {
    this.interrupted = true;
  }
}

/**
 * A pipeline of transformers.js over a list of answers. It keeps the rules of version 4.3.1: a criterion is asked after
 * each token, the streamer gets the request first, and the chat comes back with the new message behind it.
 */
export function fakeGenerator(answers: readonly EngineAnswer[]) {
  const requests: { readonly chat: readonly TransformersMessage[]; readonly options: GenerationOptions }[] = [];
  let given = 0;
  let active = 0;
  let pieces: readonly string[] = [];
  const tokenizer = { decode: (tokens: readonly bigint[]) => tokens.map((token) => pieces[Number(token)]).join('') };
  const generate = async (chat: TransformersMessage[], options: GenerationOptions): Promise<unknown> => {
    if (++active > 1) throw new Error('The pipeline is at work.');
    requests.push({ chat, options });
    const answer = answers[given++] as EngineAnswer;
    ({ pieces } = answer);
    try {
      if (answer.fails !== undefined) throw answer.fails;
      options.streamer.put([[0n, 0n]]);
      let text = '';
      for (const [at, piece] of pieces.slice(0, options.max_new_tokens).entries()) {
        answer.before?.(at);
        await soon();
        text += piece;
        options.streamer.put([[BigInt(at)]]);
        if (options.stopping_criteria.interrupted) break;
      }
      return [{ generated_text: [...chat, { role: 'assistant', content: text }] }];
    } finally {
      active--;
    }
  };
  return { generator: Object.assign(generate, { tokenizer }) as never, requests };
}
