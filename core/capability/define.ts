import { refuse } from '../errors.ts';
import { isHash, structureHash } from '../hash.ts';
import { canonicalize, canonicalText } from '../json/canonical.ts';
import { encodeText } from '../json/utf8.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { CALL_LIMITS, CALL_LIMITS_MOST, CAPABILITY_LIMITS, type CallLimits, TOOL_LIMITS } from '../limits.ts';
import { type Outcome, pass, type Refused } from '../outcome.ts';
import { TOOLS_CALL } from './built-in-power.ts';
import type { Capability, CapabilityManifest } from './capability.ts';
import { defaultLabels, type Effect, LABELS, type Label } from './guard.ts';

/** Beginning of the name that the store of a capability's name has as a source of data. */
export const STORE_SOURCE = 'store:';

/**
 * A capability as a caller gives it; a member that is left out takes the runtime's default, which becomes part of the
 * hash.
 */
export interface CapabilityDefinition extends Omit<CapabilityManifest, 'powers' | 'limits'> {
  readonly powers?: readonly string[];
  readonly limits?: Partial<CallLimits>;
}

const NAME = new RegExp(`^[A-Za-z0-9._-]{1,${CAPABILITY_LIMITS.nameLength}}$`);
const VERSION = /^(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})$/;
const EFFECTS: readonly string[] = ['pure', 'read', 'write', 'egress'];
/** Members that a definition cannot do without, with their forms. */
const NEEDED: ReadonlyMap<string, string> = new Map([
  ['name', `1 to ${CAPABILITY_LIMITS.nameLength} of A-Z a-z 0-9 . _ -`],
  ['version', 'MAJOR.MINOR.PATCH'],
  ['description', 'a text for the model'],
  ['effect', 'pure, read, write or egress'],
]);
const MEMBERS: readonly string[] = [
  'name',
  'version',
  'description',
  'args',
  'result',
  'effect',
  'labels',
  'secret',
  'held',
  'echoes',
  'powers',
  'tools',
  'limits',
  'source',
  'host',
];

/**
 * Makes a capability of a definition, or says which member is wrong. The definition is copied through its canonical
 * text first, so that a getter or a proxy is read once and the checked text is the kept text.
 *
 * @see FemtoClaw 04 5 and 6, FC-SDK 6 and 17
 */
export function define(definition: unknown): Outcome<Capability> {
  const text = canonicalize(definition);
  if (!text.ok) return memberFault(definition) ?? text;
  const given = JSON.parse(text.value) as JsonValue;
  const wrong = isObject(given) ? fault(given) : invalid('', 'a capability must be an object');
  if (wrong !== undefined) return wrong;
  return pass(capability(given as unknown as CapabilityDefinition));
}

/** The member because of which a definition is no data, in words for its author. */
function memberFault(definition: unknown): Refused | undefined {
  for (const [name, value] of Object.entries(Object(definition) as object)) {
    if (typeof value === 'function') return functionFault(name);
    if (value === undefined && NEEDED.has(name))
      return invalid(`/${name}`, `the ${name} is missing: ${NEEDED.get(name)}`);
  }
  return undefined;
}

const RUN_FAULT =
  'it has a `run`: a tool of defineTool belongs into `tools`, and for guest code defineCapability makes a source of `run`';

function functionFault(name: string): Refused {
  if (name === 'source')
    return invalid('/source', 'source must be the text of a module; a function is `run` of defineCapability');
  if (name === 'run') return invalid('', RUN_FAULT);
  if (MEMBERS.includes(name)) return invalid(`/${name}`, `${name} must be data`);
  return invalid(`/${name}`, `a capability has no member ${name}; a function of the program is \`run\` of defineTool`);
}

function capability(given: CapabilityDefinition): Capability {
  const manifest: CapabilityManifest = {
    name: given.name,
    version: given.version,
    description: given.description,
    args: given.args,
    ...(given.result === undefined ? {} : { result: given.result }),
    effect: given.effect,
    labels: [...new Set(given.labels ?? defaultLabels(given.effect))].sort(),
    ...(given.secret === undefined ? {} : { secret: [...new Set(given.secret)].sort() }),
    ...(given.held === undefined ? {} : { held: given.held }),
    ...(given.echoes === undefined ? {} : { echoes: given.echoes }),
    powers: powersOf(given),
    ...(given.tools === undefined ? {} : { tools: [...new Set(given.tools)].sort() }),
    limits: { ...(given.host === undefined ? CALL_LIMITS : TOOL_LIMITS), ...given.limits },
    source: given.source,
    ...(given.host === undefined ? {} : { host: given.host }),
  };
  return { hash: structureHash('capability', canonicalText(manifest)), manifest, schemas: schemaHashes(manifest) };
}

/** The declared powers. A capability that names tools declares the power that calls them. */
function powersOf({ powers = [], tools = [] }: CapabilityDefinition): readonly string[] {
  return [...new Set([...powers, ...(tools.length > 0 ? [TOOLS_CALL] : [])])].sort();
}

function schemaHashes({ args, result }: CapabilityManifest): Capability['schemas'] {
  return { args: schemaHash(args), ...(result === undefined ? {} : { result: schemaHash(result) }) };
}

export function schemaHash(schema: JsonObject): string {
  return structureHash('schema', canonicalText(schema));
}

function fault(given: JsonObject): Refused | undefined {
  const stray = Object.keys(given).find((name) => !MEMBERS.includes(name));
  if (stray !== undefined) return invalid(`/${stray}`, `a capability has no member ${stray}`);
  if (!matches(given['name'], NAME) || given['name'] === '.' || given['name'] === '..')
    return invalid('/name', `the name must be 1 to ${CAPABILITY_LIMITS.nameLength} of A-Z a-z 0-9 . _ -`);
  if (!matches(given['version'], VERSION)) return invalid('/version', 'the version must be MAJOR.MINOR.PATCH');
  if (typeof given['description'] !== 'string') return invalid('/description', 'the description must be a string');
  if (!isObject(given['args'])) return invalid('/args', 'args must be a JSON Schema object');
  if (given['result'] !== undefined && !isObject(given['result']))
    return invalid('/result', 'result must be a JSON Schema object');
  if (!EFFECTS.includes(given['effect'] as string))
    return invalid('/effect', 'the effect must be pure, read, write or egress');
  return (
    wordsFault('labels', given['labels'], LABELS) ??
    wordsFault('secret', given['secret'], ['args', 'result']) ??
    heldFault(given) ??
    namesFault('powers', given['powers']) ??
    namesFault('tools', given['tools']) ??
    toolsFault(given) ??
    hostFault(given) ??
    effectFault(given) ??
    limitsFault(given['limits']) ??
    sourceFault(given['source'])
  );
}

function wordsFault(member: string, words: JsonValue | undefined, known: readonly string[]): Refused | undefined {
  if (words === undefined) return undefined;
  const fits = Array.isArray(words) && words.every((word: JsonValue) => known.includes(word as string));
  return fits ? undefined : invalid(`/${member}`, `${member} must be a list of ${known.join(' and ')}`);
}

function heldFault({ held, echoes, host }: JsonObject): Refused | undefined {
  if (held !== undefined && held !== true && !LABELS.includes(held as Label))
    return invalid('/held', 'held must be true, private or untrusted');
  if (echoes === undefined) return undefined;
  if (echoes !== false) return invalid('/echoes', 'echoes must be false, or be left out');
  return host === undefined ? invalid('/echoes', 'only a tool of the program says that it does not echo') : undefined;
}

function namesFault(member: string, names: JsonValue | undefined): Refused | undefined {
  if (names === undefined) return undefined;
  const named = Array.isArray(names) && names.every((name: JsonValue) => matches(name, NAME));
  return named ? undefined : invalid(`/${member}`, `${member} must be a list of names`);
}

/** A name is a power or a tool: the records of a call name its powers and its tools alike. */
function toolsFault({ effect, powers = [], tools = [] }: JsonObject): Refused | undefined {
  const both = (tools as readonly string[]).find((name) => (powers as readonly string[]).includes(name));
  if (both !== undefined) return invalid('/tools', `the name ${both} is among the powers, too`);
  return effect === 'pure' && (tools as readonly string[]).length > 0 ? notPure(TOOLS_CALL, 'read') : undefined;
}

const HOST_MEMBERS: readonly string[] = ['origin', 'declared', 'revert', 'reverts'];

/** A tool has no guest source, and so no powers and no tools. */
function hostFault({ host, source, powers = [], tools = [] }: JsonObject): Refused | undefined {
  if (host === undefined) return undefined;
  if (!isObject(host)) return invalid('/host', 'host must be an object');
  const stray = Object.keys(host).find((name) => !HOST_MEMBERS.includes(name));
  if (stray !== undefined) return invalid(`/host/${stray}`, `host has no member ${stray}`);
  const { origin, declared, revert, reverts } = host;
  if (revert !== undefined && revert !== true && !isHash(revert))
    return invalid('/host/revert', 'revert must be true or a hash of 64 hex digits, or be left out');
  if (reverts !== undefined && (!isHash(reverts) || revert !== undefined))
    return invalid('/host/reverts', 'reverts must be the hash of a definition, 64 hex digits');
  if (declared !== undefined && !isHash(declared))
    return invalid('/host/declared', 'declared must be the hash of a definition, 64 hex digits');
  if (origin !== undefined && (typeof origin !== 'string' || origin === ''))
    return invalid('/host/origin', 'the origin must be a text that is not empty');
  if (origin?.startsWith(STORE_SOURCE)) return invalid('/host/origin', `no origin begins with ${STORE_SOURCE}`);
  if (source !== '') return invalid('/source', 'a tool of the program has no source');
  const names = [...(powers as readonly string[]), ...(tools as readonly string[])];
  return names.length === 0 ? undefined : invalid('/powers', 'a tool of the program has no powers and no tools');
}

/** A capability that stores values changes state, so its effect must say so to the guard. */
function effectFault({ effect, powers }: JsonObject): Refused | undefined {
  const keeps = Array.isArray(powers) && (powers as readonly JsonValue[]).includes('store.put');
  return keeps && effect === 'pure' ? notPure('store.put', 'write') : undefined;
}

/** Refusal of a `pure` capability that declares a power with the effect `write` or `egress`. */
export function notPure(power: string, effect: Effect): Refused {
  return invalid('/effect', `the effect must be ${effect} for the power ${power}`);
}

function limitsFault(limits: JsonValue | undefined): Refused | undefined {
  if (limits === undefined) return undefined;
  if (!isObject(limits)) return invalid('/limits', 'limits must be an object');
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(CALL_LIMITS, name)) return invalid(`/limits/${name}`, `there is no limit ${name}`);
    const most = CALL_LIMITS_MOST[name as keyof CallLimits];
    if (!Number.isSafeInteger(value) || (value as number) < 0 || (value as number) > most)
      return invalid(`/limits/${name}`, `the limit ${name} must be an integer from 0 to ${most}`);
  }
  return undefined;
}

function sourceFault(source: JsonValue | undefined): Refused | undefined {
  if (typeof source !== 'string') return invalid('/source', 'the source must be the text of an ES module');
  const used = encodeText(source).byteLength;
  const limit = CAPABILITY_LIMITS.sourceBytes;
  return used > limit ? invalid('/source', `the source has ${used} bytes, the limit is ${limit}`) : undefined;
}

function matches(value: JsonValue | undefined, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

function invalid(pointer: string, reason: string): Refused {
  return refuse('definition_invalid', { reason }, { pointer });
}
