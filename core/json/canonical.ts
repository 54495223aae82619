import { Defect, unreachable } from '../assert.ts';
import { refuse } from '../errors/decode.ts';
import { CANONICAL_LIMITS } from '../limits.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { pointerTo } from './value.ts';

/**
 * RFC 8785: each JSON value has exactly one text. Members sorted by UTF-16 code units, numbers and escapes as
 * ECMAScript writes them, no blanks. Refuses values that JSON cannot say (`not_json`: a hole, `undefined`, a function,
 * a class instance, NaN), `lone_surrogate`, and with `limit_depth`, `limit_nodes` or `limit_size` a value that is too
 * deep, too large or cyclic. Never throws, even if reading the value runs hostile code; every member is read once.
 */
export function canonicalize(value: unknown): Outcome<string> {
  const walk = newWalk();
  const text = attempt(value, walk);
  return text === undefined ? refusal(walk) : pass(text);
}

/** The canonical text; undefined instead of a refusal. */
export function canonicalOf(value: unknown): string | undefined {
  return attempt(value, newWalk());
}

/** The canonical text of a value that core made itself. A value that is not JSON is a defect of core. */
export function canonicalText(value: unknown): string {
  const outcome = canonicalize(value);
  if (!outcome.ok) throw new Defect(`not canonical: ${outcome.refusal.message}`);
  return outcome.value;
}

type Fault = 'not_json' | 'lone_surrogate' | 'limit_depth' | 'limit_nodes' | 'limit_size';

/**
 * A single walk through a value. `path` is filled, innermost first, only while a fault travels up. Pieces are joined at
 * the end: concatenation would keep a tree of strings, many times the size of the text.
 */
interface Walk {
  nodes: number;
  /** UTF-16 units of all pieces. */
  units: number;
  readonly pieces: string[];
  fault: Fault;
  got: string;
  readonly path: (string | number)[];
}

function newWalk(): Walk {
  return { nodes: 0, units: 0, pieces: [], fault: 'not_json', got: 'a value that cannot be read', path: [] };
}

/** A getter or a proxy of the stranger may throw. */
function attempt(value: unknown, walk: Walk): string | undefined {
  try {
    return write(value, 0, walk) ? walk.pieces.join('') : undefined;
  } catch {
    return undefined;
  }
}

function write(value: unknown, depth: number, walk: Walk): boolean {
  if (++walk.nodes > CANONICAL_LIMITS.nodes) return stop(walk, 'limit_nodes');
  if (typeof value === 'string') return quote('', value, '', walk);
  if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return put(String(value), walk);
  if (typeof value === 'object') return writeInside(value, depth + 1, walk);
  return stop(walk, 'not_json', typeof value === 'number' ? String(value) : typeof value);
}

function writeInside(value: object, depth: number, walk: Walk): boolean {
  if (depth > CANONICAL_LIMITS.depth) return stop(walk, 'limit_depth');
  if (Array.isArray(value)) return writeArray(value, depth, walk);
  if (!isPlain(value)) return stop(walk, 'not_json', 'an object with a prototype');
  return writeObject(value as { readonly [name: string]: unknown }, depth, walk);
}

function writeArray(array: readonly unknown[], depth: number, walk: Walk): boolean {
  put('[', walk);
  for (let index = 0; index < array.length; index++) {
    if (index > 0) put(',', walk);
    if (!write(array[index], depth, walk)) return passUp(walk, index);
  }
  return put(']', walk);
}

function writeObject(object: { readonly [name: string]: unknown }, depth: number, walk: Walk): boolean {
  put('{', walk);
  let before = '';
  for (const name of sorted(Object.keys(object))) {
    // A name that is not well-formed must not get into a pointer either: the fault is then at its object.
    if (!quote(before, name, ':', walk)) return false;
    if (!write(object[name], depth, walk)) return passUp(walk, name);
    before = ',';
  }
  return put('}', walk);
}

function put(piece: string, walk: Walk): boolean {
  walk.units += piece.length;
  if (walk.units > CANONICAL_LIMITS.units) return stop(walk, 'limit_size');
  walk.pieces.push(piece);
  return true;
}

/** Insertion sort for the few names most objects have: it beats the engine's sort up to about forty of them. */
function sorted(names: string[]): string[] {
  if (names.length > 40) return names.toSorted();
  for (let at = 1; at < names.length; at++) {
    const name = names[at] as string;
    let to = at;
    for (; to > 0 && (names[to - 1] as string) > name; to--) names[to] = names[to - 1] as string;
    names[to] = name;
  }
  return names;
}

/** All that JSON escapes, and surrogates without their half; a few controls more, which does no harm. */
const SPECIAL = /["\\\p{Cc}\p{Cs}]/u;

function quote(before: string, text: string, after: string, walk: Walk): boolean {
  // Before it is read: a text that an array holds a hundred times over costs its length only once it is written.
  if (walk.units + text.length > CANONICAL_LIMITS.units) return stop(walk, 'limit_size');
  if (!SPECIAL.test(text)) return put(`${before}"${text}"${after}`, walk);
  return text.isWellFormed() ? put(before + JSON.stringify(text) + after, walk) : stop(walk, 'lone_surrogate');
}

/** True for a plain object of any realm: it has no prototype, or its prototype has none. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null;
}

function stop(walk: Walk, fault: Fault, got = ''): false {
  walk.fault = fault;
  walk.got = got;
  return false;
}

function passUp(walk: Walk, token: string | number): false {
  walk.path.push(token);
  return false;
}

function refusal(walk: Walk): Refused {
  const pointer = walk.path.toReversed().reduce<string>(pointerTo, '');
  switch (walk.fault) {
    case 'not_json':
      return refuse('not_json', { got: walk.got }, { pointer });
    case 'lone_surrogate':
      return refuse('lone_surrogate', {}, { pointer });
    case 'limit_depth':
      return refuse('limit_depth', { limit: CANONICAL_LIMITS.depth, used: CANONICAL_LIMITS.depth + 1 }, { pointer });
    case 'limit_nodes':
      return refuse('limit_nodes', { limit: CANONICAL_LIMITS.nodes, used: walk.nodes }, { pointer });
    case 'limit_size':
      return refuse('limit_size', { limit: CANONICAL_LIMITS.units, used: CANONICAL_LIMITS.units + 1 }, { pointer });
    default:
      return unreachable(walk.fault);
  }
}

/**
 * `canonicalText` of a value whose members mostly stand in canonical order, as the drafts of a step are made. The
 * engine's own writer keeps the order of members, and else writes as RFC 8785 does; it takes half the time of our walk.
 * Every other value takes the walk, and so does a long text, which may be beyond our limits.
 */
export function sortedText(value: unknown): string {
  if (!isSorted(value, CANONICAL_LIMITS.depth)) return canonicalText(value);
  const text = JSON.stringify(value);
  // the engine escapes half a surrogate pair, which has no canonical text
  return text.length <= CANONICAL_LIMITS.nodes && !text.includes('\\ud') ? text : canonicalText(value);
}

/** True for JSON of at most so many levels with sorted members. */
function isSorted(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depth === 0) return false;
  return Array.isArray(value) ? isListSorted(value, depth - 1) : isPlain(value) && areMembersSorted(value, depth - 1);
}

function areMembersSorted(value: object, depth: number): boolean {
  let before = '';
  for (const name of Object.keys(value)) {
    if (name < before || !isSorted(value[name as keyof typeof value], depth)) return false;
    before = name;
  }
  return true;
}

/** By index: the engine's own loops pass over a hole, which is no JSON. */
function isListSorted(list: readonly unknown[], depth: number): boolean {
  for (let at = 0; at < list.length; at++) if (!isSorted(list[at], depth)) return false;
  return true;
}
