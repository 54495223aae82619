import { isHash } from '../../../core/hash.ts';
import { decode } from '../../../core/json/decode.ts';
import { isObject, type JsonObject } from '../../../core/json/value.ts';
import { changeFile, readIfThere } from './atomic-file.ts';
import { changesBetween, type DefinitionChange, definitionHash, type ServerDefinition } from './definition.ts';

/** A definition as it was seen first, or as a person has accepted it last. */
interface Pin {
  readonly definition: string;
  readonly declaration: JsonObject;
}

type PinsOfServer = Readonly<Record<string, Pin>>;

/** Pins by server, and by the server's name of the tool. */
type PinTable = Readonly<Record<string, PinsOfServer>>;

/** A definition that differs from its pin. The tool is refused until a person accepts it. */
export interface ChangedDefinition {
  readonly pinned: string;
  readonly changes: readonly DefinitionChange[];
}

/** Pins of a server, at most: a server that invents names does not fill the disk. */
export const PINS_MAX = 2_000;
const BYTES_MAX = 64 << 20;

/**
 * The pinned definitions, in a file that several gateways share. Each change reads, merges and renames under a lock, so
 * no process loses the pin of another.
 */
export class DefinitionPins {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /**
   * Pins the definitions that the file does not have yet, and returns those that differ from their pins, by hash.
   * A tool beyond `PINS_MAX` counts as changed.
   */
  async see(seen: readonly ServerDefinition[]): Promise<ReadonlyMap<string, ChangedDefinition>> {
    const table = this.#read();
    let changed = compare(table, seen);
    if (withFirst(table, seen) === table) return changed;
    await changeFile(this.path, (bytes) => {
      const next = withFirst(parse(bytes, this.path), seen);
      changed = compare(next, seen);
      return format(next);
    });
    return changed;
  }

  /** Replaces a pin by a definition that a person has accepted. False if the pin is another by now. */
  async accept(accepted: ServerDefinition, pinned: string): Promise<boolean> {
    let isDone = false;
    await changeFile(this.path, (bytes) => {
      const table = parse(bytes, this.path);
      if (pinOf(table, accepted)?.definition !== pinned) return undefined;
      isDone = true;
      return format(withPins(table, keyOf(accepted), [accepted]));
    });
    return isDone;
  }

  #read(): PinTable {
    return parse(readIfThere(this.path), this.path);
  }
}

function compare(table: PinTable, seen: readonly ServerDefinition[]): ReadonlyMap<string, ChangedDefinition> {
  const changed = new Map<string, ChangedDefinition>();
  for (const each of seen) {
    const [hash, pin] = [definitionHash(each), pinOf(table, each)];
    if (pin === undefined && countOf(table, keyOf(each)) >= PINS_MAX) changed.set(hash, { pinned: '', changes: [] });
    if (pin === undefined || pin.definition === hash) continue;
    changed.set(hash, { pinned: pin.definition, changes: changesBetween(pin.declaration, each.declaration) });
  }
  return changed;
}

/** A server that is started in another way, or at another address, is another server. */
function keyOf({ server, origin }: ServerDefinition): string {
  return `${server} ${origin}`;
}

function pinOf(table: PinTable, definition: ServerDefinition): Pin | undefined {
  const [key, name] = [keyOf(definition), definition.name];
  const pins = Object.hasOwn(table, key) ? table[key] : undefined;
  return pins !== undefined && Object.hasOwn(pins, name) ? pins[name] : undefined;
}

function countOf(table: PinTable, key: string): number {
  return Object.hasOwn(table, key) ? Object.keys(table[key] ?? {}).length : 0;
}

/** The table with first pins; the same table where every definition has its pin. */
function withFirst(table: PinTable, seen: readonly ServerDefinition[]): PinTable {
  let next = table;
  for (const key of new Set(seen.map(keyOf))) {
    const fresh = seen.filter((each) => keyOf(each) === key && pinOf(table, each) === undefined);
    const room = PINS_MAX - countOf(table, key);
    if (fresh.length > 0 && room > 0) next = withPins(next, key, fresh.slice(0, room));
  }
  return next;
}

function withPins(table: PinTable, key: string, given: readonly ServerDefinition[]): PinTable {
  const before = Object.hasOwn(table, key) ? Object.entries(table[key] ?? {}) : [];
  const pins = given.map(
    (each) => [each.name, { definition: definitionHash(each), declaration: each.declaration }] as const,
  );
  // Computed names of object literals and entries are own members, also `__proto__`.
  return { ...table, [key]: Object.fromEntries([...before, ...pins]) };
}

/** Throws for a file that holds no pins: without them no definition could be compared. */
function parse(bytes: Uint8Array | undefined, path: string): PinTable {
  if (bytes === undefined) return {};
  const read = decode(bytes, { bytes: BYTES_MAX, nodes: 4_000_000 });
  const servers = read.ok && isObject(read.value) ? read.value['servers'] : undefined;
  if (!isObject(servers) || !Object.values(servers).every(isPins)) {
    throw new Error(`${path} holds no pins. Restore the file, or remove it to pin every definition anew`);
  }
  return servers as unknown as PinTable;
}

function isPins(value: unknown): boolean {
  return isObject(value) && Object.values(value).every(isPin);
}

function isPin(value: unknown): boolean {
  return isObject(value) && isHash(value['definition']) && isObject(value['declaration']);
}

function format(servers: PinTable): string {
  return `${JSON.stringify({ version: 1, servers }, null, 1)}\n`;
}
