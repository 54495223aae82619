import { sha256Hex } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { encodeText } from '../json/utf8.ts';
import { PROPOSAL_KEPT_BYTES } from '../limits.ts';
import type { Payload } from './state.ts';

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
  const kept = bytes.slice(0, PROPOSAL_KEPT_BYTES);
  return { ref: { sha256: sha256Hex(bytes), bytes: bytes.byteLength, kept: kept.byteLength }, bytes: kept };
}
