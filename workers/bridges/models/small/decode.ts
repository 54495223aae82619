import type { AnswerFacts } from '../../../../core/ledger/kinds/step.ts';
import { at } from './arithmetic.ts';
import type { Copying } from './copying.ts';
import { begin, canEnd, type Grammar, type Prefix, readOn } from './grammar.ts';
import { CONTEXT_TOKENS, type SmallNetwork } from './network.ts';
import { END } from './tokens.ts';
import type { SmallWeights } from './weights.ts';

/** What holds a proposal: nothing where both are left out. */
export interface Holds {
  readonly form?: Grammar;
  readonly copying?: Copying;
}

export interface Decoding extends Holds {
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
export async function decode(
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
