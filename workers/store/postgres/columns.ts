/** The rows as a list for each column. */
export function columns<T, C extends keyof T>(rows: readonly T[], names: readonly C[]): unknown[][] {
  return names.map((name) => rows.map((row) => row[name]));
}

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
