import { lex } from '../parts/json-lexer.ts';

/** A place in a text, counted from 1, as editors do. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The start of the value that a pointer names in a JSON text, or of its member's name if there is a name. */
export function positionOf(text: string, pointer: string): Position | undefined {
  let at = 0;
  for (const token of lex(text)) {
    if (token.kind !== 'space' && token.pointer === pointer) return positionAt(text, at);
    at += token.text.length;
  }
  const cut = pointer.lastIndexOf('/');
  // a missing member is shown at the object that lacks it
  return cut < 0 ? undefined : positionOf(text, pointer.slice(0, cut));
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}
