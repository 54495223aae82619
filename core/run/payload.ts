import { sha256Hex } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { encodeText } from '../json/utf8.ts';
import type { Payload } from './state.ts';

/** What is kept of a proposal over the size limit, beside its hash and length. */
const KEPT_BYTES = 64 << 10;

function payload(bytes: Uint8Array): Payload {
  return { ref: { sha256: sha256Hex(bytes), bytes: bytes.byteLength }, bytes };
}

export function textPayload(text: string): Payload {
  return payload(encodeText(text));
}

export function jsonPayload(value: unknown): Payload {
  return textPayload(canonicalText(value));
}

/** The hash is over all of it, however little of it is kept. */
export function proposalPayload(bytes: Uint8Array, bytesMax: number): Payload {
  if (bytes.byteLength <= bytesMax) return payload(bytes);
  const kept = bytes.slice(0, KEPT_BYTES);
  return { ref: { sha256: sha256Hex(bytes), bytes: bytes.byteLength, kept: kept.byteLength }, bytes: kept };
}
