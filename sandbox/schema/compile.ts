import { type DetailsOf, refuse } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { LintedSchema } from '../../core/schema/lint.ts';
import { NOT_COMPILED } from '../../core/schema/refusals.ts';
import { buildRealm, type RealmSource } from '../build.ts';
import type { Engine } from '../engine.ts';
import type { Realm, RealmLimits, RealmOutcome } from '../realm.ts';

/** Generated code of a schema; runs in check images only. */
export interface CompiledSchema {
  /** Names the schema in check calls. */
  readonly hash: string;
  readonly code: string;
}

/** A schema is compiled once: generous, but no stranger's schema holds a thread for more than seconds. */
export const COMPILE_LIMITS: RealmLimits = {
  fuel: 100_000_000,
  memoryBytes: 64 << 20,
  stackBytes: 400 << 10,
  deadlineMs: 60_000,
};

/**
 * ajv in a realm of its own. It generates code, which is only ever evaluated in QuickJS, and starts each time from the
 * identical heap: a schema cannot influence the next schema.
 */
export class SchemaCompiler {
  readonly realm: Realm;

  /** `script` is `SCHEMA_COMPILER` of `compiler.generated.ts`, which a page loads with the first schema. */
  constructor(engine: Engine, script: string) {
    this.realm = buildRealm(engine, compilerSource(script), COMPILE_LIMITS);
  }

  /** Refuses with `schema_refused`, rule `compile`, a schema that ajv or QuickJS cannot compile within the limits. */
  compile(schema: LintedSchema): Outcome<CompiledSchema> {
    return compiledFrom(schema, this.realm.call('compile', JSON.stringify(schema.plain)));
  }
}

/** Source of a realm that compiles schemas, the same on every thread. */
export function compilerSource(script: string): RealmSource {
  return {
    prelude: { name: 'schema-compiler.js', text: script },
    entries: ['compile', 'admit', 'judgeAll', 'explain'],
  };
}

function compiledFrom({ hash }: LintedSchema, outcome: RealmOutcome): Outcome<CompiledSchema> {
  return outcome.ok ? pass({ hash, code: outcome.text }) : notCompiled(outcome);
}

/** Result of `admit` for the schema with this hash. A realm's output is read as data, also when it is a refusal. */
export function admittedFrom(hash: string, outcome: RealmOutcome): Outcome<CompiledSchema> {
  if (!outcome.ok) return notCompiled(outcome);
  const told = JSON.parse(outcome.text) as JsonObject;
  const { code, details } = told;
  return typeof code === 'string' && !isObject(details) ? pass({ hash, code }) : refusedIn(told);
}

/** Result of `judgeAll` for this number of schemas; undefined where the realm gave none. */
export function judgedFrom(count: number, outcome: RealmOutcome): readonly Outcome<void>[] | undefined {
  const told = outcome.ok ? (JSON.parse(outcome.text) as JsonValue) : undefined;
  if (!Array.isArray(told) || told.length !== count) return undefined;
  return told.map((each: JsonValue) => (isObject(each) ? refusedIn(each) : pass(undefined)));
}

function refusedIn({ code, details, pointer }: JsonObject): Refused {
  const place = { pointer: typeof pointer === 'string' ? pointer : '' };
  return code === 'schema_too_large'
    ? refuse(code, details as unknown as DetailsOf['schema_too_large'], place)
    : refuse('schema_refused', details as unknown as DetailsOf['schema_refused'], place);
}

/** Refusal of a schema for which a realm did not answer. */
export function notCompiled({ kind, error }: RealmOutcome & { readonly ok: false }): Refused {
  const why = kind === 'threw' ? (error?.message ?? 'unknown') : `limit: ${kind}`;
  return refuse('schema_refused', { rule: 'compile', reason: `${NOT_COMPILED} (${why})` }, { pointer: '' });
}
