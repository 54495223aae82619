import type { SchemaVerdict } from '../../core/capability/check.ts';
import { sha256Text } from '../../core/hash.ts';
import {
  CHECK_LIMITS,
  type CompiledSchema,
  checkedAllFrom,
  checkedFrom,
  checkerSource,
  type RealmOutcome,
} from '../../sandbox/index.ts';
import type { RealmPort } from './pool.ts';

/** Calls an entry of a realm; a hang is a failure like any other. */
export type CallRealm = (id: string, entry: string, text: string) => Promise<RealmOutcome>;

/** Characters of generated code in an image of several groups: its restoration is a part of every check. */
const CODE_CHARACTERS = 1 << 16;
/** Images at a time. A later check builds a dropped image again. */
const CHECKERS_MAX = 16;

/** An image with validators. A retired image is dropped when its last check is done. */
interface Checker {
  readonly id: string;
  readonly schemas: ReadonlyMap<string, CompiledSchema>;
  readonly built: Promise<unknown>;
  users: number;
  isRetired: boolean;
}

/**
 * Images with the validators that were used. Validators that are asked together are in the same image, and answer in a
 * single call. Small groups share an image.
 */
export class SchemaCheckers {
  readonly #realms: RealmPort;
  readonly #call: CallRealm;
  readonly #script: () => Promise<string>;
  /** Most recently used last. */
  #checkers: readonly Checker[] = [];

  constructor(realms: RealmPort, call: CallRealm, script: () => Promise<string>) {
    this.#realms = realms;
    this.#call = call;
    this.#script = script;
  }

  /** Verdicts of the schemas with these hashes, which belong to the group. A failed image gives no verdict. */
  async check(
    group: readonly CompiledSchema[],
    hashes: readonly string[],
    text: string,
  ): Promise<ReadonlyMap<string, SchemaVerdict>> {
    if (hashes.length === 0) return new Map();
    const asked = new Map(group.map((schema) => [schema.hash, schema]));
    const said =
      (await this.#ask(this.#shared(asked), hashes, text)) ?? (await this.#ask(this.#alone(asked), hashes, text));
    return said ?? new Map(hashes.map((hash) => [hash, { failed: 'lost' }]));
  }

  /** An image with the group: one that has it, or one with room for it, or an image of its own. */
  #shared(group: ReadonlyMap<string, CompiledSchema>): Checker {
    const present = this.#checkers.find(({ schemas }) => [...group.keys()].every((hash) => schemas.has(hash)));
    if (present !== undefined) return present;
    const open = this.#checkers.findLast(({ schemas }) => sizeOf(schemas) + sizeOf(group) <= CODE_CHARACTERS);
    if (open === undefined) return this.#alone(group);
    this.#retire(open);
    return this.#build(new Map([...open.schemas, ...group]));
  }

  #alone(group: ReadonlyMap<string, CompiledSchema>): Checker {
    return this.#build(group);
  }

  #build(schemas: ReadonlyMap<string, CompiledSchema>): Checker {
    const id = `schema-checker:${sha256Text([...schemas.keys()].join())}`;
    const building = this.#script().then((script) =>
      this.#realms.build(id, checkerSource(script, [...schemas.values()]), CHECK_LIMITS),
    );
    building.catch(() => undefined);
    return { id, schemas, built: building, users: 0, isRetired: false };
  }

  /** Undefined where the image was not built or its realm cannot be reached. */
  async #ask(
    checker: Checker,
    hashes: readonly string[],
    text: string,
  ): Promise<ReadonlyMap<string, SchemaVerdict> | undefined> {
    this.#use(checker);
    try {
      await checker.built;
      return await this.#verdicts(checker.id, hashes, text);
    } catch {
      this.#retire(checker);
      return undefined;
    } finally {
      checker.users -= 1;
      this.#dropUnused(checker);
    }
  }

  /**
   * All verdicts of one call. A call that reaches a limit says nothing about a single schema, so each schema is then
   * asked in a call of its own, with limits of its own.
   */
  async #verdicts(id: string, hashes: readonly string[], text: string): Promise<ReadonlyMap<string, SchemaVerdict>> {
    const together =
      hashes.length === 1
        ? undefined
        : checkedAllFrom(hashes.length, await this.#call(id, 'checkAll', `${hashes.join('')}\n${text}`));
    const verdicts = new Map<string, SchemaVerdict>();
    for (const [at, hash] of hashes.entries())
      verdicts.set(hash, together?.[at] ?? checkedFrom(await this.#call(id, 'check', hash + text)));
    return verdicts;
  }

  #use(checker: Checker): void {
    checker.users += 1;
    this.#checkers = [...this.#checkers.filter((other) => other !== checker), checker];
    const [oldest] = this.#checkers;
    if (this.#checkers.length > CHECKERS_MAX && oldest !== undefined) this.#retire(oldest);
  }

  #retire(checker: Checker): void {
    checker.isRetired = true;
    this.#checkers = this.#checkers.filter((other) => other !== checker);
    this.#dropUnused(checker);
  }

  #dropUnused({ id, isRetired, users }: Checker): void {
    const isKept = this.#checkers.some((other) => other.id === id);
    if (isRetired && users === 0 && !isKept) this.#realms.drop(id);
  }
}

function sizeOf(schemas: ReadonlyMap<string, CompiledSchema>): number {
  return [...schemas.values()].reduce((sum, { code }) => sum + code.length, 0);
}
