import type { JsonObject } from '../../../../core/json/value.ts';
import type { AnswerFacts } from '../../../../core/ledger/kinds/step.ts';
import { ModelError } from '../../../../core/model-error.ts';
import { COUNT, FLAG, type OptionTypes, optionsOf, TEXT } from '../../../../core/option.ts';
import type { ModelPort, ModelRequest } from '../../../api.ts';
import { at, chance } from './arithmetic.ts';
import { Copying } from './copying.ts';
import { formOf } from './form.ts';
import { begin, canEnd, type Grammar, type Prefix, readOn } from './grammar.ts';
import { CONTEXT_TOKENS, SmallNetwork } from './network.ts';
import { promptOf, type Turn, turnsOf } from './prompt.ts';
import { END, SmallTokens } from './tokens.ts';
import { readWeights, type SmallWeights } from './weights.ts';

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
 *
 * @experimental
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

/** What holds a proposal: nothing where both are left out. */
interface Holds {
  readonly form?: Grammar;
  readonly copying?: Copying;
}

interface Decoding extends Holds {
  readonly maxTokens: number;
  /** Numbers between 0 and 1: tokens are drawn by their probability. Without it the most probable is taken. */
  readonly chance?: () => number;
  readonly onText?: (text: string) => void;
  /** Waits for the rest of the program, and throws once the request is aborted. */
  readonly pause: () => Promise<void>;
}

/** A text that says the same four characters or more a third time: it would not end. */
const REPEATED = /(.{4,40})\1\1$/s;
const REPEATED_MOST = 120;
/** Tokens between two pauses: some milliseconds. */
const PAUSE_TOKENS = 16;

/** Says a proposal after a prompt. */
async function decode(
  network: SmallNetwork,
  weights: SmallWeights,
  prompt: readonly number[],
  decoding: Decoding,
): Promise<{ readonly text: string } & AnswerFacts> {
  await readPrompt(network, prompt, decoding.pause);
  const saying = new Saying(network, weights, decoding);
  for (let count = 1; count <= decoding.maxTokens && network.count < CONTEXT_TOKENS; count++) {
    if (count % PAUSE_TOKENS === 0) await decoding.pause();
    const token = saying.next();
    if (token === END || token === undefined)
      return { text: saying.text, usage: { input: prompt.length, output: count }, finish: 'stop' };
    const piece = saying.add(token);
    decoding.onText?.(piece);
    network.read(token, true);
  }
  return { text: saying.text, usage: { input: prompt.length, output: decoding.maxTokens }, finish: 'length' };
}

async function readPrompt(network: SmallNetwork, prompt: readonly number[], pause: Decoding['pause']): Promise<void> {
  for (let place = network.keep(prompt); place < prompt.length; place++) {
    if (place % PAUSE_TOKENS === 0) await pause();
    network.read(prompt[place] as number, place === prompt.length - 1);
  }
}

/** A proposal that is being said. */
class Saying {
  text = '';
  private readonly network: SmallNetwork;
  private readonly weights: SmallWeights;
  private readonly chance: Decoding['chance'];
  private prefix: Prefix | undefined;
  private readonly copying: Copying | undefined;

  constructor(network: SmallNetwork, weights: SmallWeights, decoding: Decoding) {
    this.network = network;
    this.weights = weights;
    this.chance = decoding.chance;
    this.prefix = decoding.form === undefined ? undefined : begin(decoding.form);
    this.copying = decoding.copying;
  }

  /**
   * The next token. Where no token keeps to what was told, for example in a name that only the form has, this token is
   * held to the form alone; where no token keeps to the form, the proposal ends.
   */
  next(): number | undefined {
    return this.held(this.copying) ?? (this.copying === undefined ? undefined : this.held(undefined));
  }

  add(token: number): string {
    const piece = this.weights.tokens[token] ?? '';
    this.text += piece;
    if (this.prefix !== undefined) this.prefix = readOn(this.prefix, piece);
    return piece;
  }

  private held(copying: Copying | undefined): number | undefined {
    const refused = new Set<number>();
    for (;;) {
      const token = this.chance === undefined ? this.best(refused) : this.drawn(refused, this.chance);
      if (token === undefined || this.allows(token, copying)) return token;
      refused.add(token);
    }
  }

  private allows(token: number, copying: Copying | undefined): boolean {
    if (token === END) return this.prefix === undefined || canEnd(this.prefix);
    const piece = this.weights.tokens[token] ?? '';
    if (this.prefix === undefined) return true;
    if (readOn(this.prefix, piece) === undefined || REPEATED.test((this.text + piece).slice(-REPEATED_MOST)))
      return false;
    return copying?.allows(this.text, piece) ?? true;
  }

  private isOpen(token: number, refused: ReadonlySet<number>): boolean {
    return (token === END || token >= this.weights.control) && !refused.has(token);
  }

  private best(refused: ReadonlySet<number>): number | undefined {
    const { probabilities } = this.network;
    let best: number | undefined;
    for (let token = 0; token < probabilities.length; token++)
      if (this.isOpen(token, refused) && (best === undefined || at(probabilities, token) > at(probabilities, best)))
        best = token;
    return best;
  }

  private drawn(refused: ReadonlySet<number>, chance: () => number): number | undefined {
    const { probabilities } = this.network;
    let sum = 0;
    for (let token = 0; token < probabilities.length; token++)
      if (this.isOpen(token, refused)) sum += at(probabilities, token);
    let left = chance() * sum;
    let last: number | undefined;
    for (let token = 0; token < probabilities.length; token++) {
      if (!this.isOpen(token, refused)) continue;
      last = token;
      left -= at(probabilities, token);
      if (left < 0) return token;
    }
    return last;
  }
}
