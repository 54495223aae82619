import { isClear, type Sight } from './sight.ts';
import type { RunWords } from './words.ts';

/** The facts that decide whether a card may take an approval. */
export interface CardFacts {
  /** A page of another origin is around the card. */
  readonly foreign: boolean;
  /** Undefined until the browser has reported. */
  readonly sight: Sight | undefined;
  /** The whole text is shown, because it is short or because a person asked for it. */
  readonly unfolded: boolean;
  /** The end of the arguments has been in sight. */
  readonly read: boolean;
  /** The browser refused to open the question in a window of its own. */
  readonly blocked: boolean;
}

export const UNSEEN: CardFacts = { foreign: false, sight: undefined, unfolded: false, read: false, blocked: false };

export function mayApprove({ sight, foreign, unfolded, read }: CardFacts): boolean {
  return isClear(sight, foreign) && unfolded && read;
}

/** Why the card cannot take an approval now, in a sentence; empty where it can. */
export function hindrance({ foreign, sight, unfolded, read, blocked }: CardFacts, words: RunWords): string {
  if (blocked) return words.blocked;
  if (foreign && sight?.clear === undefined) return sight === undefined ? '' : words.uncertain;
  if (sight !== undefined && !isClear(sight, foreign)) return words.covered;
  if (!unfolded) return words.unread_folded;
  return read ? '' : words.unread;
}
