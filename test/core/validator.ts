import { checkArguments } from '../../core/capability/check.ts';
import { bind } from '../../core/capability/registry.ts';
import {
  decode,
  DECODE_LIMITS,
  type DecodeLimits,
  define,
  type Dialect,
  type JsonObject,
  type JsonValue,
  makeRegistry,
  type Outcome,
  type Refusal,
  type Registry,
} from '../../core/index.ts';
import { parse } from '../../core/protocol/parse.ts';
import { checker } from './schemas.ts';

export type Verdict =
  | { readonly accepted: true; readonly kind: 'say'; readonly content: string }
  | {
      readonly accepted: true;
      readonly kind: 'call';
      readonly capability: string;
      readonly version: string;
      readonly capability_hash: string;
      readonly args: JsonValue;
      readonly goal?: string;
    }
  | { readonly accepted: true; readonly kind: 'finish'; readonly message: string }
  | { readonly accepted: true; readonly kind: 'work'; readonly message: unknown }
  | ({ readonly accepted: false } & Refusal);

export interface ValidatorOptions {
  readonly dialect: Dialect;
  readonly capabilities: readonly JsonObject[];
  readonly limits?: Partial<DecodeLimits>;
}

/** What the vectors are about, as DESIGN 11 gives it: bytes to a verdict. */
export type Subject = (options: ValidatorOptions) => Promise<{ validate(bytes: Uint8Array): Promise<Verdict> }>;

/** FemtoClaw Protocol 10, steps 1 to 6, one function of core for each. */
export const core: Subject = async ({ dialect, capabilities, limits }) => {
  const registry = registryOf(capabilities);
  return { validate: async (bytes) => verdictOn(bytes, dialect, registry, { ...DECODE_LIMITS, ...limits }) };
};

export function registryOf(definitions: readonly JsonObject[]): Registry {
  return must(makeRegistry(definitions.map((definition) => must(define({ powers: [], ...definition })))));
}

export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
}

function verdictOn(bytes: Uint8Array, dialect: Dialect, registry: Registry, limits: DecodeLimits): Verdict {
  const value = decode(bytes, limits);
  if (!value.ok) return { accepted: false, ...value.refusal };
  const proposal = parse(dialect, value.value);
  if (!proposal.ok) return { accepted: false, ...proposal.refusal };
  if (proposal.value.kind !== 'call') return { accepted: true, ...proposal.value };
  const { args, goal } = proposal.value;
  const bound = bind(proposal.value, registry);
  if (!bound.ok) return { accepted: false, ...bound.refusal };
  const { hash, manifest } = bound.value.capability;
  const validated = checkArguments(bound.value, { issues: checker(manifest.args)(args) });
  if (!validated.ok) return { accepted: false, ...validated.refusal };
  const said = { capability: manifest.name, version: manifest.version, capability_hash: hash, args };
  return { accepted: true, kind: 'call', ...said, ...(goal === undefined ? {} : { goal }) };
}
