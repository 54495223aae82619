import { encodeText } from '../../core/json/utf8.ts';
import type { RawJson } from '../api.ts';

const texts = new WeakMap<object, Uint8Array>();
const wires = new WeakMap<object, Uint8Array>();

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

/** Arguments that came in this message of a host: the call's record keeps its bytes. */
export function rawJsonIn(text: string, message: Uint8Array): RawJson {
  const made = rawJson(text);
  wires.set(made, message);
  return made;
}

/** The message that held these arguments; undefined for arguments that came without one. */
export function wireOf(value: unknown): Uint8Array | undefined {
  return typeof value === 'object' && value !== null ? wires.get(value) : undefined;
}
