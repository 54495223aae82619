import type { SmallWeights } from './weights.ts';

/** Ends a proposal. */
export const END = 0;
const UNKNOWN = '~';

/** What a part of a prompt begins with. */
export type Mark = 'xct' | 'femtoclaw' | 'task' | 'call' | 'result' | 'error';

/** Text as tokens: the words of a person character by character, a proposal in the pieces that it was trained with. */
export class SmallTokens {
  private readonly weights: SmallWeights;
  private readonly ids: ReadonlyMap<string, number>;
  private readonly pieces = new Map<string, string[]>();

  constructor(weights: SmallWeights) {
    this.weights = weights;
    this.ids = new Map(weights.tokens.map((text, id) => [text, id]));
    for (const text of weights.tokens.slice(weights.control)) if (text.length > 1) this.addPiece(text);
    for (const pieces of this.pieces.values()) pieces.sort((a, b) => b.length - a.length);
  }

  private addPiece(text: string): void {
    const first = text.charAt(0);
    this.pieces.set(first, [...(this.pieces.get(first) ?? []), text]);
  }

  mark(mark: Mark): number {
    return this.id(`<${mark}>`);
  }

  characters(text: string): readonly number[] {
    return Array.from(text, (character) => this.id(character));
  }

  /** The longest piece first. */
  proposal(text: string): readonly number[] {
    const found: number[] = [];
    for (let at = 0; at < text.length; ) {
      const piece = this.pieceAt(text, at) ?? String.fromCodePoint(text.codePointAt(at) ?? 0);
      found.push(this.id(piece));
      at += piece.length;
    }
    return found;
  }

  private pieceAt(text: string, at: number): string | undefined {
    const pieces = this.pieces.get(text.charAt(at)) ?? [];
    return pieces.find((piece) => text.startsWith(piece, at) && this.stands(piece, text, at));
  }

  /** A word is a piece only as a whole string. */
  private stands(piece: string, text: string, at: number): boolean {
    if (!this.weights.words.has(piece)) return true;
    return text[at - 1] === '"' && (/[[(]$/.test(piece) || text[at + piece.length] === '"');
  }

  private id(text: string): number {
    return this.ids.get(text) ?? (this.ids.get(UNKNOWN) as number);
  }
}
