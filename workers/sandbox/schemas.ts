import type { SchemaVerdict } from '../../core/capability/check.ts';
import { isObject, type JsonObject } from '../../core/json/value.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { schemaText } from '../../core/schema/lint.ts';
import { comparisonOf, isAcceptedHere, type Predicate } from '../../core/schema/predicate.ts';
import { admittedFrom, COMPILE_LIMITS, type CompiledSchema, compilerSource } from '../../sandbox/index.ts';
import type { SchemaPort } from '../ports.ts';
import type { CompileSchema } from './create.ts';
import type { RealmPort } from './pool.ts';
import { type CallRealm, SchemaCheckers } from './schema-checkers.ts';
import { SchemaJudge } from './schema-judge.ts';
import type { SchemaMemory } from './schema-memory.ts';

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
