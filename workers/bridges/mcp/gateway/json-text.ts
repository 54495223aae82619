import { pointerTo } from '../../../../core/json/value.ts';

/** Range of a value in a JSON text, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

const TOKEN = /\s*("(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+)/uy;

/** The places of all values of a JSON text by their pointers. The text has passed `decode`. */
export function placesOf(text: string): ReadonlyMap<string, TextRange> {
  const places = new Map<string, TextRange>();
  let at = 0;
  const next = (): { readonly word: string; readonly start: number } => {
    TOKEN.lastIndex = at;
    const word = TOKEN.exec(text)?.[1] ?? '';
    at = TOKEN.lastIndex;
    return { word, start: at - word.length };
  };
  const read = (pointer: string, { word, start } = next()): void => {
    if (word === '{') members(pointer);
    else if (word === '[') items(pointer);
    places.set(pointer, { start, end: at });
  };
  const members = (pointer: string): void => {
    for (let token = next(); token.word !== '}'; token = next()) {
      if (token.word === ',') continue;
      next();
      read(pointerTo(pointer, JSON.parse(token.word) as string));
    }
  };
  const items = (pointer: string): void => {
    let index = 0;
    for (let token = next(); token.word !== ']'; token = next()) {
      if (token.word !== ',') read(pointerTo(pointer, index++), token);
    }
  };
  read('');
  return places;
}

/** Line and column of a place, from 1. */
export function lineAt(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') };
}

/**
 * The text with a value added to the list `name` of its top object. The rest of the text stays as it is. The text has
 * passed `decode`, its value is an object, and the member is a list or absent.
 */
export function addToList(text: string, name: string, value: unknown): string {
  const places = placesOf(text);
  const list = places.get(pointerTo('', name));
  const indent = /\n([ \t]+)"/u.exec(text)?.[1] ?? '  ';
  const item = JSON.stringify(value, null, indent).replaceAll('\n', `\n${indent}${indent}`);
  const added = `\n${indent}${indent}${item}`;
  if (list !== undefined) return insert(text, list, places.has(pointerTo(`/${name}`, 0)), added, `\n${indent}`);
  const whole = places.get('') ?? { start: 0, end: text.length };
  const member = `\n${indent}${JSON.stringify(name)}: [${added}\n${indent}]`;
  return insert(text, whole, places.size > 1, member, '\n');
}

/** Adds a part behind the last part of an object or a list. */
function insert(text: string, { start, end }: TextRange, isFull: boolean, part: string, close: string): string {
  const inside = text.slice(start + 1, end - 1).trimEnd();
  return `${text.slice(0, start + 1)}${inside}${isFull ? ',' : ''}${part}${close}${text.slice(end - 1)}`;
}

/** The text without an entry of the list `name` of its top object. The rest of the text stays as it is. */
export function removeFromList(text: string, name: string, index: number): string {
  const places = placesOf(text);
  const at = (nth: number): TextRange | undefined => places.get(pointerTo(`/${name}`, nth));
  const [list, gone, before, after] = [places.get(`/${name}`), at(index), at(index - 1), at(index + 1)];
  if (list === undefined || gone === undefined) return text;
  // with the comma before it, or of the first entry with the comma behind it
  if (before !== undefined) return text.slice(0, before.end) + text.slice(gone.end);
  if (after !== undefined) return text.slice(0, gone.start) + text.slice(after.start);
  return text.slice(0, list.start + 1) + text.slice(list.end - 1);
}
