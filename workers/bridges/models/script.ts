import { canonicalize } from '../../../core/json/canonical.ts';
import { SallyportError } from '../../../core/sallyport-error.ts';
import type { ModelPort } from '../../api.ts';

/** A scripted answer: text or bytes are passed unchanged, any other value as its JSON. */
export type ScriptItem = string | Uint8Array | object;

/**
 * A model that gives these answers in order, for any request. A request beyond the last answer fails with
 * `model_exhausted`.
 */
export function fromScript(items: Iterable<ScriptItem>, id = 'script'): ModelPort {
  // A string is iterable too, letter by letter.
  if (typeof items === 'string' || !(Symbol.iterator in Object(items)))
    throw new SallyportError('option_invalid', 'A script is a list of proposals, even of one.', { name: 'items' });
  const iterator: Iterator<ScriptItem, undefined> = items[Symbol.iterator]() as Iterator<ScriptItem, undefined>;
  return {
    id,
    locality: { kind: 'local' },
    async propose() {
      const { value } = iterator.next();
      if (value === undefined) throw new SallyportError('model_exhausted', 'The script has no more proposals.', {});
      return { text: typeof value === 'string' || value instanceof Uint8Array ? value : jsonOf(value) };
    },
  };
}

function jsonOf(value: object): string {
  const text = canonicalize(value);
  if (text.ok) return text.value;
  throw new SallyportError(text.refusal.code, text.refusal.message, text.refusal.details);
}
