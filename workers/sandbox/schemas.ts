import type { SchemaVerdict } from '../../core/capability/check.ts';
import { sha256Text } from '../../core/hash.ts';
import { isObject, type JsonObject } from '../../core/json/value.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { schemaText } from '../../core/schema/lint.ts';
import { comparisonOf, isAcceptedHere, type Predicate } from '../../core/schema/predicate.ts';
import {
  admittedFrom,
  CHECK_LIMITS,
  COMPILE_LIMITS,
  type CompiledSchema,
  checkedAllFrom,
  checkedFrom,
  checkerSource,
  compilerSource,
  judgedFrom,
  notCompiled,
  type RealmOutcome,
} from '../../sandbox/index.ts';
import { type BatchItem, BatchQueue } from '../async.ts';
import type { SchemaPort } from '../ports.ts';
import type { CompileSchema } from './create.ts';
import type { RealmPort } from './pool.ts';

const COMPILER = 'schema-compiler';

/** Scripts of the realms, as text. They are loaded with the first schema that is registered at run time. */
export interface SchemaScripts {
  readonly compiler: string;
  readonly checker: string;
}

/**
 * Checks run-time schemas in realms: a compiler, started with the first schema, judges each schema when it is
 * registered and compiles it for its first check; checkers hold only the validators that were used. A value that a
 * predicate of this thread accepts is not checked again. `memory` may be
 * shared by several ports.
 */
export function realmSchemas(realms: RealmPort, load: () => Promise<SchemaScripts>, memory?: SchemaMemory): SchemaPort {
  const texts = new Map<string, string>();
  const predicates = new Map<string, Predicate | undefined>();
  const compiling = new Map<string, Promise<CompiledSchema | NotCompiled>>();
  /** Schemas whose compilation was stopped once by a deadline, or lost with its worker. */
  const lost = new Set<string>();
  let loaded: Promise<SchemaScripts> | undefined;
  let compiler: Promise<unknown> | undefined;

  // a failed load or build is repeated by the next schema
  const scripts = (): Promise<SchemaScripts> => {
    loaded ??= load();
    loaded.catch(() => (loaded = undefined));
    return loaded;
  };
  const started = (): Promise<unknown> => {
    compiler ??= scripts().then((script) => realms.build(COMPILER, compilerSource(script.compiler), COMPILE_LIMITS));
    compiler.catch(() => (compiler = undefined));
    return compiler;
  };
  const callCompiler = async (entry: string, text: string) => {
    await started();
    return callRealm(COMPILER, entry, text);
  };
  const callRealm: CallRealm = async (id, entry, text) => known(await realms.call(id, entry, text));
  const judge = new SchemaJudge((list) => callCompiler('judgeAll', list));
  const checkers = new SchemaCheckers(realms, callRealm, async () => (await scripts()).checker);

  async function register(schema: JsonObject): Promise<Outcome<string>> {
    const read = schemaText(schema);
    if (!read.ok) return read;
    const { hash, text } = read.value;
    if (texts.has(hash)) return pass(hash);
    const judged = memory?.isAdmitted(hash) ? pass(undefined) : await judge.judge(text);
    if (!judged.ok) return judged;
    memory?.admit(hash);
    texts.set(hash, text);
    predicates.set(hash, isObject(schema) ? comparisonOf(schema) : undefined);
    return pass(hash);
  }

  /** Compiles a registered schema once; a compiler that was lost is asked again by the next check, and then no more. */
  function compile(hash: string): Promise<CompiledSchema | NotCompiled> {
    const coming = compiling.get(hash) ?? compileOnce(hash);
    compiling.set(hash, coming);
    void coming.then((made) => made === LOST && compiling.delete(hash));
    return coming;
  }

  async function compileOnce(hash: string): Promise<CompiledSchema | NotCompiled> {
    const code = memory?.codeOf(hash);
    if (code !== undefined) return { hash, code };
    const text = texts.get(hash);
    if (text === undefined) return LOST;
    try {
      const outcome = await callCompiler('admit', text);
      if (!outcome.ok && FROM_OUTSIDE.has(outcome.kind) && !lost.has(hash)) {
        lost.add(hash);
        return LOST;
      }
      const made = admittedFrom(hash, outcome);
      if (!made.ok) return REFUSED;
      memory?.keep(made.value);
      return made.value;
    } catch {
      return LOST;
    }
  }

  /** A value that a predicate accepts needs no validator, which would have to be called in another thread. */
  async function check(
    wanted: readonly string[],
    text: string,
    later: readonly string[] = [],
  ): Promise<ReadonlyMap<string, SchemaVerdict>> {
    const here = wanted.filter((hash) => isAcceptedHere(predicates.get(hash), text));
    const outside = await validate(
      wanted.filter((hash) => !here.includes(hash)),
      text,
      later,
    );
    return new Map([...here.map((hash) => [hash, ACCEPTED] as const), ...outside]);
  }

  /** Without a validator there is no verdict, and the value is not accepted. */
  async function validate(
    schemas: readonly string[],
    text: string,
    later: readonly string[],
  ): Promise<ReadonlyMap<string, SchemaVerdict>> {
    if (schemas.length + later.length === 0) return new Map();
    const made = await Promise.all(
      [...new Set([...schemas, ...later])].map(async (hash) => ({ hash, made: await compile(hash) })),
    );
    const failed = made.flatMap(({ hash, made: verdict }) =>
      'failed' in verdict && (verdict === REFUSED || schemas.includes(hash)) ? [[hash, verdict] as const] : [],
    );
    const group = made.flatMap(({ made: schema }) => ('code' in schema ? [schema] : []));
    const asked = group.map(({ hash }) => hash).filter((hash) => schemas.includes(hash));
    return new Map([...failed, ...(await checkers.check(group, asked, text))]);
  }

  const warm = (): void => void started().catch(() => undefined);
  return { register, check, warm };
}

type NotCompiled = SchemaVerdict & { readonly failed: 'refused' | 'lost' };
const ACCEPTED: SchemaVerdict = { issues: [] };
const REFUSED: NotCompiled = { failed: 'refused' };
const LOST: NotCompiled = { failed: 'lost' };

/** Failures that depend on the machine and not on the schema. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set(['corrupt', 'deadline', 'aborted']);

/** Turns a hang into a failure: the realm was killed, and its verdict is lost. */
function known(outcome: Awaited<ReturnType<RealmPort['call']>>): Awaited<ReturnType<CallRealm>> {
  return !outcome.ok && outcome.kind === 'hang' ? { ok: false, kind: 'corrupt', fuel: 0 } : outcome;
}

/**
 * Schema compiler of a standalone sandbox: a refused schema throws, and a wrong value is reported by its first issue.
 */
export function schemaCompiler(schemas: SchemaPort): CompileSchema {
  return async (schema) => {
    const hash = unwrap(await schemas.register(schema));
    return async (text) => {
      const checked = (await schemas.check([hash], text)).get(hash) ?? LOST;
      if (!('issues' in checked))
        return { name: `schema_${checked.failed}`, message: 'the schema could not be checked within its limits' };
      const [issue] = checked.issues;
      return (
        issue && {
          name: issue.keyword,
          message: `${issue.message} at ${issue.pointer === '' ? 'the top level' : issue.pointer}`,
        }
      );
    };
  };
}

/** Calls an entry of a realm; a hang is a failure like any other. */
type CallRealm = (id: string, entry: string, text: string) => Promise<RealmOutcome>;

/** Characters of generated code in an image of several groups: its restoration is a part of every check. */
const IMAGE_CHARACTERS = 1 << 16;
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
class SchemaCheckers {
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
    const open = this.#checkers.findLast(({ schemas }) => codeSize(schemas) + codeSize(group) <= IMAGE_CHARACTERS);
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

function codeSize(schemas: ReadonlyMap<string, CompiledSchema>): number {
  return [...schemas.values()].reduce((sum, { code }) => sum + code.length, 0);
}

/** Calls the entry `judgeAll` of the compile realm with a JSON list of schema texts. */
type CallJudge = (texts: string) => Promise<RealmOutcome>;

type WaitingSchema = BatchItem<string, Outcome<void>>;

/** Characters of the schemas of one call: as many as four of the largest schema have. */
const CALL_CHARACTERS = 1 << 18;

/**
 * Has schemas judged: their bounds, keywords and references. Schemas that wait at the same time are judged in a single
 * call. A call that reaches a limit says nothing about any of them, so each is then judged in a call of its own.
 */
class SchemaJudge {
  readonly #call: CallJudge;
  readonly #queue = new BatchQueue<string, Outcome<void>>({
    sizeOf: fittingSchemas,
    work: (schemas) => this.#judgeTogether(schemas),
  });

  constructor(call: CallJudge) {
    this.#call = call;
  }

  /** Judges the canonical text of a schema. Rejects where the realm cannot be reached. */
  judge(text: string): Promise<Outcome<void>> {
    return this.#queue.add(text);
  }

  async #judgeTogether(schemas: readonly WaitingSchema[]): Promise<void> {
    try {
      const outcome = await this.#call(JSON.stringify(schemas.map(({ item }) => item)));
      const judged = judgedFrom(schemas.length, outcome);
      if (judged !== undefined) schemas.forEach((each, at) => each.result.resolve(judged[at] ?? pass(undefined)));
      else if (schemas.length > 1) for (const each of schemas) await this.#judgeTogether([each]);
      else schemas[0]?.result.resolve(notCompiled(outcome.ok ? NO_ANSWER : outcome));
    } catch (error) {
      for (const { result } of schemas) result.reject(error);
    }
  }
}

/** Number of schemas that fit into a call: the first one always does. */
function fittingSchemas(schemas: readonly WaitingSchema[]): number {
  let characters = 0;
  const end = schemas.findIndex(({ item }, at) => (characters += item.length) > CALL_CHARACTERS && at > 0);
  return end < 0 ? schemas.length : end;
}

const NO_ANSWER = { ok: false, kind: 'corrupt', fuel: 0 } as const;

/** Schemas that are remembered. */
const ADMITTED_MAX = 10_000;
/** Characters of generated code. */
const CODE_CHARACTERS_MAX = 1 << 23;

/**
 * Results that depend on the text of a schema alone, by its hash: that it was admitted, and its generated code. Ports
 * of several runtimes may share a memory, because no other state of theirs is in it.
 */
export class SchemaMemory {
  readonly #admitted = new Set<string>();
  readonly #codes = new Map<string, string>();
  #characters = 0;

  isAdmitted(hash: string): boolean {
    return this.#admitted.has(hash);
  }

  admit(hash: string): void {
    if (this.#admitted.size >= ADMITTED_MAX) this.#admitted.clear();
    this.#admitted.add(hash);
  }

  codeOf(hash: string): string | undefined {
    return this.#codes.get(hash);
  }

  /** Keeps the code, and forgets the oldest code where there is no room. */
  keep({ hash, code }: CompiledSchema): void {
    if (this.#codes.has(hash)) return;
    this.#codes.set(hash, code);
    this.#characters += code.length;
    for (const [oldest, { length }] of this.#codes) {
      if (this.#characters <= CODE_CHARACTERS_MAX) return;
      this.#codes.delete(oldest);
      this.#characters -= length;
    }
  }
}
