import { isHash, sha256Text } from '../../../../core/hash.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { decode } from '../../../../core/json/decode.ts';
import { encodeText, utf8Length } from '../../../../core/json/utf8.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../../core/json/value.ts';
import { DEPTH_MOST } from '../../../../core/limits.ts';
import { countLookalike } from '../../../../core/text/lookalike.ts';
import { escapeOf, visibleLine } from '../../../../core/text/visible.ts';
import { changeFile, readIfThere } from './atomic-file.ts';

/** A definition as it was seen first, or as a person has accepted it last. */
interface Pin {
  readonly definition: string;
  readonly declaration: JsonObject;
}

type PinsOfServer = Readonly<Record<string, Pin>>;

/** Pins by server, and by the tool's name. */
type PinTable = Readonly<Record<string, PinsOfServer>>;

/** A definition that differs from its pin. The tool is refused until a person accepts it. */
export interface ChangedDefinition {
  readonly pinned: string;
  readonly changes: readonly DefinitionChange[];
}

/** Pins of a server, at most, and their bytes in the file: a server that invents names does not fill the disk. */
export const PINS_MAX = 2_000;
export const PINS_BYTES: number = 4 << 20;
const BYTES_MAX = 64 << 20;

/** What the pins say of the definitions of a server. */
export interface Compared {
  /** Definitions that differ from their pins, by the names of their tools. */
  readonly changed: ReadonlyMap<string, ChangedDefinition>;
  /** Tools for whose definitions there was no room. Nothing is known of them, so they are not offered. */
  readonly unpinned: ReadonlySet<string>;
}

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
   * Pins the definitions that the file does not have yet, as far as there is room for their servers, and compares all of
   * them with their pins. A file is written only if it can be read again.
   */
  async see(seen: readonly ServerDefinition[]): Promise<Compared> {
    const table = this.#read();
    let compared = compare(table, seen);
    if (withFirst(table, seen) === table) return compared;
    await changeFile(this.path, (bytes) => {
      const before = parse(bytes, this.path);
      const next = withFirst(before, seen);
      const text = readable(next, this.path);
      compared = compare(text === undefined ? before : next, seen);
      return text;
    });
    return compared;
  }

  /** Replaces a pin by a definition that a person has accepted. False if the pin is another by now. */
  async accept(accepted: ServerDefinition, pinned: string): Promise<boolean> {
    let isDone = false;
    await changeFile(this.path, (bytes) => {
      const table = parse(bytes, this.path);
      if (pinOf(table, accepted)?.definition !== pinned) return undefined;
      const text = readable(withPins(table, keyOf(accepted), [accepted]), this.path);
      isDone = text !== undefined;
      return text;
    });
    return isDone;
  }

  /** Hashes of all definitions that are pinned. */
  definitions(): readonly string[] {
    return Object.values(this.#read()).flatMap((pins) => Object.values(pins).map(({ definition }) => definition));
  }

  /** Hashes of the pinned definitions by the names of the tools; several where servers have had the name. */
  byTool(): ReadonlyMap<string, ReadonlySet<string>> {
    const found = new Map<string, Set<string>>();
    for (const pins of Object.values(this.#read()))
      for (const [tool, { definition }] of Object.entries(pins))
        found.set(tool, (found.get(tool) ?? new Set()).add(definition));
    return found;
  }

  #read(): PinTable {
    return parse(readIfThere(this.path), this.path);
  }
}

function compare(table: PinTable, seen: readonly ServerDefinition[]): Compared {
  const changed = new Map<string, ChangedDefinition>();
  const unpinned = new Set<string>();
  for (const each of seen) {
    const [hash, pin] = [definitionHash(each), pinOf(table, each)];
    if (pin === undefined) unpinned.add(each.tool);
    else if (pin.definition !== hash)
      changed.set(each.tool, { pinned: pin.definition, changes: changesBetween(pin.declaration, each.declaration) });
  }
  return { changed, unpinned };
}

/** A server that is started in another way, or at another address, is another server. */
function keyOf({ server, origin }: ServerDefinition): string {
  return `${server} ${origin}`;
}

function pinOf(table: PinTable, definition: ServerDefinition): Pin | undefined {
  const [key, name] = [keyOf(definition), definition.tool];
  const pins = Object.hasOwn(table, key) ? table[key] : undefined;
  return pins !== undefined && Object.hasOwn(pins, name) ? pins[name] : undefined;
}

function pinsOf(table: PinTable, key: string): PinsOfServer {
  return Object.hasOwn(table, key) ? (table[key] ?? {}) : {};
}

/** The table with first pins, as far as their servers have room; the same table where nothing is added. */
function withFirst(table: PinTable, seen: readonly ServerDefinition[]): PinTable {
  let next = table;
  for (const key of new Set(seen.map(keyOf))) {
    const fresh = seen.filter((each) => keyOf(each) === key && pinOf(table, each) === undefined);
    const before = Object.entries(pinsOf(table, key));
    let [room, bytes] = [PINS_MAX - before.length, PINS_BYTES - utf8Length(linesOf(before))];
    const taken = fresh.filter((each) => {
      const size = utf8Length(linesOf([[each.tool, pinFor(each)]])) + 2;
      const fits = room > 0 && size <= bytes;
      if (fits) [room, bytes] = [room - 1, bytes - size];
      return fits;
    });
    if (taken.length > 0) next = withPins(next, key, taken);
  }
  return next;
}

function withPins(table: PinTable, key: string, given: readonly ServerDefinition[]): PinTable {
  const pins = given.map((each) => [each.tool, pinFor(each)] as const);
  // Computed names of object literals and entries are own members, also `__proto__`.
  return { ...table, [key]: Object.fromEntries([...Object.entries(pinsOf(table, key)), ...pins]) };
}

function pinFor(each: ServerDefinition): Pin {
  return { definition: definitionHash(each), declaration: each.declaration };
}

/** Throws for a file that holds no pins: without them no definition could be compared. */
function parse(bytes: Uint8Array | undefined, path: string): PinTable {
  if (bytes === undefined) return {};
  const read = decode(bytes, { bytes: BYTES_MAX, nodes: BYTES_MAX, depth: DEPTH_MOST });
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

/** The text of the file; undefined for a table that could not be read again. */
function readable(servers: PinTable, path: string): string | undefined {
  const text = format(servers);
  try {
    parse(encodeText(text), path);
    return text;
  } catch {
    return undefined;
  }
}

/** A pin is a line, whatever is nested in it. */
function format(servers: PinTable): string {
  const tables = Object.entries(servers).map(([key, pins]) => {
    return `${JSON.stringify(key)}: {\n${linesOf(Object.entries(pins))}\n}`;
  });
  return `{"version": 1, "servers": {\n${tables.join(',\n')}\n}}\n`;
}

function linesOf(pins: readonly (readonly [name: string, pin: Pin])[]): string {
  return pins.map(([name, pin]) => `${JSON.stringify(name)}: ${JSON.stringify(pin)}`).join(',\n');
}

/** A tool as its server declares it, with the place that its arguments go to. Every text in it is the server's. */
export interface ServerDefinition {
  /** Name of the server in the configuration. Two servers may have the same origin, with other variables. */
  readonly server: string;
  readonly origin: string;
  /** Name with the prefix, by which pins, grants, settings and calls name the tool. */
  readonly tool: string;
  /** The server's own name. */
  readonly name: string;
  readonly declaration: JsonObject;
}

/** A member that differs between two declarations. Texts are visible lines; an absent side has no such member. */
export interface DefinitionChange {
  readonly pointer: string;
  readonly before?: string;
  readonly after?: string;
}

const PURPOSE = 'sallyport-mcp-definition';

/** Hash by which a definition is pinned, and by which a grant of the configuration names it. */
export function definitionHash({
  origin,
  name,
  declaration,
}: Pick<ServerDefinition, 'origin' | 'name' | 'declaration'>): string {
  return sha256Text(`${PURPOSE}\n${canonicalText({ origin, name, declaration })}`);
}

/**
 * The members that two declarations do not share, each once, in the order of their pointers. Two declarations with
 * different hashes have a row at least.
 */
export function changesBetween(before: JsonObject, after: JsonObject): readonly DefinitionChange[] {
  return [...differences(before, after, '')];
}

function* differences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  pointer: string,
): Iterable<DefinitionChange> {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const name of names) yield* differences(member(before, name), member(after, name), pointerTo(pointer, name));
  } else if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    for (let at = 0; at < length; at++) yield* differences(before[at], after[at], pointerTo(pointer, at));
  } else {
    const [was, is] = [before, after].map((value) => (value === undefined ? undefined : canonicalText(value)));
    if (was !== is) yield { pointer: visibleLine(pointer), ...shownApart(was, is) };
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * JSON texts as lines. Two that read alike are shown with each letter beyond ASCII as its number: an `é` of one character
 * and an `é` of two are the same picture.
 */
function shownApart(before: string | undefined, after: string | undefined): Pick<DefinitionChange, 'before' | 'after'> {
  const isAlike = before?.normalize('NFKC') === after?.normalize('NFKC') || countLookalike(`${before} ${after}`) > 0;
  const shown = (text: string): string => {
    const line = visibleLine(text);
    return isAlike ? line.replace(/[^\x20-\x7e]/gu, escapeOf) : line;
  };
  return {
    ...(before !== undefined && { before: shown(before) }),
    ...(after !== undefined && { after: shown(after) }),
  };
}
