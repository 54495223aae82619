import { add, at, cosSin, exp, multiply, normalise } from './arithmetic.ts';
import type { SmallWeights } from './weights.ts';

/** Tokens that a request and its answer have at most. */
export const CONTEXT_TOKENS = 640;

/** log(10000) of the rotary positions, as the trainer has it. */
const LOG_BASE = 9.210340371976184;

interface Layer {
  readonly qkv: Float64Array;
  readonly out: Float64Array;
  readonly gateUp: Float64Array;
  readonly down: Float64Array;
  readonly normAttention: Float64Array;
  readonly normHidden: Float64Array;
  readonly convolution: Float64Array;
  readonly scale: Float64Array;
  /** Of every token read: its normalised state, key and value. */
  readonly states: Float64Array;
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

/** The network with what it has read. All memory is taken when it is made. */
export class SmallNetwork {
  /** Probability of each token to come next, after `read`. */
  readonly probabilities: Float64Array;
  private readonly weights: SmallWeights;
  private readonly tokens = new Int32Array(CONTEXT_TOKENS);
  private length = 0;
  private readonly layers: readonly Layer[];
  private readonly angles: Float64Array;
  private readonly x: Float64Array;
  private readonly h: Float64Array;
  private readonly y: Float64Array;
  private readonly mixed: Float64Array;
  private readonly qkv: Float64Array;
  private readonly gateUp: Float64Array;
  private readonly gated: Float64Array;
  private readonly scores = new Float64Array(CONTEXT_TOKENS);

  constructor(weights: SmallWeights) {
    this.weights = weights;
    const { vocabulary, width, layers, hidden } = weights.shape;
    const room = (size: number): Float64Array => new Float64Array(size);
    this.probabilities = room(vocabulary);
    [this.x, this.h, this.y, this.mixed] = [room(width), room(width), room(width), room(width)];
    [this.qkv, this.gateUp, this.gated] = [room(3 * width), room(2 * hidden), room(hidden)];
    this.layers = Array.from({ length: layers }, (_, layer) => layerOf(weights, `blocks.${layer}.`));
    this.angles = anglesOf(width / weights.shape.heads / 2);
  }

  /** Tokens that it has read. */
  get count(): number {
    return this.length;
  }

  /** Forgets all behind the part that these tokens begin with. Returns how many are kept: all but one at most. */
  keep(tokens: readonly number[]): number {
    let same = 0;
    while (same < this.length && same < tokens.length - 1 && this.tokens[same] === tokens[same]) same++;
    this.length = same;
    return same;
  }

  /** Reads a token; `wanted` makes `probabilities` of the next. */
  read(token: number, wanted: boolean): void {
    const { width, hidden } = this.weights.shape;
    this.tokens[this.length] = token;
    this.x.set(part(this.weights, 'embedding').subarray(token * width, (token + 1) * width));
    for (const layer of this.layers) {
      this.attend(layer);
      normalise(this.x, 0, width, this.h, layer.normHidden);
      multiply(layer.gateUp, this.h, this.gateUp);
      for (let i = 0; i < hidden; i++) {
        const gate = at(this.gateUp, i);
        this.gated[i] = (gate / (1 + exp(-gate))) * at(this.gateUp, hidden + i);
      }
      multiply(layer.down, this.gated, this.y);
      add(this.x, this.y);
    }
    if (wanted) this.predict();
    this.length++;
  }

  private attend(layer: Layer): void {
    const { width, heads } = this.weights.shape;
    const size = width / heads;
    const here = this.length * width;
    normalise(this.x, 0, width, this.h, layer.normAttention);
    layer.states.set(this.h, here);
    this.convolve(layer);
    multiply(layer.qkv, this.h, this.qkv);
    for (let start = 0; start < 2 * width; start += size) {
      normalise(this.qkv, start, size, this.qkv);
      this.turn(start, size / 2);
    }
    layer.keys.set(this.qkv.subarray(width, 2 * width), here);
    layer.values.set(this.qkv.subarray(2 * width), here);
    this.mixed.fill(0);
    for (let head = 0; head < heads; head++) this.mix(layer, head * size, size, at(layer.scale, head));
    multiply(layer.out, this.mixed, this.y);
    add(this.x, this.y);
  }

  /** Adds the states of the token and the three before it, each with its own weights. */
  private convolve({ convolution, states }: Layer): void {
    const { width, back } = this.weights.shape;
    for (let before = 0; before < back && before <= this.length; before++) {
      const from = (this.length - before) * width;
      for (let i = 0; i < width; i++)
        this.h[i] = at(this.h, i) + at(convolution, before * width + i) * at(states, from + i);
    }
  }

  /** Turns the pairs of a query or key by the angles of this place. */
  private turn(start: number, half: number): void {
    for (let i = 0; i < half; i++) {
      const place = 2 * (this.length * half + i);
      const [cos, sin] = [at(this.angles, place), at(this.angles, place + 1)];
      const [a, b] = [at(this.qkv, start + i), at(this.qkv, start + half + i)];
      this.qkv[start + i] = a * cos - b * sin;
      this.qkv[start + half + i] = a * sin + b * cos;
    }
  }

  private mix({ keys, values }: Layer, start: number, size: number, scale: number): void {
    const { width } = this.weights.shape;
    for (let place = 0; place <= this.length; place++) {
      let sum = 0;
      for (let i = start; i < start + size; i++) sum += at(this.qkv, i) * at(keys, place * width + i);
      this.scores[place] = sum * scale;
    }
    soften(this.scores, this.length + 1);
    for (let place = 0; place <= this.length; place++) {
      const weight = at(this.scores, place);
      for (let i = start; i < start + size; i++)
        this.mixed[i] = at(this.mixed, i) + weight * at(values, place * width + i);
    }
  }

  private predict(): void {
    normalise(this.x, 0, this.x.length, this.h, part(this.weights, 'norm_last'));
    multiply(part(this.weights, 'embedding'), this.h, this.probabilities);
    soften(this.probabilities, this.probabilities.length);
  }
}

/** Turns the first `count` scores into shares of one. */
function soften(scores: Float64Array, count: number): void {
  let top = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < count; i++) if (at(scores, i) > top) top = at(scores, i);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const share = exp(at(scores, i) - top);
    scores[i] = share;
    sum += share;
  }
  for (let i = 0; i < count; i++) scores[i] = at(scores, i) / sum;
}

function layerOf(weights: SmallWeights, name: string): Layer {
  const of = (last: string): Float64Array => part(weights, name + last);
  const kept = (): Float64Array => new Float64Array(CONTEXT_TOKENS * weights.shape.width);
  return {
    qkv: of('qkv'),
    out: of('out'),
    gateUp: of('gate_up'),
    down: of('down'),
    normAttention: of('norm_attention'),
    normHidden: of('norm_hidden'),
    convolution: of('convolution'),
    scale: of('scale'),
    states: kept(),
    keys: kept(),
    values: kept(),
  };
}

function part({ parts }: SmallWeights, name: string): Float64Array {
  return parts.get(name) as Float64Array;
}

/** Cosine and sine of each place and pair. */
function anglesOf(half: number): Float64Array {
  const angles = new Float64Array(2 * CONTEXT_TOKENS * half);
  for (let i = 0; i < half; i++) {
    const frequency = exp((-LOG_BASE * i) / half);
    for (let place = 0; place < CONTEXT_TOKENS; place++) angles.set(cosSin(place * frequency), 2 * (place * half + i));
  }
  return angles;
}
