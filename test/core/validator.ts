import { define } from '../../core/capability/define.ts';
import { makeRegistry, type Registry } from '../../core/capability/registry.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { DECODE_LIMITS, type DecodeLimits } from '../../core/limits.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { Dialect } from '../../core/protocol/dialect.ts';
import { read } from '../../core/protocol/parse.ts';
import { rejected, type Verdict, verdictOn } from '../../core/protocol/verdict.ts';
import { checker } from './schemas.ts';

export interface ValidatorOptions {
  readonly dialect: Dialect;
  readonly capabilities: readonly JsonObject[];
  readonly limits?: Partial<DecodeLimits>;
}

/** The function that the vectors test: bytes to a verdict. */
export type Subject = (options: ValidatorOptions) => Promise<{ validate(bytes: Uint8Array): Promise<Verdict> }>;

/** FemtoClaw Protocol 10, steps 1 to 6, by the functions of core; ajv as published answers for the schemas. */
export const core: Subject = async ({ dialect, capabilities, limits }) => {
  const facts = { dialect, registry: registryOf(capabilities), limits: { ...DECODE_LIMITS, ...limits } };
  return {
    validate: async (bytes) => {
      const proposal = read(bytes, facts);
      if (!proposal.ok) return rejected(proposal.refusal);
      const call = 'call' in proposal.value ? proposal.value.call : undefined;
      const issues = call === undefined ? [] : checker(call.capability.manifest.args)(call.call.args);
      return verdictOn(proposal.value, { issues });
    },
  };
};

export function registryOf(definitions: readonly JsonObject[]): Registry {
  return must(makeRegistry(definitions.map((definition) => must(define(definition)))));
}

export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
}
