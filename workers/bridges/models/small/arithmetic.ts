/**
 * Arithmetic of the small model: only + - * / and the square root of doubles, which every engine rounds alike.
 * `Math.exp` and `Math.cos` differ between engines in the last digit.
 */

const TURN: number = 2 * Math.PI;
const EXPONENT_LEAST = -1074;
/** Powers of two from 2 ** -1074 on: doubling is exact. */
const POWERS_OF_TWO: Float64Array = powers();

function powers(): Float64Array {
  const all = new Float64Array(2098);
  for (let at = 0, value = 2 ** EXPONENT_LEAST; at < all.length; at++, value *= 2) all[at] = value;
  return all;
}

/** e to the power of x; beyond 700 that of 700. */
export function exp(x: number): number {
  if (x < -700) return 0;
  if (x > 700) return exp(700);
  const twos = Math.floor(x / Math.LN2 + 0.5);
  const rest = x - twos * Math.LN2;
  let sum = 1;
  for (let n = 12; n > 0; n--) sum = 1 + (sum * rest) / n;
  return sum * at(POWERS_OF_TWO, twos - EXPONENT_LEAST);
}

/** Cosine and sine of an angle. */
export function cosSin(angle: number): readonly [number, number] {
  const rest = angle - TURN * Math.floor(angle / TURN + 0.5);
  let cos = 1;
  let sin = 1;
  for (let n = 30; n > 0; n -= 2) {
    cos = 1 - (cos * rest * rest) / (n * (n - 1));
    sin = 1 - (sin * rest * rest) / (n * (n + 1));
  }
  return [cos, sin * rest];
}

/** The number at a place that the caller knows to be inside. */
export function at(values: Float64Array, place: number): number {
  return values[place] as number;
}

/** `out = matrix * vector`, rows from `first` on. Four sums side by side, added in a fixed order. */
export function multiply(matrix: Float64Array, vector: Float64Array, out: Float64Array): void {
  const columns = vector.length;
  for (let row = 0, start = 0; row < out.length; row++, start += columns) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let column = 0; column < columns; column += 4) {
      a += at(matrix, start + column) * at(vector, column);
      b += at(matrix, start + column + 1) * at(vector, column + 1);
      c += at(matrix, start + column + 2) * at(vector, column + 2);
      d += at(matrix, start + column + 3) * at(vector, column + 3);
    }
    out[row] = a + b + c + d;
  }
}

const EPSILON = 1e-5;

/** Scales `size` numbers from `start` on to a mean square of one, times a weight where there is one. */
export function normalise(
  values: Float64Array,
  start: number,
  size: number,
  out: Float64Array,
  weight?: Float64Array,
): void {
  let sum = 0;
  for (let i = start; i < start + size; i++) sum += at(values, i) * at(values, i);
  const scale = 1 / Math.sqrt(sum / size + EPSILON);
  for (let i = 0; i < size; i++) {
    const value = at(values, start + i) * scale;
    out[start + i] = weight === undefined ? value : value * at(weight, i);
  }
}

export function add(values: Float64Array, more: Float64Array): void {
  for (let i = 0; i < values.length; i++) values[i] = at(values, i) + at(more, i);
}

/** Numbers between 0 and 1 from a seed (mulberry32): integer arithmetic alone. */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
