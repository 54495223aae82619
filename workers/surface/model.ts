/** Public types of models. */

import type { JsonObject } from '../../core/json/value.ts';
import type { AnswerFacts } from '../../core/ledger/kinds/step.ts';

/** A message of the context that a model proposes from. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** Capacity of a model, where it is less than the limits of a run. */
export interface ModelWindow {
  /** UTF-8 bytes of a run's history in a single request; becomes the run's `contextBytes`. */
  readonly contextBytes: number;
  /** Tokens of a single answer; becomes the run's `answerTokens`. */
  readonly maxTokens?: number;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly proposalSchema: JsonObject;
  readonly maxTokens: number;
  readonly seed?: number;
}

/** A model: takes a request, returns a proposal as raw text or bytes. It never parses, repairs or retries. */
export interface ModelPort {
  readonly id: string;
  /**
   * Where the model runs. Private content goes to a remote model only with consent. Absent means remote, origin
   * unknown.
   */
  readonly locality?: { readonly kind: 'local' } | { readonly kind: 'remote'; readonly origin: string };
  readonly window?: ModelWindow;
  /** Proposes for a request. `onText` may receive the text in pieces as it arrives; only the returned text counts. */
  propose(
    request: ModelRequest,
    io: { readonly signal: AbortSignal; readonly onText?: (text: string) => void },
  ): Promise<{ readonly text: string | Uint8Array } & AnswerFacts>;
}
