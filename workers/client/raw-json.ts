import { encodeText } from '../../core/json/utf8.ts';
import type { RawJson } from '../api.ts';

const texts = new WeakMap<object, Uint8Array>();

/**
 * JSON text of arguments as it came over a wire. A session hands it to the gate unread, so a member that it holds twice,
 * or a number that no double holds, is refused.
 */
export function rawJson(text: string | Uint8Array): RawJson {
  const bytes = typeof text === 'string' ? encodeText(text) : new Uint8Array(text);
  const made: RawJson = Object.freeze({ text });
  texts.set(made, bytes);
  return made;
}

/** The bytes of a text that `rawJson` has made; undefined for any other value. */
export function rawBytes(value: unknown): Uint8Array | undefined {
  return typeof value === 'object' && value !== null ? texts.get(value) : undefined;
}
