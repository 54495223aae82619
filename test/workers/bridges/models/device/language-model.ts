import type {
  PromptApi,
  PromptAvailability,
  PromptConstraint,
  PromptCreation,
  PromptInstructions,
  PromptMessage,
  PromptSession,
} from '../../../../../workers/bridges/models/device/prompt-types.ts';

/** Answer of the model: text, text that never ends, or an exception of the browser. */
export type PromptAnswer = string | { readonly begins: string } | Error;

export interface PromptRules {
  /** Tokens of a session. A token has four characters. */
  readonly contextWindow?: number;
  readonly availability?: PromptAvailability;
  /** Exception of each creation. */
  readonly refusal?: Error;
  /** A person has clicked: a download is permitted. */
  readonly clicked?: boolean;
}

export interface FakePromptApi extends PromptApi {
  /** What was asked of the browser, in order. */
  readonly log: string[];
  readonly constraints: PromptConstraint['responseConstraint'][];
  /** Number of sessions that are not destroyed. */
  open(): number;
}

type HeardMessage = PromptMessage | PromptInstructions;

const TOKEN = 4;
const tokensOf = (messages: readonly HeardMessage[]): number =>
  messages.reduce((sum, { content }) => sum + Math.ceil(content.length / TOKEN), 0);
const rolesOf = (messages: readonly HeardMessage[]): string => messages.map(({ role }) => role).join(' ');

/** The Prompt API over a list of answers. It keeps the rules of the specification, and forgets what overflows. */
export function fakePromptApi(answers: readonly PromptAnswer[], rules: PromptRules = {}): FakePromptApi {
  const { contextWindow = 4096, availability = 'available', refusal, clicked = false } = rules;
  const log: string[] = [];
  const constraints: FakePromptApi['constraints'] = [];
  const sessions = new Set<FakeSession>();
  let given = 0;

  class FakeSession implements PromptSession {
    readonly contextWindow = contextWindow;
    readonly #initial: readonly HeardMessage[];
    #heard: readonly HeardMessage[] = [];
    readonly #ended = new AbortController();

    constructor(initial: readonly HeardMessage[]) {
      this.#initial = initial;
      sessions.add(this);
    }

    get contextUsage(): number {
      return tokensOf([...this.#initial, ...this.#heard]);
    }

    async measureContextUsage(
      input: PromptMessage[],
      { signal, omitResponseConstraintInput, responseConstraint }: PromptConstraint & { readonly signal: AbortSignal },
    ): Promise<number> {
      signal.throwIfAborted();
      this.#assertOpen();
      const constraint = omitResponseConstraintInput ? '' : JSON.stringify(responseConstraint);
      return tokensOf([...input, { role: 'user', content: constraint }]);
    }

    promptStreaming(
      input: PromptMessage[],
      { signal, responseConstraint }: PromptConstraint & { readonly signal: AbortSignal },
    ): ReadableStream<string> {
      log.push(`prompt ${rolesOf(input)}`);
      constraints.push(responseConstraint);
      return new ReadableStream({
        start: async (out) => {
          const end = (): void => out.error(signal.aborted ? signal.reason : this.#ended.signal.reason);
          try {
            signal.throwIfAborted();
            this.#assertOpen();
            this.#hear(input);
          } catch (error) {
            return out.error(error);
          }
          for (const each of [signal, this.#ended.signal]) each.addEventListener('abort', end, { once: true });
          const answer = answers[given++] ?? new DOMException('The model is gone.', 'UnknownError');
          if (answer instanceof Error) return out.error(answer);
          const text = typeof answer === 'string' ? answer : answer.begins;
          for (let at = 0; at < text.length; at += TOKEN) out.enqueue(text.slice(at, at + TOKEN));
          if (typeof answer !== 'string') return;
          this.#heard = [...this.#heard, { role: 'assistant', content: text }];
          out.close();
        },
      });
    }

    destroy(): void {
      if (sessions.delete(this)) log.push('destroy');
      this.#ended.abort(new DOMException('The session was destroyed.', 'AbortError'));
    }

    #assertOpen(): void {
      if (this.#ended.signal.aborted) throw new DOMException('The session was destroyed.', 'InvalidStateError');
    }

    /** Forgets the oldest messages where the window is full, as a browser does; instructions stay. */
    #hear(input: readonly HeardMessage[]): void {
      if (input.some(({ role }) => role === 'system'))
        throw new DOMException('System prompts stand in initialPrompts.', 'NotSupportedError');
      if (input.at(-1)?.role === 'assistant') throw new TypeError('The last message is of the assistant.');
      if (tokensOf([...this.#initial, ...input]) > contextWindow)
        throw new DOMException('The input is too large.', 'QuotaExceededError');
      this.#heard = [...this.#heard, ...input];
      for (; this.contextUsage > contextWindow; this.#heard = this.#heard.slice(1)) log.push('overflow');
    }
  }

  return {
    log,
    constraints,
    open: () => sessions.size,
    availability: async () => availability,
    async create({ initialPrompts = [], monitor, signal }: PromptCreation) {
      signal.throwIfAborted();
      log.push(`create ${rolesOf(initialPrompts)}`.trim());
      if (refusal !== undefined) throw refusal;
      if (availability === 'unavailable') throw new DOMException('There is no model.', 'NotSupportedError');
      if (availability !== 'available') {
        if (!clicked) throw new DOMException('A download needs a click.', 'NotAllowedError');
        const target = new EventTarget();
        monitor?.(target);
        for (const loaded of [0, 0.5, 1])
          target.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded, total: 1 }));
        await new Promise((resolve) => setTimeout(resolve));
        signal.throwIfAborted();
      }
      if (tokensOf(initialPrompts) > contextWindow) throw new DOMException('Too large.', 'QuotaExceededError');
      const session = new FakeSession(initialPrompts);
      signal.addEventListener('abort', () => session.destroy(), { once: true });
      return session;
    },
  };
}
