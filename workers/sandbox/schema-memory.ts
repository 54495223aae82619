import type { CompiledSchema } from '../../sandbox/index.ts';

/** Schemas that are remembered. */
const ADMITTED_MAX = 10_000;
/** Characters of generated code. */
const CODE_CHARACTERS_MAX = 1 << 23;

/**
 * Results that depend on the text of a schema alone, by its hash: that it was admitted, and its generated code. Ports
 * of several runtimes may share a memory, because no other state of theirs is in it.
 */
export class SchemaMemory {
  readonly #admitted = new Set<string>();
  readonly #codes = new Map<string, string>();
  #characters = 0;

  isAdmitted(hash: string): boolean {
    return this.#admitted.has(hash);
  }

  admit(hash: string): void {
    if (this.#admitted.size >= ADMITTED_MAX) this.#admitted.clear();
    this.#admitted.add(hash);
  }

  codeOf(hash: string): string | undefined {
    return this.#codes.get(hash);
  }

  /** Keeps the code, and forgets the oldest code where there is no room. */
  keep({ hash, code }: CompiledSchema): void {
    if (this.#codes.has(hash)) return;
    this.#codes.set(hash, code);
    this.#characters += code.length;
    for (const [oldest, { length }] of this.#codes) {
      if (this.#characters <= CODE_CHARACTERS_MAX) return;
      this.#codes.delete(oldest);
      this.#characters -= length;
    }
  }
}
