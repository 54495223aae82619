import type { SchemaVerdict } from '../../core/capability/check.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { type Outcome, pass } from '../../core/outcome.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { schemaText } from '../../core/schema/lint.ts';
import {
  admittedFrom,
  CHECK_LIMITS,
  COMPILE_LIMITS,
  type CompiledSchema,
  checkedFrom,
  checkerSource,
  compilerSource,
  type RealmOutcome,
} from '../../sandbox/index.ts';
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
 * Checks run-time schemas in two realms: a compiler, started with the first schema, and a checker with only the
 * compiled validators. The checker is rebuilt for the first check after a new schema.
 */
export function realmSchemas(realms: RealmPort, load: () => Promise<SchemaScripts>): SchemaPort {
  const compiled = new Map<string, CompiledSchema>();
  let loaded: Promise<SchemaScripts> | undefined;
  let compiler: Promise<unknown> | undefined;
  let checker: Promise<string> | undefined;

  // a failed load or build is repeated by the next schema
  const scripts = (): Promise<SchemaScripts> => {
    loaded ??= load();
    loaded.catch(() => (loaded = undefined));
    return loaded;
  };

  async function register(schema: JsonObject): Promise<Outcome<string>> {
    const read = schemaText(schema);
    if (!read.ok) return read;
    const { hash, text } = read.value;
    if (compiled.has(hash)) return pass(hash);
    compiler ??= scripts().then((script) => realms.build(COMPILER, compilerSource(script.compiler), COMPILE_LIMITS));
    compiler.catch(() => (compiler = undefined));
    await compiler;
    const code = admittedFrom(hash, known(await realms.call(COMPILER, 'admit', text)));
    if (!code.ok) return code;
    compiled.set(hash, code.value);
    const old = checker;
    checker = undefined;
    // the next image holds the earlier validators too
    void old?.then((id) => realms.drop(id)).catch(() => undefined);
    return pass(hash);
  }

  async function buildChecker(): Promise<string> {
    const id = `schema-checker:${[...compiled.keys()].join()}`;
    const { checker: script } = await scripts();
    await realms.build(id, checkerSource(script, [...compiled.values()]), CHECK_LIMITS);
    return id;
  }

  /** Checks a value. Without a validator there is no verdict, and the value is not accepted. */
  async function check(hash: string, text: string): Promise<SchemaVerdict> {
    try {
      checker ??= buildChecker();
      return checkedFrom(known(await realms.call(await checker, 'check', hash + text)));
    } catch {
      checker = undefined;
      return { failed: 'lost' };
    }
  }

  return { register, check };
}

/** Turns a hang into a failure: the realm was killed, and its verdict is lost. */
function known(outcome: Awaited<ReturnType<RealmPort['call']>>): RealmOutcome {
  return !outcome.ok && outcome.kind === 'hang' ? { ok: false, kind: 'corrupt', fuel: 0 } : outcome;
}

/**
 * Schema compiler of a standalone sandbox: a refused schema throws, and a wrong value is reported by its first issue.
 */
export function schemaCompiler(schemas: SchemaPort): CompileSchema {
  return async (schema) => {
    const hash = unwrap(await schemas.register(schema));
    return async (text) => {
      const checked = await schemas.check(hash, text);
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
