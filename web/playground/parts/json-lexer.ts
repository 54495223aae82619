/**
 * Reads JSON text for showing, never for deciding: a tolerant lexer that keeps every byte, duplicates and broken tails
 * included, and knows the pointer of each token. Only core decides on acceptance.
 */
type TokenKind = 'name' | 'string' | 'number' | 'word' | 'mark' | 'space' | 'other';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** RFC 6901 pointer of the value this token is, opens or names. */
  readonly pointer: string;
  readonly depth: number;
}

const PIECE = /\s+|"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[A-Za-z]+|[{}[\],:]|[^]/gu;

interface Level {
  readonly pointer: string;
  readonly array: boolean;
  index: number;
  name: string | undefined;
}

/** Splits a text into tokens whose texts, joined, are the text again. */
export function lex(text: string): readonly Token[] {
  const levels: Level[] = [];
  return Array.from(text.matchAll(PIECE), ([piece]) => tokenOf(piece, levels));
}

function tokenOf(piece: string, levels: Level[]): Token {
  const kind = kindOf(piece);
  if (kind === 'space') return { kind, text: piece, pointer: '', depth: levels.length };
  if (piece === '{' || piece === '[') return open(piece, levels);
  if (piece === '}' || piece === ']') return close(piece, levels);
  return inside(piece, kind, levels.at(-1), levels.length);
}

function open(piece: string, levels: Level[]): Token {
  const pointer = pointerOf(levels.at(-1));
  const token: Token = { kind: 'mark', text: piece, pointer, depth: levels.length };
  levels.push({ pointer, array: piece === '[', index: 0, name: undefined });
  return token;
}

function close(piece: string, levels: Level[]): Token {
  const level = levels.pop();
  return { kind: 'mark', text: piece, pointer: level?.pointer ?? '', depth: levels.length };
}

function inside(piece: string, kind: TokenKind, level: Level | undefined, depth: number): Token {
  if (level !== undefined && piece === ',') {
    level.index += 1;
    level.name = undefined;
    return { kind, text: piece, pointer: level.pointer, depth };
  }
  if (level !== undefined && !level.array && level.name === undefined && kind === 'string') {
    level.name = nameOf(piece);
    return { kind: 'name', text: piece, pointer: pointerOf(level), depth };
  }
  return { kind, text: piece, pointer: pointerOf(level), depth };
}

function pointerOf(level: Level | undefined): string {
  if (level === undefined) return '';
  const token = level.array ? String(level.index) : level.name;
  return token === undefined ? level.pointer : `${level.pointer}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A member's name unescaped; text that is no JSON string stands for itself. */
function nameOf(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

function kindOf(piece: string): TokenKind {
  if (/^\s/u.test(piece)) return 'space';
  if (piece.startsWith('"')) return 'string';
  if (/^[-\d]/u.test(piece)) return 'number';
  if (/^[A-Za-z]/u.test(piece)) return 'word';
  return '{}[],:'.includes(piece) ? 'mark' : 'other';
}

/** Re-breaks tokens into indented lines. Only blanks between tokens change; every other byte stays. */
export function indent(tokens: readonly Token[]): readonly Token[] {
  const solid = tokens.filter((token) => token.kind !== 'space');
  return solid.flatMap((token, i) => {
    const before = breakBetween(solid[i - 1], token);
    return before === '' ? [token] : [{ kind: 'space', text: before, pointer: '', depth: token.depth } as const, token];
  });
}

function breakBetween(before: Token | undefined, token: Token): string {
  if (before === undefined || token.text === ',' || token.text === ':') return '';
  if (before.text === ':' && before.kind === 'mark') return ' ';
  const empty = (before.text === '{' && token.text === '}') || (before.text === '[' && token.text === ']');
  if (empty) return '';
  const breaks =
    before.text === '{' || before.text === '[' || before.text === ',' || token.text === '}' || token.text === ']';
  return breaks ? `\n${'  '.repeat(token.depth)}` : ' ';
}
