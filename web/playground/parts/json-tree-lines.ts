import { isObject, type JsonValue } from '../../../core/index.ts';

/** A visible line of a tree: a value, or the place of members that are not listed yet. */
export interface TreeLine {
  /** RFC 6901; the root has the empty pointer. */
  readonly pointer: string;
  /** Name or index in its parent; undefined for the root. */
  readonly name: string | undefined;
  readonly level: number;
  readonly place: number;
  readonly siblings: number;
  readonly value: JsonValue;
  /** Undefined for a value without members. */
  readonly isOpen: boolean | undefined;
  /** Members of the value that are not listed; the line stands for them. */
  readonly more?: number;
}

/** A person's choices in a tree: opened and closed values, and the listed members of long values. */
export interface TreeState {
  readonly open: ReadonlyMap<string, boolean>;
  readonly listed: ReadonlyMap<string, number>;
}

export const NO_CHOICES: TreeState = { open: new Map(), listed: new Map() };

/** Behind a pointer: the line of its members that are not listed. */
const MORE = '\0';

/** Pointer of the value that a line is about. */
export function pointerOf({ pointer, more }: TreeLine): string {
  return more === undefined ? pointer : pointer.slice(0, -MORE.length);
}

/** Members that are listed at once. */
export const PAGE_MEMBERS = 100;
/** Values of these levels are open at first. */
const LEVELS_OPEN = 2;

export function treeLines(value: JsonValue, state: TreeState): readonly TreeLine[] {
  const lines: TreeLine[] = [];
  add({ pointer: '', name: undefined, level: 1, place: 1, siblings: 1, value, isOpen: undefined }, state, lines);
  return lines;
}

function add(line: TreeLine, state: TreeState, lines: TreeLine[]): void {
  const { pointer, level, value } = line;
  const size = sizeOf(value);
  const isOpen = size === 0 ? undefined : (state.open.get(pointer) ?? level <= LEVELS_OPEN);
  lines.push({ ...line, isOpen });
  if (isOpen !== true) return;
  const listed = Math.min(size, state.listed.get(pointer) ?? PAGE_MEMBERS);
  const siblings = listed < size ? listed + 1 : size;
  for (const [nth, [name, inner]] of firstOf(value, listed).entries())
    add(
      {
        pointer: under(pointer, name),
        name,
        level: level + 1,
        place: nth + 1,
        siblings,
        value: inner,
        isOpen: undefined,
      },
      state,
      lines,
    );
  if (listed < size) {
    const place = { level: level + 1, place: siblings, siblings };
    lines.push({ ...place, pointer: pointer + MORE, name: undefined, value, isOpen: undefined, more: size - listed });
  }
}

export function sizeOf(value: JsonValue): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function firstOf(value: JsonValue, most: number): readonly (readonly [string, JsonValue])[] {
  if (Array.isArray(value)) return value.slice(0, most).map((inner: JsonValue, nth) => [String(nth), inner]);
  if (!isObject(value)) return [];
  return Object.keys(value)
    .slice(0, most)
    .map((name) => [name, value[name] ?? null]);
}

function under(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** The place after a key of the ARIA tree pattern, or a value to open or close; undefined for other keys. */
type TreeMove = { readonly to: number } | { readonly toggle: TreeLine } | { readonly openAll: readonly TreeLine[] };

export function treeMove(key: string, lines: readonly TreeLine[], at: number): TreeMove | undefined {
  const line = lines[at];
  if (line === undefined) return undefined;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(at + 1, lines.length - 1) };
    case 'ArrowUp':
      return { to: Math.max(at - 1, 0) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: lines.length - 1 };
    case 'ArrowRight':
      return line.isOpen === false ? { toggle: line } : { to: line.isOpen === true ? at + 1 : at };
    case 'ArrowLeft':
      return line.isOpen === true ? { toggle: line } : { to: parentOf(lines, at) };
    case 'Enter':
    case ' ':
      return line.isOpen === undefined && line.more === undefined ? { to: at } : { toggle: line };
    case '*':
      return { openAll: siblingsOf(lines, at) };
    default:
      return undefined;
  }
}

function parentOf(lines: readonly TreeLine[], at: number): number {
  const { level = 1 } = lines[at] ?? {};
  const found = lines.slice(0, at).findLastIndex((each) => each.level < level);
  return found < 0 ? at : found;
}

/** The closed values beside a line. */
function siblingsOf(lines: readonly TreeLine[], at: number): readonly TreeLine[] {
  const { level } = lines[at] ?? {};
  const parent = parentOf(lines, at);
  const after = lines.findIndex((each, nth) => nth > at && each.level < (level ?? 1));
  return lines
    .slice(parent, after < 0 ? undefined : after)
    .filter((each) => each.level === level && each.isOpen === false);
}
