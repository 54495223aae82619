import type { JsonObject } from '../../../../core/json/value.ts';
import { ModelError } from '../../../../core/model-error.ts';
import { COUNT, FLAG, type OptionTypes, optionsOf, TEXT } from '../../../../core/option.ts';
import type { ModelPort, ModelRequest } from '../../../api.ts';
import { chance } from './arithmetic.ts';
import { Copying } from './copying.ts';
import { type Decoding, decode, type Holds } from './decode.ts';
import { formOf } from './form.ts';
import type { Grammar } from './grammar.ts';
import { SmallNetwork } from './network.ts';
import { promptOf, type Turn, turnsOf } from './prompt.ts';
import { SmallTokens } from './tokens.ts';
import { readWeights } from './weights.ts';

export interface SmallModelOptions {
  /** Name of the model in the records. */
  readonly id?: string;
  /** Tokens are drawn by their probability, the same for the same seed and request. Left out: the most probable. */
  readonly seed?: number;
  /** False: no proposal is held to the form or to what the model was told. */
  readonly constrained?: boolean;
}

const OPTIONS: OptionTypes = { id: TEXT, seed: COUNT, constrained: FLAG };

/** Tokens of the longest proposal. */
const ANSWER_TOKENS = 200;
/** Bytes of a run's history that are read: replies are shortened, and the oldest go first. */
const HISTORY_BYTES: number = 2 ** 17;

/**
 * A small model of Sallyport's own, from the bytes of its weights: it runs in this realm, with the same tokens in every
 * engine. It knows the tools and the dialects it was trained on, `xct` and `femtoclaw`; requests wait for each other.
 * Throws `option_invalid`, and a `ModelError` for a file that holds no weights of this version, is cut or damaged.
 */
export function fromSmallModel(weights: Uint8Array, options: SmallModelOptions = {}): ModelPort {
  const { id = 'small-model', ...settings } = optionsOf(options, OPTIONS);
  const model = new SmallModel(weights, settings);
  let last: Promise<unknown> = Promise.resolve();
  return {
    id,
    provider: 'sallyport',
    name: id,
    locality: { kind: 'local' },
    window: { contextBytes: HISTORY_BYTES, maxTokens: ANSWER_TOKENS },
    propose(request, { signal, onText }) {
      const turn = last.then(() => model.propose(request, signal, onText));
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

type Settings = Pick<SmallModelOptions, 'seed' | 'constrained'>;

class SmallModel {
  private readonly settings: Settings;
  private readonly weights;
  private readonly tokens: SmallTokens;
  private readonly network: SmallNetwork;
  private form: { readonly schema: string; readonly grammar: Grammar } | undefined;

  constructor(bytes: Uint8Array, settings: Settings) {
    this.settings = settings;
    this.weights = readWeights(bytes);
    this.tokens = new SmallTokens(this.weights);
    this.network = new SmallNetwork(this.weights);
  }

  async propose(
    request: ModelRequest,
    signal: AbortSignal,
    onText: Decoding['onText'],
  ): ReturnType<ModelPort['propose']> {
    signal.throwIfAborted();
    if (request.dialect === 'catalytic') throw new ModelError(UNTRAINED, { retryable: false }, { fault: 'dialect' });
    const turns = turnsOf(request.messages);
    const prompt = promptOf(this.tokens, request.dialect, turns);
    const { seed } = this.settings;
    const said = await decode(this.network, this.weights, prompt, {
      ...this.holds(request, turns),
      ...(seed !== undefined && {
        chance: chance(prompt.reduce((mixed, token) => Math.imul(mixed, 31) + token, seed)),
      }),
      ...(onText !== undefined && { onText }),
      maxTokens: Math.min(request.maxTokens, ANSWER_TOKENS),
      pause: () => pause(signal),
    });
    // a short proposal ends before the first pause
    signal.throwIfAborted();
    return said;
  }

  private holds({ proposalSchema }: ModelRequest, turns: readonly Turn[]): Holds {
    if (this.settings.constrained === false) return {};
    return { form: this.grammarOf(proposalSchema), copying: new Copying(this.weights, turns) };
  }

  /** A run asks with the same schema at every step. */
  private grammarOf(proposalSchema: JsonObject): Grammar {
    const schema = JSON.stringify(proposalSchema);
    if (this.form?.schema !== schema) this.form = { schema, grammar: formOf(proposalSchema) };
    return this.form.grammar;
  }
}

const UNTRAINED = 'The small model was trained on the dialects xct and femtoclaw, and not on catalytic.';

/** Lets messages and timers of the realm through. */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve);
  });
  signal.throwIfAborted();
}

/** Value that a page hands to the worker of the small model. */
export interface SmallModelData extends SmallModelOptions {
  readonly weights: Uint8Array;
}
