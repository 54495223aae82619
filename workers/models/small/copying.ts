import type { Turn } from './prompt.ts';
import type { SmallWeights } from './weights.ts';

const RUNS = /[A-Za-z]+|\d+(?:\.\d+)*/g;
const OPEN_RUN = /(?:[A-Za-z]+|\d[\d.]*)$/;
/** A member whose text is still open. */
const OPEN_TEXT = /"(\w+)":"([^"]*)$/;
const WORD_CHARACTER = /[\p{L}\p{N}_/-]/u;

/**
 * Holds a proposal to the words and numbers that the model was told: a word or number that is neither in the task or a
 * reply nor in the model's own pieces is not said. Texts of arguments that are copied stand in the task as they are.
 * Which of the words, and which number, remains the choice of the model.
 */
export class Copying {
  private readonly told: string;
  private readonly words: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<string>;
  private readonly copied: ReadonlySet<string>;

  constructor({ tokens, control, free, steps, copied }: SmallWeights, turns: readonly Turn[]) {
    this.told = turns.flatMap(({ kind, text }) => (kind === 'call' ? [] : [text])).join('\n');
    const pieces = tokens.slice(control).filter((text) => text.length > 1);
    const runs = [...free, ...pieces, this.told].flatMap((text) => text.match(RUNS) ?? []);
    this.words = new Set(runs.filter((run) => /^[A-Za-z]/.test(run)));
    const numbers = runs.filter((run) => /^\d/.test(run));
    this.numbers = new Set([...numbers, ...numbers.map((run) => String(Number(run))), ...stepsOf(this.told, steps)]);
    // after a result, a text may be made from it
    this.copied = new Set(turns.some(({ kind }) => kind === 'result') ? [] : copied);
  }

  /** True if the text may go on with this piece. */
  allows(text: string, piece: string): boolean {
    return this.knows(text, piece) && this.copies(text, piece);
  }

  private knows(text: string, piece: string): boolean {
    const open = OPEN_RUN.exec(text)?.[0] ?? '';
    const all = open + piece;
    const last = OPEN_RUN.exec(all)?.[0] ?? '';
    const closed = all.slice(0, all.length - last.length).match(RUNS) ?? [];
    return closed.every((run) => this.words.has(run) || this.numbers.has(run)) && this.mayBegin(last);
  }

  /** True if a word or number may go on to be one that was told. */
  private mayBegin(run: string): boolean {
    if (run === '' || this.numbers.has(run.replace(/\.$/, ''))) return true;
    const known = /^\d/.test(run) ? this.numbers : this.words;
    for (const word of known) if (word.startsWith(run)) return true;
    return false;
  }

  private copies(text: string, piece: string): boolean {
    const [, member = '', begun = ''] = OPEN_TEXT.exec(text) ?? [];
    if (!this.copied.has(member)) return true;
    const end = piece.indexOf('"');
    const value = begun + (end === -1 ? piece : piece.slice(0, end));
    return this.stands(value, end !== -1);
  }

  /** True if the value stands in what was told: from the start of a word, and to the end of one if it is whole. */
  private stands(value: string, whole: boolean): boolean {
    if (value === '') return !whole;
    for (let at = this.told.indexOf(value); at !== -1; at = this.told.indexOf(value, at + 1)) {
      const after = at + value.length;
      if (this.isEdge(at) && (!whole || this.isEdge(after))) return true;
    }
    return false;
  }

  /** True if no word goes on here. */
  private isEdge(at: number): boolean {
    const [before, after] = [this.told.charAt(at - 1), this.told.charAt(at)];
    if (after === '.' && /\w/.test(this.told.charAt(at + 1))) return false;
    return !WORD_CHARACTER.test(before) || !WORD_CHARACTER.test(after);
  }
}

/** A number that a result has under a name, and the number that a proposal makes of it. */
function stepsOf(told: string, steps: SmallWeights['steps']): readonly string[] {
  return Object.entries(steps).flatMap(([name, step]) =>
    [...told.matchAll(new RegExp(`\\b${name}=(\\d+)`, 'g'))].map(([, number]) => String(Number(number) + step)),
  );
}
