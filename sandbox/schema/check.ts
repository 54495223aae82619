import type { SchemaVerdict } from '../../core/capability/check.ts';
import type { SchemaIssue } from '../../core/errors/details.ts';
import { isObject, type JsonValue } from '../../core/json/value.ts';
import { buildRealm, type RealmSource } from '../build.ts';
import type { Engine } from '../engine.ts';
import type { Realm, RealmLimits, RealmOutcome } from '../realm.ts';
import type { CompiledSchema } from './compile.ts';

/** Limits of a check. A regular expression gives up after about a quarter of a second, other code after a second. */
export const CHECK_LIMITS: RealmLimits = {
  fuel: 10_000_000,
  memoryBytes: 32 << 20,
  stackBytes: 256 << 10,
  deadlineMs: 10_000,
};

/** The validators of a registry, alone in an image. The image's hash names the code that decided. */
export class SchemaChecker {
  readonly realm: Realm;

  /** `script` is `SCHEMA_CHECKER` of `checker.generated.ts`. */
  constructor(engine: Engine, script: string, schemas: readonly CompiledSchema[]) {
    this.realm = buildRealm(engine, checkerSource(script, schemas), CHECK_LIMITS);
  }

  get imageHash(): string {
    return this.realm.imageHash;
  }

  /** Checks a value against a schema of this registry. Only an empty list of issues is a yes. */
  check(
    hash: string,
    valueText: string,
    limits: Partial<Pick<RealmLimits, 'fuel' | 'deadlineMs'>> = {},
  ): SchemaVerdict {
    return checkedFrom(this.realm.call('check', hash + valueText, limits), limits.fuel);
  }
}

/** Source of a realm with the validators of these schemas, the same on every thread. */
export function checkerSource(script: string, schemas: readonly CompiledSchema[]): RealmSource {
  const scripts = schemas.map(({ hash, code }) => ({
    name: 'schema.js',
    text: `guest.register(${JSON.stringify(hash)}, ${code})`,
  }));
  const seal = { name: 'seal.js', text: 'guest.seal()' };
  const prelude = { name: 'schema-checker.js', text: script };
  return { prelude, entries: ['check', 'checkAll', 'explain'], scripts: [...scripts, seal] };
}

export function checkedFrom(outcome: RealmOutcome, fuelMax?: number): SchemaVerdict {
  if (!outcome.ok) return stopped(outcome, fuelMax);
  const issues = readIssues(outcome.text);
  return issues === undefined ? { failed: 'lost' } : { issues };
}

/** Result of `checkAll` for this number of hashes; undefined where the realm gave no list of issues for each. */
export function checkedAllFrom(count: number, outcome: RealmOutcome): readonly SchemaVerdict[] | undefined {
  const told = outcome.ok ? parse(outcome.text) : undefined;
  if (!Array.isArray(told) || told.length !== count || !told.every(areIssues)) return undefined;
  return told.map((issues: readonly SchemaIssue[]) => ({ issues }));
}

/** The text comes out of a heap that ran code made from a stranger's schema: it is read as data. */
function readIssues(text: string): readonly SchemaIssue[] | undefined {
  const told = parse(text);
  return areIssues(told) ? told : undefined;
}

function areIssues(told: JsonValue | undefined): told is readonly (JsonValue & SchemaIssue)[] {
  return Array.isArray(told) && told.every(isIssue);
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function isIssue(told: JsonValue): told is JsonValue & SchemaIssue {
  return isObject(told) && [told['pointer'], told['keyword'], told['message']].every((one) => typeof one === 'string');
}

/** Failure of a check. A full stack counts as `memory`, and an unexpected end gives no verdict. */
function stopped(
  { kind, fuel }: RealmOutcome & { readonly ok: false },
  fuelMax: number = CHECK_LIMITS.fuel,
): SchemaVerdict {
  if (kind === 'fuel') return { failed: 'fuel', limit: fuelMax, used: fuel };
  if (kind !== 'memory' && kind !== 'stack') return { failed: 'lost' };
  const limit = kind === 'memory' ? CHECK_LIMITS.memoryBytes : CHECK_LIMITS.stackBytes;
  return { failed: 'memory', limit, used: limit };
}
