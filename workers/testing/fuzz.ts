import type { CapabilityDefinition } from '../../core/capability/define.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json/value.ts';
import { CALL_LIMITS } from '../../core/limits.ts';
import { CALLBACK, COUNT, LIST, OBJECT, type OptionTypes, optionsOf } from '../../core/option.ts';
import { openSandboxes } from '../node/platform.ts';
import { type CallOutcome, createSandbox, type GuestPower, type LoadedCapability } from '../sandbox/create.ts';
import { schemaCompiler } from '../sandbox/schemas.ts';
import { randomFrom } from './runtime.ts';

export interface FuzzOptions {
  /** Number of argument sets to try. */
  readonly calls?: number;
  /** The same seed tries the same arguments. */
  readonly seed?: number;
  /** Powers that the capability may call, as functions of the test. */
  readonly powers?: { readonly [name: string]: GuestPower };
  /** Names of errors by which the capability may refuse accepted arguments. */
  readonly mayThrow?: readonly string[];
  /** Further check of every result: throws where it fails. */
  readonly check?: (args: JsonValue, value: JsonValue) => void;
}

export interface FuzzReport {
  readonly calls: number;
  /** Calls whose arguments the schema refused: the capability never saw them. */
  readonly refused: number;
  readonly fuelMax: number;
}

const FUZZ: OptionTypes = { calls: COUNT, seed: COUNT, powers: OBJECT, mayThrow: LIST, check: CALLBACK };

/**
 * Calls a capability in the real sandbox with arguments near its schema: inside, at its edges, and outside of it.
 * Rejects with the first arguments that the schema accepts and for which the capability fails, ends in a limit, gives a
 * result that its own schema refuses, or gives another result the second time.
 *
 * @experimental
 */
export async function fuzzCapability(capability: CapabilityDefinition, given: FuzzOptions = {}): Promise<FuzzReport> {
  const options = optionsOf(given, FUZZ);
  const { calls = 100, seed = 0 } = options;
  const { sandbox: port, schemas } = await openSandboxes();
  const sandbox = createSandbox(port, schemaCompiler(schemas));
  try {
    const loaded = await sandbox.load({ ...capability, limits: { ...CALL_LIMITS, ...capability.limits } });
    const random = randomFrom(seed);
    const cases = Array.from({ length: calls }, () => sample(capability.args, random));
    return await callAll(loaded, cases, options);
  } finally {
    await sandbox.close();
  }
}

async function callAll(loaded: LoadedCapability, cases: readonly JsonValue[], options: FuzzOptions) {
  const given = options.powers === undefined ? {} : { powers: options.powers };
  let refused = 0;
  let fuelMax = 0;
  for (const args of cases) {
    const outcome = await loaded.call(args, given);
    if (!outcome.ok && outcome.kind === 'args') refused++;
    else judge(args, outcome, await loaded.call(args, given), options);
    fuelMax = Math.max(fuelMax, outcome.fuel);
  }
  if (refused < cases.length) return { calls: cases.length, refused, fuelMax };
  throw new Error(`None of ${cases.length} sets of arguments passed the schema: nothing was tested.`);
}

function judge(args: JsonValue, outcome: CallOutcome, again: CallOutcome, options: FuzzOptions): void {
  if (JSON.stringify(outcome) !== JSON.stringify(again))
    throw found('gives another result the second time', args, again);
  if (outcome.ok) return options.check?.(args, outcome.value);
  const permitted = outcome.kind === 'threw' && (options.mayThrow ?? []).includes(outcome.error?.name ?? '');
  if (!permitted) throw found(`ends as ${outcome.kind}`, args, outcome);
}

function found(what: string, args: JsonValue, actual: CallOutcome): Error {
  const said = !actual.ok && actual.error !== undefined ? ` (${actual.error.name}: ${actual.error.message})` : '';
  const error = new Error(`The capability ${what}${said} for ${JSON.stringify(args)}`);
  return Object.assign(error, { name: 'AssertionError', actual, args });
}

type Random = () => number;

/** Values that often break programs, for any schema. */
const NAUGHTY: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  2 ** 53 - 1,
  5e-324,
  '',
  ' ',
  '__proto__',
  'constructor',
  '\u0000',
  '\u202e',
  '\u{1f9ff}',
  "'; --",
  'a'.repeat(4096),
  [],
  {},
  JSON.parse('{"__proto__": {"x": 1}}') as JsonValue,
];

/** A value near a schema: mostly accepted, now and then refused. The validator decides which. */
function sample(schema: JsonValue | undefined, random: Random, root: JsonValue = schema ?? {}): JsonValue {
  if (random() < 0.08) return pick(NAUGHTY, random);
  if (!isObject(schema)) return pick(NAUGHTY, random);
  const chosen = follow(schema, random, root);
  if (chosen['const'] !== undefined) return chosen['const'];
  if (Array.isArray(chosen['enum']) && chosen['enum'].length > 0) return pick(chosen['enum'] as JsonValue[], random);
  return ofType(typeOf(chosen, random), chosen, random, root);
}

/** A branch of the alternatives, or the target of a local `$ref`; a loop of references ends unresolved. */
function follow(schema: JsonObject, random: Random, root: JsonValue, hops = 0): JsonObject {
  const branches = [schema['anyOf'], schema['oneOf']].find(Array.isArray) as JsonValue[] | undefined;
  const next = typeof schema['$ref'] === 'string' ? resolve(schema['$ref'], root) : branches && pick(branches, random);
  return isObject(next) && hops < 8 ? follow({ ...schema, $ref: '', ...next }, random, root, hops + 1) : schema;
}

function resolve(ref: string, root: JsonValue): JsonValue | undefined {
  if (!ref.startsWith('#')) return undefined;
  const names = ref.slice(1).split('/').slice(1);
  return names.reduce<JsonValue | undefined>((at, name) => (isObject(at) ? at[name] : undefined), root);
}

function typeOf(schema: JsonObject, random: Random): JsonValue {
  const { type } = schema;
  if (Array.isArray(type)) return pick(type as JsonValue[], random);
  return type ?? (schema['properties'] === undefined ? 'string' : 'object');
}

function ofType(type: JsonValue, schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  if (type === 'object') return objectOf(schema, random, root);
  if (type === 'array') return arrayOf(schema, random, root);
  if (type === 'integer' || type === 'number') return numberOf(type, schema, random);
  if (type === 'boolean') return random() < 0.5;
  return type === 'null' ? null : textOf(schema, random);
}

function objectOf(schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as JsonValue[]) : []);
  const kept = Object.entries(properties).filter(([name]) => required.has(name) || random() < 0.6);
  return Object.fromEntries(kept.map(([name, inner]) => [name, sample(inner, random, root)]));
}

function arrayOf(schema: JsonObject, random: Random, root: JsonValue): JsonValue {
  const count = between(bound(schema['minItems'], 0), bound(schema['maxItems'], 5), random);
  return Array.from({ length: count }, () => sample(schema['items'] ?? {}, random, root));
}

/** A number for the schema; every second number is an edge, because edges break programs. */
function numberOf(type: string, schema: JsonObject, random: Random): number {
  const low = bound(schema['minimum'], -1000);
  const high = Math.max(low, bound(schema['maximum'], 1000));
  if (random() < 0.5) return pick([low, high], random);
  const number = low + random() * (high - low);
  return type === 'integer' ? Math.round(number) : number;
}

const LETTERS = 'abc XYZ019_-.,\u00e9\u4e2d\n';

function textOf(schema: JsonObject, random: Random): string {
  const length = between(bound(schema['minLength'], 0), bound(schema['maxLength'], 20), random);
  return Array.from({ length }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('');
}

function between(low: number, high: number, random: Random): number {
  // A schema may allow a million; a test case needs at most fifty more than the minimum.
  const top = Math.min(Math.max(low, high), low + 50);
  return low + Math.floor(random() * (top - low + 1));
}

function bound(value: JsonValue | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}
