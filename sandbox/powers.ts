import { canonicalize, decode, encodeText, isObject, type JsonValue } from '../core/index.ts';

/** Where the powers that come with the sandbox get what they give. Everything they give is recorded call by call. */
export interface PowerSources {
  /** ms since epoch */
  readonly clock: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  /** What a capability has kept under a key of its own: JSON text. */
  readonly get: (key: string) => Promise<string | undefined>;
  readonly log: (text: string) => void;
}

/** The built-in powers for one call, and what it wants to keep. */
export interface CallPowers {
  /** Undefined for a name that is not built in. */
  readonly carryOut: (name: string, args: string) => Promise<string> | undefined;
  /** Keys and the JSON text put under them; committed by the caller together with the receipt of a successful call. */
  readonly staged: ReadonlyMap<string, string>;
}

export const BUILT_IN_POWERS: readonly string[] = ['clock', 'log', 'random', 'store.get', 'store.put'];

/** The guest asked for something that the power does not do; it reaches the guest as an error. */
class PowerMisuse extends TypeError {
  override readonly name = 'TypeError';
}

const KEY_UNITS_MAX = 256;
const ARGS = { bytes: 1 << 20, depth: 64, nodes: 100_000 };

/** Powers for one call. Puts are staged: a call that fails, or is made again, has changed nothing. */
export function callPowers(sources: PowerSources): CallPowers {
  const staged = new Map<string, string>();
  const table: { readonly [name: string]: (args: readonly JsonValue[]) => Promise<string> } = {
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
      staged.set(keyOf(args, 2), text(args[1] ?? null));
      return 'null';
    },
  };
  return {
    staged,
    carryOut: (name, args) => (Object.hasOwn(table, name) ? table[name]?.(listOf(args)) : undefined),
  };
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
  if (typeof key !== 'string' || key === '' || key.length > KEY_UNITS_MAX) {
    throw new PowerMisuse(
      `a key is a string of 1 to ${KEY_UNITS_MAX} characters, got ${isObject(key) ? 'an object' : typeof key}`,
    );
  }
  return key;
}

function text(value: JsonValue): string {
  const written = canonicalize(value);
  if (!written.ok) throw new PowerMisuse(written.refusal.message);
  return written.value;
}
