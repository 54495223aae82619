import { unpack } from '../../../workers/unpack.ts';
import { parts } from '../../texts/en/parts.ts';
import { PACKED_FORMAT } from './pack-text.ts';

/** Bounds of a packed text: its characters, and the bytes that it may unfold to. */
export interface PackedBounds {
  readonly charactersMax: number;
  readonly bytesMax: number;
}

type UnpackedBytes =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly reason: string };

/** Unpacks the bytes of a stranger's text under bounds, and stops at the bound. A fault is a part of a sentence for a person. */
export async function unpackBytes(packed: string, { charactersMax, bytesMax }: PackedBounds): Promise<UnpackedBytes> {
  if (packed.length > charactersMax) return no(parts().packed.tooLong(packed.length, charactersMax));
  const pieces = /^(\d{1,4})\.([A-Za-z0-9_-]+)$/.exec(packed);
  if (pieces === null) return no(parts().packed.damaged);
  if (Number(pieces[1]) !== PACKED_FORMAT) return no(parts().packed.otherFormat(pieces[1] ?? '', PACKED_FORMAT));
  const bytes = await inflate(pieces[2] ?? '', bytesMax);
  return typeof bytes === 'string' ? no(bytes) : { ok: true, bytes };
}

function no(reason: string): UnpackedBytes {
  return { ok: false, reason };
}

async function inflate(text: string, bytesMax: number): Promise<Uint8Array | string> {
  const packed = fromBase64Url(text);
  if (packed === undefined) return parts().packed.damaged;
  const bytes = await unpack(packed, 'deflate-raw', bytesMax);
  if (bytes === 'damaged') return parts().packed.damaged;
  return bytes === 'tooLarge' ? parts().packed.unfoldsTooFar(bytesMax) : bytes;
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
