import { encodeText } from '../../../core/json/utf8.ts';

/** Texts in UTF-8, one behind the other. Texts of ASCII are encoded in one go. */
export function encodeTexts(texts: readonly string[]): {
  readonly bytes: readonly Uint8Array[];
  readonly lengths: readonly number[];
} {
  const lengths = texts.map((text) => text.length);
  const whole = encodeText(texts.join(''));
  if (whole.length === lengths.reduce((sum, length) => sum + length, 0)) return { bytes: [whole], lengths };
  const bytes = texts.map(encodeText);
  return { bytes, lengths: bytes.map(({ length }) => length) };
}
