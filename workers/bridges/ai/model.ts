import type { JsonObject } from '../../../core/json/value.ts';

/** The parts of the AI SDK's types that are read, alike in `@ai-sdk/provider` 2, 3 and 4. */

/** A language model of the specification v2, v3 or v4. The type fits each of them. */
export interface AiLanguageModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4';
  readonly provider: string;
  readonly modelId: string;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<AiPart> }>;
}

/** A part of an answer. Further members depend on its type and on the specification. */
export interface AiPart {
  readonly type: string;
}

/** Members of the parts that are read. A provider's server fills them, so each may be absent. */
export interface AiPartMembers extends AiPart {
  readonly id?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: string;
  readonly inputEncoding?: string;
  readonly providerExecuted?: boolean;
  readonly error?: unknown;
  /** Data of the provider, which some providers demand back. */
  readonly providerMetadata?: unknown;
  readonly usage?: { readonly inputTokens?: AiTokens; readonly outputTokens?: AiTokens };
  readonly finishReason?: string | { readonly unified?: string };
}

/** Tokens in v2 and from v3 on. */
type AiTokens = number | { readonly total?: number } | undefined;

/** A message of a prompt, alike in v2, v3 and v4. */
export type AiMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly AiContent[] };

export type AiContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string; readonly providerOptions?: JsonObject }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly providerOptions?: JsonObject;
    }
  | {
      readonly type: 'tool-result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: { readonly type: 'text'; readonly value: string };
    };
