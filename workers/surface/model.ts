/** Public types of models. */

import type { JsonObject } from '../../core/json/value.ts';
import type { AnswerFacts } from '../../core/ledger/kinds/step.ts';
import type { Dialect } from '../../core/protocol/proposal.ts';

/** A message of the context that a model proposes from. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** The instructions, a task of a person, a proposal of the model, or the reply to a proposal. */
  readonly kind: 'opening' | 'task' | 'proposal' | 'observation';
  readonly content: string;
  /**
   * The call that a proposal made, also with the observation that answers it. `args` is the text of the arguments as
   * the model spelled it. A request that shortens the history may hold the observation without its proposal.
   */
  readonly call?: { readonly id: string; readonly name: string; readonly args: string };
}

/** A capability that a proposal may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly args: JsonObject;
}

/** Capacity of a model, where it is less than the limits of a run. */
export interface ModelWindow {
  /** UTF-8 bytes of a run's history in a single request; becomes the run's `contextBytes`. */
  readonly contextBytes: number;
  /** Tokens of a single answer; becomes the run's `answerTokens`. */
  readonly maxTokens?: number;
}

/**
 * The instructions that a request begins with. `full` explains the dialect and describes each capability, `names`
 * explains the dialect and lists names, and `none` sends no instructions, for a model that was trained on the dialect.
 */
export type OpeningLength = 'full' | 'names' | 'none';

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly dialect: Dialect;
  /** The capabilities that the run offers at present. */
  readonly tools: readonly ModelTool[];
  readonly proposalSchema: JsonObject;
  readonly maxTokens: number;
  readonly seed?: number;
}

/** A model: takes a request, returns a proposal as raw text or bytes. It never parses, repairs or retries. */
export interface ModelPort {
  readonly id: string;
  /** OpenTelemetry's name of the vendor or server, for example `openai`; told in telemetry only. */
  readonly provider?: string;
  /** Name of the model at its provider; told in telemetry only. */
  readonly name?: string;
  /**
   * Where the model runs. Private content goes to a remote model only with consent. Absent means remote, origin
   * unknown.
   */
  readonly locality?: { readonly kind: 'local' } | { readonly kind: 'remote'; readonly origin: string };
  readonly window?: ModelWindow;
  /**
   * Proposes for a request. `onText` may receive the text in pieces as it arrives; only the returned text counts.
   * `goal`: what the model said beside a call whose dialect has no place for it; it is recorded beside the proposal.
   */
  propose(
    request: ModelRequest,
    io: { readonly signal: AbortSignal; readonly onText?: (text: string) => void },
  ): Promise<{ readonly text: string | Uint8Array; readonly goal?: string } & AnswerFacts>;
}
