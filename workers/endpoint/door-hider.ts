/** Covers the keys of a door in one answer with `*`, because a server may send a key back. */
export interface KeyHider {
  hideIn(text: string): string;
  /** The next bytes. The end of a piece waits for the next piece where it may be the beginning of a key. */
  hide(piece: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /** The bytes that still wait when the answer has ended. */
  rest(): Uint8Array<ArrayBuffer>;
}

/** Shorter values are too common to be taken for a key. */
const LENGTH_MIN = 6;

const STAR = 42;

/**
 * The keys are the values of headers, and each word behind the first of a value: a scheme such as `Bearer` is no key.
 * They are known as they are and as JSON spells them.
 */
export function makeKeyHider(values: readonly string[]): KeyHider {
  const words = values.flatMap((value) => [value, ...value.split(' ').slice(1)]);
  const keys = words.filter((word) => word.length >= LENGTH_MIN).flatMap(spellingsOf);
  const patterns = keys.map((key) => new TextEncoder().encode(key));
  let waiting = new Uint8Array(0);
  return {
    hideIn: (text) => keys.reduce((left, key) => left.replaceAll(key, '*'.repeat(key.length)), text),
    hide(piece) {
      const bytes = waiting.length === 0 ? piece : joined(waiting, piece);
      const end = Math.min(bytes.length, ...patterns.map((pattern) => coverIn(bytes, pattern)));
      waiting = bytes.slice(end);
      return end === bytes.length ? bytes : bytes.slice(0, end);
    },
    rest: () => waiting,
  };
}

/** JSON may escape a slash, and escapes quotes and backslashes. */
function spellingsOf(key: string): readonly string[] {
  const json = JSON.stringify(key).slice(1, -1);
  return [...new Set([key, json, json.replaceAll('/', '\\/')])];
}

/** Covers each occurrence of a key. Returns where the bytes end with the beginning of one, or their length. */
function coverIn(bytes: Uint8Array, key: Uint8Array): number {
  const [first = 0] = key;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    const length = sameLength(bytes, at, key);
    if (length === key.length) bytes.fill(STAR, at, at + length);
    else if (at + length === bytes.length) return at;
  }
  return bytes.length;
}

/** Number of bytes at `at` that are the beginning of the key. */
function sameLength(bytes: Uint8Array, at: number, key: Uint8Array): number {
  let length = 0;
  while (length < key.length && at + length < bytes.length && bytes[at + length] === key[length]) length++;
  return length;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
