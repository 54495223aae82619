/** RFC 4648 4, with padding, as in C2SP's notes. */
export function encodeBase64(bytes: Uint8Array): string {
  let units = '';
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}

/** Decodes a text that `encodeBase64` writes; undefined for any other text, also where `atob` is lenient. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
    return encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
