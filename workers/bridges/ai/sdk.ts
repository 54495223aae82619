/** Types that the tools of a session have for the AI SDK. They fit `ai` 5, 6 and 7. */

import type { JsonValue } from '../../../core/json/value.ts';
import type { ReceiptPlace } from '../../api.ts';
import type { AiPart } from './model.ts';

/** The functions of `ai` that make tools. `Schema` is the type of a schema that `jsonSchema` makes. */
export interface AiFunctions<Schema> {
  readonly tool: (tool: never) => unknown;
  readonly jsonSchema: (schema: never) => Schema;
}

/** Facts of the SDK about a call. */
export interface AiCall {
  readonly toolCallId: string;
  /** The messages before the call, or the messages with the call that a person has approved. */
  readonly messages: readonly unknown[];
}

/** A capability of a session as a tool of the SDK. */
export interface AiTool<Schema> {
  readonly description: string;
  readonly inputSchema: Schema;
  /** One proposal through every gate to its receipt. */
  readonly execute: (
    input: unknown,
    call: AiCall & { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<JsonValue>;
  /** With `approvals: 'sdk'`: asks the gate whether a person has to approve the call. */
  readonly needsApproval?: (input: unknown, call: AiCall) => Promise<boolean>;
}

export type AiApproval =
  | 'not-applicable'
  | 'user-approval'
  | { readonly type: 'user-approval'; readonly reason: string }
  | { readonly type: 'denied'; readonly reason: string };

/** An answer of a language model. */
interface AiAnswer {
  readonly content: readonly AiPart[];
}

interface AiStream {
  readonly stream: ReadableStream<AiPart>;
}

/** The request that a middleware wraps. */
export interface AiRequest {
  readonly prompt?: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[] | undefined;
}

/** Middleware for `wrapLanguageModel`. */
export interface AiMiddleware {
  /** A constant of the specification, which no version of the SDK reads. Each version has a type of its own for it. */
  readonly specificationVersion: never;
  /** Where results can be held, tells the model how handles are written, behind the system message. */
  readonly transformParams: <R extends AiRequest>(asked: { readonly params: R }) => Promise<R>;
  readonly wrapGenerate: <A extends AiAnswer>(asked: {
    readonly doGenerate: () => PromiseLike<A>;
    readonly params: AiRequest;
  }) => Promise<A>;
  readonly wrapStream: <A extends AiStream>(asked: {
    readonly doStream: () => PromiseLike<A>;
    readonly params: AiRequest;
  }) => Promise<A>;
}

/** The tools of a session for the AI SDK. */
export interface SessionTools<Schema> {
  /** For `tools` of `generateText`, `streamText` and agents. */
  readonly tools: { readonly [name: string]: AiTool<Schema> };
  /**
   * For `wrapLanguageModel`: keeps the text of the arguments as the model wrote it, and tells the model of handles where
   * results can be held.
   */
  readonly middleware: AiMiddleware;
  /** For `toolApproval` of version 7. */
  readonly toolApproval: { readonly [name: string]: (input: unknown, call: AiCall) => Promise<AiApproval> };
  /** Place of the receipt of each call by `toolCallId`, for the newest calls. */
  readonly receipts: ReadonlyMap<string, ReceiptPlace>;
}
