import { refuse } from '../errors.ts';
import { structureHash } from '../hash.ts';
import { canonicalize, canonicalText } from '../json/canonical.ts';
import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { POWER_TIMEOUT_MS } from '../limits.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { FailedCheck } from '../tool-error.ts';
import { BUILT_IN_POWERS } from './built-in-power.ts';
import type { Capability, CapabilityManifest } from './capability.ts';
import { define, notPure, schemaHash } from './define.ts';
import type { Label } from './guard.ts';

/** A power of the embedding page as it is hashed: all of it except the function, which stays with the page. */
export type PowerManifest = Required<
  Pick<CapabilityManifest, 'name' | 'version' | 'description' | 'args' | 'effect' | 'labels'>
> &
  Pick<CapabilityManifest, 'result' | 'held'> & {
    /** An answer that takes longer is not waited for: `power_timeout`. Absent: `POWER_TIMEOUT_MS.default`. */
    readonly timeoutMs?: number;
  };

/** A page's description of a power; labels that are left out follow from its effect. */
export type PowerTerms = Omit<PowerManifest, 'labels'> & Partial<Pick<PowerManifest, 'labels'>>;

/** A power that the page provides. Grants and records name the hash: changed terms are another power. */
export interface Power {
  readonly hash: string;
  readonly manifest: PowerManifest;
  readonly schemas: { readonly args: string; readonly result?: string };
}

/** A tool as the power that guest code calls by the tool's name. Grants and records name the hash of the tool. */
export function toolPower({ hash, manifest, schemas }: Capability): Power {
  const { name, version, description, args, result, effect, labels = [], held, limits } = manifest;
  const own = { ...(result === undefined ? {} : { result }), ...(held === undefined ? {} : { held }) };
  const optional = { ...own, timeoutMs: limits.deadlineMs };
  return { hash, manifest: { name, version, description, args, ...optional, effect, labels }, schemas };
}

/** The powers of a run, found by exact name. */
export interface PowerSet {
  readonly hash: string;
  readonly powers: ReadonlyMap<string, Power>;
  /** Canonical text of all manifests, by name: enough to make a decision again. */
  readonly text: string;
}

/** Answer of a power: JSON text of a stranger, or the error. */
export type PowerAnswer =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      readonly error: { readonly name: string; readonly message: string };
      /** The function returned a value that is not JSON; `name` is the code of the refusal. */
      readonly notJson?: true;
    };

/**
 * Answer of a function of the program. `threw`: it threw an error whose words are not for the model. `check`: the own
 * check of its schema refused the arguments or the result.
 */
export type HostAnswer = (
  | PowerAnswer
  | { readonly ok: false; readonly threw: true }
  | { readonly ok: false; readonly check: FailedCheck }
) & {
  /** Of a tool that no guest has called. */
  readonly told?: { readonly answer?: string; readonly repeated?: string; readonly labels?: readonly Label[] };
};

const MEMBERS: readonly string[] = [
  'name',
  'version',
  'description',
  'args',
  'result',
  'effect',
  'labels',
  'held',
  'timeoutMs',
];
/** Members of the guest's `powers`, four deep at most. */
const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,3}$/;
/** First words of the built-in powers: a power of the page's would stand in their place. */
const TAKEN: ReadonlySet<string> = new Set(BUILT_IN_POWERS.map(firstWord));

/** Makes a power of its terms, copied once like a capability's, or says which member is wrong. */
export function makePower(terms: unknown): Outcome<Power> {
  const text = canonicalize(terms);
  if (!text.ok) return text;
  const given = JSON.parse(text.value) as JsonValue;
  const wrong = isObject(given) ? fault(given) : invalid('', 'a power must be an object');
  if (wrong !== undefined) return wrong;
  // a member that a power shares with a capability is checked by the capability's rules
  const { timeoutMs, ...shared } = given as JsonObject & { readonly timeoutMs?: number };
  const defined = define({ ...shared, source: '' });
  if (!defined.ok) return defined;
  const { name, version, description, args, result, effect, labels = [], held } = defined.value.manifest;
  const own = { ...(result === undefined ? {} : { result }), ...(held === undefined ? {} : { held }) };
  const optional = { ...own, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  const manifest = { name, version, description, args, ...optional, effect, labels };
  const schemas = { args: schemaHash(args), ...(result === undefined ? {} : { result: schemaHash(result) }) };
  return pass({ hash: structureHash('power', canonicalText(manifest)), manifest, schemas });
}

function fault(given: JsonObject): ReturnType<typeof invalid> | undefined {
  const stray = Object.keys(given).find((member) => !MEMBERS.includes(member));
  if (stray !== undefined) return invalid(`/${stray}`, `a power has no member ${stray}`);
  const { name, timeoutMs } = given;
  if (timeoutMs !== undefined && !isTimeout(timeoutMs))
    return invalid('/timeoutMs', `timeoutMs must be an integer from 1 to ${POWER_TIMEOUT_MS.most}`);
  if (typeof name !== 'string' || !NAME.test(name))
    return invalid('/name', 'the name must be one to four words of A-Z a-z 0-9 _ - with dots between');
  return TAKEN.has(firstWord(name)) ? invalid('/name', `the name ${name} is taken by the runtime`) : undefined;
}

/**
 * Refuses with `definition_invalid` a `pure` capability that declares one of these powers, if the power's effect is
 * `write` or `egress`: the capability needs the effect of the power.
 */
export function changingPower(
  { effect, powers }: Pick<CapabilityManifest, 'effect' | 'powers'>,
  provided: readonly Power[],
): ReturnType<typeof refuse> | undefined {
  const changes = provided.find(({ manifest }) => CHANGES.has(manifest.effect) && powers.includes(manifest.name));
  return effect !== 'pure' || changes === undefined
    ? undefined
    : notPure(changes.manifest.name, changes.manifest.effect);
}

const CHANGES: ReadonlySet<string> = new Set(['write', 'egress']);

function firstWord(name: string): string {
  return name.split('.')[0] ?? '';
}

function isTimeout(value: JsonValue): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= POWER_TIMEOUT_MS.most;
}

/** Time limit of a single use of a power, in ms. */
export function timeoutOf({ manifest: { timeoutMs } }: Power): number {
  return timeoutMs ?? POWER_TIMEOUT_MS.default;
}

/** Refuses two powers with the same name, or with a name inside the other's name: each name is a single function. */
export function makePowers(powers: readonly Power[]): Outcome<PowerSet> {
  const sorted = [...powers].sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  const names = sorted.map(({ manifest }) => manifest.name);
  const inside = names.find((name, at) => names.some((other, i) => i !== at && `${name}.`.startsWith(`${other}.`)));
  if (inside !== undefined) return invalid('/name', `the name ${inside} is another power's, or lies inside one`);
  const text = canonicalText(sorted.map(({ manifest }) => manifest));
  const hash = structureHash('power', canonicalText(sorted.map((power) => power.hash)));
  return pass({ hash, powers: new Map(sorted.map((power) => [power.manifest.name, power])), text });
}

function invalid(pointer: string, reason: string): ReturnType<typeof refuse> {
  return refuse('definition_invalid', { reason }, { pointer });
}
