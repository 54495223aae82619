/** The rows as a list of PostgreSQL for each column: the driver would quote each value by itself. */
export function columns<T, C extends keyof T>(rows: readonly T[], names: readonly C[]): string[] {
  return names.map((name) => listOf(rows.map((row) => row[name])));
}

/** A list as PostgreSQL reads it from text: of numbers, or of texts, where null is no value. */
export function listOf(values: readonly unknown[]): string {
  return `{${itemsOf(values)}}`;
}

/** The items of a list, without its braces. */
export function itemsOf(values: readonly unknown[]): string {
  return values.map(itemOf).join();
}

function itemOf(value: unknown): string {
  if (typeof value === 'string') return PLAIN.test(value) ? value : `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
  return String(value);
}

/** Texts that mean themselves in a list: hashes, and the ids of runs. */
const PLAIN = /^[0-9a-f][0-9a-f-]*$/;

/** Bytes of many columns in a single value: the driver sends a value of bytes as it is, and a list of byte values as text. */
export class Pieces {
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  add(part: Uint8Array): { readonly past: number; readonly size: number } {
    this.#parts.push(part);
    this.#size += part.length;
    return { past: this.#size - part.length, size: part.length };
  }

  whole(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
