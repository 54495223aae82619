import { encodeText } from '../../../core/json/utf8.ts';

/** Texts in UTF-8: their bytes behind each other, in one part or several, and the length of each text in bytes. */
export interface EncodedTexts {
  readonly bytes: readonly Uint8Array[];
  readonly lengths: readonly number[];
}

/** Encodes texts. Texts of ASCII are encoded in one go. */
export function encodeTexts(texts: readonly string[]): EncodedTexts {
  const lengths = texts.map((text) => text.length);
  const whole = encodeText(texts.join(''));
  if (whole.length === lengths.reduce((sum, length) => sum + length, 0)) return { bytes: [whole], lengths };
  const bytes = texts.map(encodeText);
  return { bytes, lengths: bytes.map(({ length }) => length) };
}
