import { ANY, type OptionTypes, optionsOf, TEXT } from '../../../../core/option.ts';
import type { ModelPort, ModelRequest } from '../../../api.ts';
import type { Greeting } from '../../../lock/greeting.ts';
import type { EndpointError } from '../../endpoint/host.ts';

export interface ModelWorkerOptions {
  /** Folder of this page's origin with the files of the engine; told to the worker as an absolute address. */
  readonly assets?: string;
  /**
   * Value for the worker, for example the file of a model that a person has picked. The worker gets a structured clone:
   * a `Blob` or `File` is passed without a copy of its bytes.
   */
  readonly data?: unknown;
}

const OPTIONS: OptionTypes = { assets: TEXT, data: ANY };

/** Throws `option_invalid`. */
export function modelWorkerOptions(given: ModelWorkerOptions): ModelWorkerOptions {
  return optionsOf(given, OPTIONS);
}

/** Makes the model inside its worker, from the options with which the page opens it. */
export type ModelMaker = (given: ModelWorkerOptions) => ModelPort | Promise<ModelPort>;

/** The only message of ours outside of `port`. */
export interface ModelGreeting extends Required<Greeting> {
  readonly port: MessagePort;
}

/** Members of the worker's model that cross to the page. */
export type ServedModel = Omit<ModelPort, 'propose'>;

/** A message of the page at the worker's port: `open` once, then `propose` with a port for the answer. */
export type ModelAsk =
  | { readonly kind: 'open'; readonly options: ModelWorkerOptions }
  | { readonly kind: 'propose'; readonly request: ModelRequest; readonly port: MessagePort };

/** The worker's reply to `open`. */
export type ModelOpened =
  | { readonly kind: 'opened'; readonly model: ServedModel }
  | { readonly kind: 'failed'; readonly error: EndpointError };

/** A message of the worker at the port of a proposal: pieces of the text, then the answer or a failure. */
export type ProposalMessage =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'answer'; readonly answer: Awaited<ReturnType<ModelPort['propose']>> }
  | { readonly kind: 'failed'; readonly error: EndpointError };
