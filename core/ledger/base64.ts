/** RFC 4648 4, with padding: how C2SP's notes write bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let units = '';
  for (const byte of bytes) units += String.fromCharCode(byte);
  return btoa(units);
}

/** The bytes of the one text that `encodeBase64` writes for them; undefined for any other, which `atob` may forgive. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const bytes = Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
    return encodeBase64(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
