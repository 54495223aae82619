import type { ModelPort, ModelRequest } from '../../api.ts';
import type { Completion } from '../models/completion.ts';
import type { EndpointTest } from '../models/connection.ts';
import type { OpenAIOptions } from '../models/openai.ts';
import type { ResponseFormat } from '../models/presets.ts';

/** Data that crosses to the worker. */
export type EndpointSettings = Omit<OpenAIOptions, 'fetch'>;

/** Error as a value: thrown across a port it would lose its code. */
export interface EndpointError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly afterMs?: number;
  readonly said?: string;
  readonly details?: object;
}
export type EndpointReply<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: EndpointError };

interface OpenedEndpoint {
  readonly id: string;
  readonly provider?: string;
  readonly name?: string;
  readonly locality: NonNullable<ModelPort['locality']>;
}

/** Kind of server behind a door: it decides the requests that the door takes. */
export type DoorKind = 'file' | 'mcp' | 'openai' | 'otlp';

/** Data that crosses to the worker of a door. */
export interface DoorSettings {
  readonly kind: DoorKind;
  /** The server. Requests go to its origin, and of the kind `openai` also to paths under its path. */
  readonly url: string;
  /**
   * Headers that the worker adds to each request to the server, for example a key. They replace headers of the same
   * name in a request. The page cannot read them, and an answer that repeats a value has `*` in its place.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further origins that the door asks, without these headers: for example an authorization server. */
  readonly alsoAsk?: readonly string[];
}

/** A request on its way to the worker. */
export interface DoorRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: ArrayBuffer;
}

/** Messages of the worker at the port of a request: a head, pieces as the page pulls them, then the end or a failure. */
export type DoorMessage =
  | {
      readonly kind: 'head';
      readonly status: number;
      readonly statusText: string;
      readonly headers: [name: string, value: string][];
      readonly hasBody: boolean;
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly error: EndpointError };

/** Method of the page at the port of a proposal: receives the pieces of the answer's text. */
export interface TextListener {
  onText(text: string): void;
}

/** A worker for a single server. It is opened once, for a model or as a door: another server needs another worker. */
export interface EndpointHost {
  open(settings: EndpointSettings): Promise<EndpointReply<OpenedEndpoint>>;
  /** `listener` is a port that serves a `TextListener`. */
  propose(request: ModelRequest, listener: MessagePort): Promise<EndpointReply<Completion>>;
  cancel(): void;
  test(timeoutMs: number | undefined): Promise<EndpointReply<EndpointTest>>;
  probe(): Promise<EndpointReply<ResponseFormat>>;
  /** Resolves with the server's origin. */
  openDoor(settings: DoorSettings): Promise<EndpointReply<string>>;
  ask(request: DoorRequest, port: MessagePort): void;
}
