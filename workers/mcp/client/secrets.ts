import { isObject, type JsonValue } from '../../../core/json/value.ts';

/** Shorter values are too common to be taken for a key. */
const LENGTH_MIN = 8;

/** Names of headers and variables that hold keys. */
const KEY_NAME = /key|token|secret|pass|pwd|cred|auth|cookie|session|private|signature/i;

/** Values that are keys by their form: an address with a password, or a long word of digits and letters. */
const KEY_VALUE = /:\/\/[^/\s]*:[^/\s]*@|^(?=[^\s]*\d)(?=[^\s]*[a-zA-Z])[\w+=.-]{24,}$/;

/** A key behind the name of its scheme. */
const SCHEME = /^(?:ApiKey|Basic|Bearer|Token) +(\S+)$/i;

const HIDDEN = '[key]';

/**
 * Keys of a server that this process knows. A server may send a key back, in an error or in an answer: it is replaced
 * there, so that no record, message or error has it.
 */
export class Secrets {
  readonly #known = new Set<string>();

  add(value: string | undefined): void {
    if (value !== undefined && value.length >= LENGTH_MIN) this.#known.add(value);
  }

  /** Takes those headers or variables that hold a key by their name or their form: `production` is no key. */
  addNamed(values: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(values)) {
      if (!KEY_NAME.test(name) && !KEY_VALUE.test(value)) continue;
      this.add(value);
      this.add(SCHEME.exec(value)?.[1]);
    }
  }

  /** A text without the keys. */
  hide(text: string): string {
    let shown = text;
    for (const key of this.#known) if (shown.includes(key)) shown = shown.replaceAll(key, HIDDEN);
    return shown;
  }

  /** A value without the keys, in its texts and in the names of its members. */
  hideIn(value: JsonValue): JsonValue {
    if (this.#known.size === 0) return value;
    if (typeof value === 'string') return this.hide(value);
    if (Array.isArray(value)) return value.map((each) => this.hideIn(each as JsonValue));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.hide(name), this.hideIn(each as JsonValue)]),
    );
  }
}
