import type { ModelPort, ModelRequest } from '../api.ts';
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

export interface OpenedEndpoint {
  readonly id: string;
  readonly provider?: string;
  readonly name?: string;
  readonly locality: NonNullable<ModelPort['locality']>;
}

/** A worker for a single endpoint. It is opened once: another base URL needs another worker. */
export interface EndpointHost {
  open(settings: EndpointSettings): Promise<EndpointReply<OpenedEndpoint>>;
  propose(request: ModelRequest, onText: (text: string) => void): Promise<EndpointReply<Completion>>;
  cancel(): void;
  test(timeoutMs: number | undefined): Promise<EndpointReply<EndpointTest>>;
  probe(): Promise<EndpointReply<ResponseFormat>>;
}
