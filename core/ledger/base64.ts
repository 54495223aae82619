const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** RFC 4648 4, with padding: how C2SP's notes write bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    const digits = [18, 12, 6, 0].map((shift) => ALPHABET[(bits >> shift) & 63] ?? '');
    text += digits
      .slice(0, Math.min(bytes.length - at, 3) + 1)
      .join('')
      .padEnd(4, '=');
  }
  return text;
}

/** The bytes of the one text that `encodeBase64` writes for them; undefined for any other. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const digits = text.replace(/={1,2}$/, '');
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | ALPHABET.indexOf(digit)) & 0xffffff;
    held += 6;
    if (held >= 8) bytes[at++] = (bits >> (held -= 8)) & 0xff;
  }
  return encodeBase64(bytes) === text ? bytes : undefined;
}
