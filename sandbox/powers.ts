import type { SandboxPower } from '../core/capability/built-in-power.ts';
import type { PowerCall } from '../core/capability/call.ts';
import { refuse } from '../core/errors.ts';
import { canonicalize } from '../core/json/canonical.ts';
import { decode } from '../core/json/decode-within.ts';
import { encodeText } from '../core/json/utf8.ts';
import { isObject, type JsonValue } from '../core/json/value.ts';
import { KEPT_LIMITS } from '../core/limits.ts';
import type { Refused } from '../core/outcome.ts';

/** Sources of the sandbox's powers. Each value that they give is recorded with its call. */
export interface PowerSources {
  /** ms since epoch */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** The capability's stored value under a key of its own: JSON text. */
  readonly get: (key: string) => Promise<string | undefined>;
  /** The keys of its stored values, at most this number. */
  readonly keys: (most: number) => Promise<readonly string[]>;
  readonly log: (text: string) => void;
}

/** The built-in powers for a call, and the values that it wants to store. */
interface CallPowers {
  /** Undefined for a name that is not built in. */
  readonly carryOut: (name: string, args: string) => Promise<string> | undefined;
  /** Keys and the JSON text put under them; committed by the caller together with the receipt of a successful call. */
  readonly staged: ReadonlyMap<string, string>;
}

/** The guest's arguments do not fit the power. The guest receives this error. */
class PowerMisuse extends TypeError {
  override readonly name = 'TypeError';
}

/** A limit that the guest can be told by name: the code is the error's. */
function misused({ refusal: { code, message } }: Refused): Error {
  return Object.defineProperty(new TypeError(message), 'name', { value: code });
}

const ARGS = { bytes: 1 << 20, depth: 64, nodes: 100_000 };

/** Key and text that a recorded power call has put. */
function putBy({ name, args, error }: PowerCall): [key: string, text: string][] {
  if (name !== 'store.put' || error !== undefined || !Array.isArray(args)) return [];
  return [[String(args[0]), text((args[1] as JsonValue | undefined) ?? null)]];
}

/**
 * Powers for a call, which may have been parked after the calls in `before`. Puts are staged: a call that fails, or is
 * made again, changes no stored value.
 */
export function callPowers(sources: PowerSources, before: readonly PowerCall[] = []): CallPowers {
  const staged = new Map(before.flatMap(putBy));
  const table: { readonly [N in SandboxPower]: (args: readonly JsonValue[]) => Promise<string> } = {
    clock: async (args) => only(args, 0) && text(sources.clock()),
    random: async (args) => only(args, 0) && text(sources.random()),
    log: async (args) => {
      sources.log(args.map((arg) => (typeof arg === 'string' ? arg : text(arg))).join(' '));
      return 'null';
    },
    'store.get': async (args) => {
      const key = keyOf(args, 1);
      return staged.get(key) ?? (await sources.get(key)) ?? 'null';
    },
    'store.put': async (args) => {
      const key = keyOf(args, 2);
      const value = text(args[1] ?? null);
      const [used, limit] = [encodeText(value).length, KEPT_LIMITS.valueBytes];
      if (used > limit) throw misused(refuse('kept_value', { limit, used }));
      staged.set(key, value);
      return roomFor(key);
    },
  };
  /** A key that this call removes makes room only for the next call: the stored keys are read as before this call. */
  async function roomFor(key: string): Promise<string> {
    const limit = KEPT_LIMITS.keys;
    const keys = new Set([...(await sources.keys(limit + 1)), ...staged.keys()]);
    if (keys.size <= limit || staged.get(key) === 'null') return 'null';
    staged.delete(key);
    throw misused(refuse('kept_keys', { limit, used: keys.size }));
  }
  return {
    staged,
    carryOut: (name, args) => (isIn(table, name) ? table[name](listOf(args)) : undefined),
  };
}

function isIn<T extends object>(table: T, name: PropertyKey): name is keyof T {
  return Object.hasOwn(table, name);
}

function listOf(args: string): readonly JsonValue[] {
  const list = decode(encodeText(args), ARGS);
  if (!list.ok || !Array.isArray(list.value)) throw new PowerMisuse('the arguments are not a list of JSON values');
  return list.value as readonly JsonValue[];
}

function only(args: readonly JsonValue[], count: number): true {
  if (args.length !== count) throw new PowerMisuse(`takes ${count} arguments, got ${args.length}`);
  return true;
}

function keyOf(args: readonly JsonValue[], count: number): string {
  only(args, count);
  const [key] = args;
  const { keyUnits } = KEPT_LIMITS;
  if (typeof key !== 'string') throw misused(refuse('kept_key', { reason: isObject(key) ? 'an object' : typeof key }));
  const reason = key === '' ? 'empty' : `${key.length} characters, the limit is ${keyUnits}`;
  if (key === '' || key.length > keyUnits) throw misused(refuse('kept_key', { reason }));
  return key;
}

function text(value: JsonValue): string {
  const written = canonicalize(value);
  if (!written.ok) throw new PowerMisuse(written.refusal.message);
  return written.value;
}
