import { refuse } from '../errors/decode.ts';
import { DECODE_LIMITS, DEPTH_MOST, type DecodeLimits } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import { prescan } from './prescan.ts';
import { decodeUtf8, firstInvalid } from './utf8.ts';
import type { JsonValue } from './value.ts';
import { walk } from './walk.ts';

const BOM = 0xfeff;
const PARSE = { step: 'parse' } as const;

/**
 * Decodes bytes to one JSON value, or refuses them. Never throws, for any bytes; time and memory are linear in their
 * number. `decode` refuses all that `JSON.parse` refuses. It also refuses duplicate members, lone surrogates, values
 * nested too deeply, too many values, and numbers that change: an integer that neither a double nor the canonical text
 * of its nearest double gives back (`9007199254740993`), a number that overflows (`1e400`), a number that becomes zero
 * (`1e-400`). `1e23` is taken: its nearest double is written `1e+23`. Other decimals round to the nearest double, and
 * `-0` is `0`. The canonical text of each decoded value is decoded to that value again. A limit that is left out is that
 * of `DECODE_LIMITS`; a depth limit over `DEPTH_MOST` counts as `DEPTH_MOST`.
 *
 * The first fault in this order decides the code: `limit_size`, `utf8`, `bom`, `limit_depth`, `limit_nodes`,
 * `json_syntax`, `duplicate_member`, `lone_surrogate`, `number_precision`.
 *
 * @see FemtoClaw Protocol 4 and 10, step 1; RFC 8259
 */
export function decode(bytes: Uint8Array, limits: Partial<DecodeLimits> = DECODE_LIMITS): Outcome<JsonValue> {
  const { bytes: length = DECODE_LIMITS.bytes, nodes = DECODE_LIMITS.nodes } = limits;
  const depth = Math.min(limits.depth ?? DECODE_LIMITS.depth, DEPTH_MOST);
  if (isOver(bytes.byteLength, length)) return refuse('limit_size', { limit: length, used: bytes.byteLength }, PARSE);
  const text = decodeUtf8(bytes);
  if (text === undefined) return refuse('utf8', { offset: firstInvalid(bytes) }, PARSE);
  if (text.charCodeAt(0) === BOM) return refuse('bom', {}, PARSE);
  const seen = prescan(bytes, text, depth);
  if (isOver(seen.depth, depth)) return refuse('limit_depth', { limit: depth, used: seen.depth }, PARSE);
  if (isOver(seen.nodes, nodes)) return refuse('limit_nodes', { limit: nodes, used: seen.nodes }, PARSE);
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return syntax(text);
  }
  return seen.suspicious || seen.members !== members(value) ? exact(text, value) : pass(value);
}

/** True also for a limit that is not a number: no value is below it. */
function isOver(used: number, limit: number): boolean {
  return !(used <= limit);
}

/** Members that came out of the parser; fewer than were written means that names were repeated. */
function members(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const items = isArray ? (value as readonly JsonValue[]) : Object.values(value);
  let count = isArray ? 0 : items.length;
  for (const item of items) if (typeof item === 'object') count += members(item);
  return count;
}

function exact(text: string, value: JsonValue): Outcome<JsonValue> {
  const { duplicate, surrogate, number } = walk(text);
  if (duplicate) return refuse('duplicate_member', { name: duplicate.name }, { ...PARSE, pointer: duplicate.pointer });
  if (surrogate) return refuse('lone_surrogate', {}, { ...PARSE, pointer: surrogate.pointer });
  if (number) return refuse('number_precision', { literal: number.literal }, { ...PARSE, pointer: number.pointer });
  return pass(text.includes('-0') ? (JSON.parse(text, withoutNegativeZero) as JsonValue) : value);
}

/** Canonical JSON writes `-0` as `0`. The value that is checked has to be the value that is hashed. */
function withoutNegativeZero(_: string, value: JsonValue): JsonValue {
  return value === 0 ? 0 : value;
}

function syntax(text: string): Outcome<JsonValue> {
  const offset = walk(text).syntax ?? text.length;
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const character = text.codePointAt(offset);
  const found = character === undefined ? 'the end' : JSON.stringify(String.fromCodePoint(character));
  return refuse('json_syntax', { offset, line, column, found }, PARSE);
}
