/**
 * Grammars over characters, read one character at a time. A reader keeps every way in which the text so far can go on,
 * so no choice is made before the text makes it.
 */

/** A way in which a text can go on: the next character leads to further ways. `undefined` is the end. */
export type Way = ((character: string) => readonly Way[]) | undefined;

/** A grammar: the ways to read it, before the ways that follow it. */
export type Grammar = (after: () => readonly Way[]) => readonly Way[];

export const nothing: Grammar = (after) => after();

export function matching(holds: (character: string) => boolean): Grammar {
  return (after) => [(character) => (holds(character) ? after() : [])];
}

export function literal(text: string): Grammar {
  return sequence(Array.from(text, (wanted) => matching((character) => character === wanted)));
}

export function sequence(all: readonly Grammar[]): Grammar {
  const from =
    (index: number): Grammar =>
    (after) => {
      const grammar = all[index];
      return grammar === undefined ? after() : grammar(() => from(index + 1)(after));
    };
  return from(0);
}

export function choice(all: readonly Grammar[]): Grammar {
  return (after) => all.flatMap((grammar) => grammar(after));
}

/** A grammar that is made when it is reached: for one that holds itself. */
export function later(make: () => Grammar): Grammar {
  return (after) => make()(after);
}

/** Between `least` and `most` times; the grammar is not empty. */
export function many(grammar: Grammar, least = 0, most?: number): Grammar {
  return (after) => {
    if (most === 0) return after();
    const more = (): readonly Way[] =>
      many(grammar, Math.max(0, least - 1), most === undefined ? most : most - 1)(after);
    const once = grammar(more);
    return least > 0 ? once : [...once, ...after()];
  };
}

/** A text so far: the ways in which the grammar can go on. */
export type Prefix = readonly Way[];

export function begin(grammar: Grammar): Prefix {
  return grammar(() => [undefined]);
}

/** The ways after more text; undefined where the text leaves the grammar. */
export function readOn(prefix: Prefix, text: string): Prefix | undefined {
  let ways = prefix;
  for (const character of text) {
    ways = ways.flatMap((way) => way?.(character) ?? []);
    if (ways.length === 0) return undefined;
  }
  return ways;
}

export function canEnd(prefix: Prefix): boolean {
  return prefix.includes(undefined);
}
