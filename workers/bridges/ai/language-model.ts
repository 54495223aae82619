import {
  CALLBACK,
  demand,
  each,
  OBJECT,
  type OptionType,
  type OptionTypes,
  oneOf,
  optionsOf,
  TEXT,
} from '../../../core/option.ts';
import type { ModelPort, ModelRequest } from '../../api.ts';
import type { ChatAnswer, Completion } from '../models/completion.ts';
import { isNative, nativeAnswer } from '../models/native-tools.ts';
import { unwrapped } from '../models/request-body.ts';
import { readAnswer } from './answer.ts';
import { failureOf } from './failure.ts';
import type { AiLanguageModel } from './model.ts';
import { jsonRequest, nativeRequest } from './prompt.ts';

/** Terms on which a model of the AI SDK proposes. */
export interface LanguageModelOptions {
  /**
   * Place that the model's data goes to, for example `https://api.openai.com`, or `local` for a model on this device. A
   * model of the SDK does not say it.
   */
  readonly origin: string;
  /**
   * `tools` (default): proposals are calls of the provider's own tools, one at a time. `json`: proposals are JSON text.
   * A run in the dialect `catalytic` is always asked for JSON text.
   */
  readonly mode?: 'tools' | 'json';
  /** Options of the provider, handed on with each request. */
  readonly providerOptions?: object;
  /** Name of the model in telemetry; default: the model's own. */
  readonly name?: string;
  /** Gets the model's reasoning while it is written. Reasoning is never part of a proposal and is not recorded. */
  readonly onReasoning?: (text: string) => void;
}

const OPTIONS: OptionTypes = {
  ...each(['origin', 'name'], TEXT),
  mode: oneOf('tools', 'json'),
  providerOptions: OBJECT,
  onReasoning: CALLBACK,
};

const MODEL: OptionType = [
  'a language model of the AI SDK (specification v2, v3 or v4); make it with a provider, because the id of a gateway reaches a server that the program has not chosen',
  isLanguageModel,
];

function isLanguageModel(value: unknown): boolean {
  const { specificationVersion, doStream } = Object(value) as { [name: string]: unknown };
  return ['v2', 'v3', 'v4'].includes(specificationVersion as string) && typeof doStream === 'function';
}

/**
 * A model of the AI SDK as the model of a run. Each proposal is a single request, and the answer is passed on as the
 * model spelled it: without parsing, repair or retry. Fails with a `ModelError`; throws `option_invalid`, also for the
 * id of a gateway.
 *
 * @example const model = fromLanguageModel(openai('gpt-5'), { origin: 'https://api.openai.com' });
 */
export function fromLanguageModel(model: AiLanguageModel, options: LanguageModelOptions): ModelPort {
  demand('model', model, MODEL);
  const given = optionsOf(options, OPTIONS, ['origin']);
  const { origin, mode = 'tools', name = model.modelId } = given;
  return {
    id: `ai-sdk:${model.provider}/${model.modelId}`,
    provider: model.provider.split('.')[0] ?? model.provider,
    name,
    locality: origin === 'local' ? { kind: 'local' } : { kind: 'remote', origin },
    async propose(request, { signal, onText }) {
      try {
        const { stream } = await model.doStream(callOf(request, mode, given, signal) as never);
        return proposalIn(await readAnswer(stream, signal, { onText, onReasoning: given.onReasoning }), request, mode);
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error);
      }
    },
  };
}

type Mode = 'tools' | 'json';

const isCalled = (request: ModelRequest, mode: Mode) => isNative(request, mode === 'tools' ? 'native' : 'json');

function callOf(
  request: ModelRequest,
  mode: Mode,
  { providerOptions }: LanguageModelOptions,
  abortSignal: AbortSignal,
): object {
  const { maxTokens, seed } = request;
  return {
    ...(isCalled(request, mode) ? nativeRequest(request as never) : jsonRequest(request)),
    maxOutputTokens: maxTokens,
    abortSignal,
    ...(seed !== undefined && { seed }),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

function proposalIn({ calls, ...answer }: ChatAnswer, request: ModelRequest, mode: Mode): Completion {
  if (isCalled(request, mode)) return nativeAnswer({ ...answer, ...(calls && { calls }) }, request as never);
  return { ...answer, text: unwrapped(answer.text) };
}
