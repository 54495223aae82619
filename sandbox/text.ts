/** Up to here a loop is faster than the platform's encoder, which costs most of a microsecond at any length. */
const SHORT = 96;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return (text.length <= SHORT && ascii(text)) || encoder.encode(text);
}

/** Throws a TypeError for bytes that are not UTF-8. */
export function decodeUtf8(utf8: Uint8Array): string {
  if (utf8.length > SHORT) return decoder.decode(utf8);
  let text = '';
  for (const byte of utf8) {
    if (byte > 0x7f) return decoder.decode(utf8);
    text += String.fromCharCode(byte);
  }
  return text;
}

function ascii(text: string): Uint8Array<ArrayBuffer> | undefined {
  const utf8 = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return undefined;
    utf8[at] = unit;
  }
  return utf8;
}
