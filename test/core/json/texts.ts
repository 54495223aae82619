import fc from 'fast-check';
import { encodeText } from '../../../core/index.ts';

/** Text that resembles JSON: tokens in any order, so that hostile neighbours meet. */
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '"a"',
  '"\\u0061"',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '\\',
  '\\u12',
  '0',
  '-',
  '1.',
  '1e5',
  '1e999',
  '01',
  '9007199254740993',
  '12345678901234567890',
  '-0',
  'true',
  'nul',
  'null',
  ' ',
  '\n',
  '\t',
  '\ufeff',
  '\u0000',
  'é',
  '😀',
  '"__proto__"',
  '// ',
  "'",
] as const;
const tokens = fc.array(fc.constantFrom(...TOKENS), { maxLength: 24 }).map((list) => list.join(''));
/** JSON with its blanks, and the same JSON with a character struck out, doubled or replaced. */
export const json = fc
  .tuple(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.constantFrom(0, 2))
  .map(([value, indent]) => JSON.stringify(value, null, indent));
const spoiled = fc
  .tuple(json, fc.nat(), fc.constantFrom('', ',', '"', '}', ']', '\\', '0', 'e', '.', '-', 'x', ' ', ':'))
  .map(([source, at, by]) => {
    const place = at % (source.length + 1);
    return source.slice(0, place) + by + source.slice(place + 1);
  });
export const anyText = fc
  .oneof(tokens, json, spoiled, fc.string({ unit: 'binary' }))
  .filter((one) => one.isWellFormed());
export const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 64 }),
  anyText.map(encodeText),
  fc.tuple(anyText.map(encodeText), fc.nat(), fc.nat({ max: 255 })).map(([bytes, at, by]) => {
    const flipped = Uint8Array.from(bytes);
    if (flipped.length > 0) flipped[at % flipped.length] = by;
    return flipped;
  }),
);
