import { canonicalize } from '../../core/json/canonical.ts';
import { decode } from '../../core/json/decode.ts';
import { encodeText } from '../../core/json/utf8.ts';
import type { JsonValue } from '../../core/json/value.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import type { RawJson } from '../api.ts';

const raw = new WeakMap<object, Uint8Array>();

/**
 * JSON text of arguments as it came over a wire. A session hands it to the gate unread, so a member that it holds twice,
 * or a number that no double holds, is refused.
 */
export function rawJson(text: string | Uint8Array): RawJson {
  const bytes = typeof text === 'string' ? encodeText(text) : new Uint8Array(text);
  const made: RawJson = Object.freeze({ text });
  raw.set(made, bytes);
  return made;
}

/** The proposal of a call in the form `femtoclaw`. Throws `not_json` and its like for arguments outside of JSON. */
export function proposalOf(name: string, args: JsonValue | RawJson): Uint8Array {
  const bytes = typeof args === 'object' && args !== null ? raw.get(args) : undefined;
  if (bytes === undefined) return wrapped(name, encodeText(unwrap(canonicalize(args))));
  const whole = wrapped(name, bytes);
  // Text that is no JSON by itself could close the member that holds it, and open another.
  return decode(bytes).ok || !decode(whole).ok ? whole : bytes;
}

function wrapped(name: string, args: Uint8Array): Uint8Array {
  const [head, tail] = [encodeText(`{"tool_call":{"tool":${JSON.stringify(name)},"args":`), encodeText('}}')];
  const whole = new Uint8Array(head.length + args.length + tail.length);
  whole.set(head);
  whole.set(args, head.length);
  whole.set(tail, head.length + args.length);
  return whole;
}
