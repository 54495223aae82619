import { packedIn } from './run-link.ts';

/** A text that a person gave: a link with a run, an export or a saved page, or an address. */
export type ImportedText =
  | { readonly kind: 'link'; readonly packed: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'address'; readonly url: URL };

/** A link with a run is never taken for an address, so opening it makes no request. Undefined for any other text. */
export function inputIn(text: string): ImportedText | undefined {
  const packed = packedIn(text);
  if (packed !== undefined) return { kind: 'link', packed };
  const trimmed = text.trim();
  if (/^(?:\{|<!doctype html>)/iu.test(trimmed)) return { kind: 'text', text };
  if (!/^https?:\/\/\S+$/iu.test(trimmed) || !URL.canParse(trimmed)) return undefined;
  return { kind: 'address', url: new URL(trimmed) };
}
