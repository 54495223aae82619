import { expect, test } from 'vitest';
import { decode, encodeText } from '../../../core/index.ts';

/** The size limit is lifted: a decoder that is linear beyond the limit is linear below it. */
const LIMITS = { bytes: 1 << 26, depth: 64, nodes: 1 << 26 };
const SIZES = [1 << 14, 1 << 15, 1 << 16, 1 << 17];
const ROUNDS_MIN = 3;
const PATIENCE_MS = 45_000;
/** Decoding 128 KB in less time says no more about growth: the memory is measured, not the work. */
const AT_ONCE_MS = 1;

const fill = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
const long = 'n'.repeat(400);

/** Texts with which a hostile model would make the decoder work longer than the model did. */
const SHAPES: { readonly [name: string]: { readonly make: (size: number) => string; readonly code: string } } = {
  'many quotes': { make: (size) => fill('"', size), code: 'json_syntax' },
  'backslashes without end': { make: (size) => `"${fill('\\', size)}`, code: 'json_syntax' },
  'a string without end': { make: (size) => `["${fill('a', size)}`, code: 'json_syntax' },
  'a string of escapes without end': { make: (size) => `"${fill('\\n', size)}`, code: 'json_syntax' },
  'a bad escape after many good ones': { make: (size) => `"${fill('\\u0041', size)}\\x"`, code: 'json_syntax' },
  'surrogate escapes': { make: (size) => `"${fill('\\ud800', size)}"`, code: 'lone_surrogate' },
  'surrogate pairs in escapes': { make: (size) => `["${fill('\\ud83d\\ude00', size)}"]`, code: 'accepted' },
  'many strings, one escape': { make: (size) => `["\\n"${fill(',"a"', size)}]`, code: 'accepted' },
  'a long integer': { make: (size) => fill('9', size), code: 'number_precision' },
  'a long fraction': { make: (size) => `0.${fill('3', size)}`, code: 'accepted' },
  'a long exponent': { make: (size) => `1e${fill('9', size)}`, code: 'number_precision' },
  'many long integers': { make: (size) => `[0${fill(',9007199254740992', size)}]`, code: 'accepted' },
  'many exponents': { make: (size) => `[0${fill(',1e1', size)}]`, code: 'accepted' },
  'minus signs': { make: (size) => fill('-', size), code: 'json_syntax' },
  'a number that never ends well': { make: (size) => fill('1e', size), code: 'json_syntax' },
  'many opens': { make: (size) => fill('[', size), code: 'limit_depth' },
  'many opens and closes': { make: (size) => `[0${fill(',[]', size)}]`, code: 'accepted' },
  'many closes': { make: (size) => fill(']', size), code: 'json_syntax' },
  'brackets that do not match': { make: (size) => `[${fill('[}', size)}`, code: 'json_syntax' },
  blanks: { make: (size) => `[${fill(' ', size)}`, code: 'json_syntax' },
  'blanks in many empty arrays': { make: (size) => `[0${fill(',[    \n    ]', size)}]`, code: 'accepted' },
  'line breaks before the fault': { make: (size) => `${fill('\n', size)}x`, code: 'json_syntax' },
  colons: { make: (size) => fill(':', size), code: 'json_syntax' },
  'one name over and over': { make: (size) => `{"a":0${fill(',"a":0', size)}}`, code: 'duplicate_member' },
  'many names, the last one twice': { make: (size) => `{${numbered(size)},"z":0,"z":1}`, code: 'duplicate_member' },
  'many names that are indices': { make: (size) => `{${indices(size)}}`, code: 'accepted' },
  'many values below long names': {
    make: (size) => `${fill(`{"${long}":`, 20_000)}[1e1${fill(',0', size)}]${'}'.repeat(50)}`,
    code: 'accepted',
  },
  'names to be escaped in pointers': {
    make: (size) => `{"${fill('~/', size)}":{"a":1,"a":2}}`,
    code: 'duplicate_member',
  },
};

function numbered(size: number): string {
  return Array.from({ length: size / 8 }, (_, at) => `"k${at}":0`).join();
}
function indices(size: number): string {
  return Array.from({ length: size / 8 }, (_, at) => `"${at * 7919}":0`).join();
}

/** Small texts are decoded several times, so that the clock can see them. */
function time(bytes: Uint8Array): number {
  const turns = Math.max(1, Math.round((1 << 17) / bytes.length));
  const start = performance.now();
  for (let turn = 0; turn < turns; turn++) decode(bytes, LIMITS);
  return (performance.now() - start) / turns;
}

/** Slope of log time over log size, for the part that grows: 1 is linear, 2 quadratic. */
function exponent(points: readonly (readonly [size: number, took: number])[]): number {
  const mean = (pick: 0 | 1) => points.reduce((sum, point) => sum + Math.log2(point[pick]), 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [size, took]) => sum + (Math.log2(size) - x) * (Math.log2(took) - y), 0);
  return covariance / points.reduce((sum, [size]) => sum + (Math.log2(size) - x) ** 2, 0);
}

/**
 * Slope of the best time of each size over all rounds. Noise only adds time, so the slope of a linear decoder comes
 * down in the end on a busy machine too; the slope of a quadratic decoder never does.
 */
function slopeOf(texts: readonly Uint8Array[]): number {
  const best = texts.map(() => Number.POSITIVE_INFINITY);
  let slope = Number.POSITIVE_INFINITY;
  const start = performance.now();
  const patient = (): boolean => performance.now() - start < PATIENCE_MS;
  for (let round = 0; round < ROUNDS_MIN || (slope >= 1.3 && patient()); round++) {
    for (const [at, bytes] of texts.entries()) best[at] = Math.min(best[at] ?? 0, time(bytes));
    slope = exponent(SIZES.map((size, at) => [size, best[at] ?? 0]));
    if ((best.at(-1) ?? 0) < AT_ONCE_MS) return 1;
  }
  return slope;
}

test.each(Object.entries(SHAPES))(
  'decode reads %s in linear time',
  (_name, { make, code }) => {
    const texts = SIZES.map((size) => encodeText(make(size)));
    for (const bytes of texts) {
      const decoded = decode(bytes, LIMITS);
      expect(decoded.ok ? 'accepted' : decoded.refusal.code).toBe(code);
    }
    expect(slopeOf(texts)).toBeLessThan(1.3);
  },
  120_000,
);
