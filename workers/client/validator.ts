import type { SchemaVerdict } from '../../core/capability/check.ts';
import { define } from '../../core/capability/define.ts';
import { type Bound, makeRegistry } from '../../core/capability/registry.ts';
import { canonicalText } from '../../core/json/canonical.ts';
import { DECODE_LIMITS, type DecodeLimits } from '../../core/limits.ts';
import {
  assertKinds,
  BYTES,
  COUNT,
  each,
  LIST,
  OBJECT,
  type OptionTypes,
  oneOf,
  optionFault,
  optionsOf,
} from '../../core/option.ts';
import { pass } from '../../core/outcome.ts';
import { DIALECT_VERSIONS, type Dialect } from '../../core/protocol/dialect.ts';
import { read } from '../../core/protocol/parse.ts';
import { rejected, type Verdict, verdictOn } from '../../core/protocol/verdict.ts';
import { unwrap } from '../../core/sallyport-error.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { CapabilityDefinition } from '../api.ts';
import { definedProperties } from '../own-properties.ts';
import type { SchemaPort } from '../ports.ts';

/** The members of a capability that a validator needs. A validator never runs a capability. */
export type ValidatedCapability = Pick<CapabilityDefinition, 'name' | 'version' | 'description' | 'args'> &
  Partial<CapabilityDefinition>;

export interface ValidatorOptions {
  readonly dialect: Dialect;
  readonly capabilities: readonly ValidatedCapability[];
  readonly limits?: Partial<DecodeLimits>;
}

/**
 * FemtoClaw Protocol 10 on its own: turns bytes into a verdict by the given registry and limits. The same bytes give
 * the same verdict, in any order of calls.
 */
export interface Validator {
  validate(bytes: Uint8Array): Promise<Verdict>;
}

const OPTIONS: OptionTypes = { dialect: oneOf(...Object.keys(DIALECT_VERSIONS)), capabilities: LIST, limits: OBJECT };
const GIVEN: OptionTypes = { bytes: BYTES };
const NEEDED = ['bytes'];
const LIMITS: OptionTypes = each(Object.keys(DECODE_LIMITS), COUNT);

/** Rejects with `SallyportError` when a capability or its schema is refused. */
export async function makeValidator(given: ValidatorOptions, schemas: SchemaPort): Promise<Validator> {
  const options = optionsOf(given, OPTIONS, ['dialect', 'capabilities']);
  const limits = definedProperties(options.limits ?? {});
  unwrap(optionFault(limits, LIMITS) ?? pass(undefined));
  const capabilities = options.capabilities.map((each) =>
    unwrap(define({ effect: 'pure', source: '', ...definedProperties(each) })),
  );
  const registry = unwrap(makeRegistry(capabilities));
  for (const { manifest, schemas: hashes } of capabilities) {
    if (!VALIDATORS.has(hashes.args)) unwrap(await schemas.register(manifest.args));
  }
  const facts = { dialect: options.dialect, registry, limits: { ...DECODE_LIMITS, ...limits } };
  return {
    async validate(bytes) {
      assertKinds({ bytes }, GIVEN, NEEDED);
      const outcome = read(bytes, facts);
      if (!outcome.ok) return rejected(outcome.refusal);
      const { value } = outcome;
      return verdictOn(value, 'call' in value ? await check(value.call, schemas) : NOTHING);
    },
  };
}

const NOTHING: SchemaVerdict = { issues: [] };

async function check({ call, capability }: Bound, schemas: SchemaPort): Promise<SchemaVerdict> {
  const precompiled = VALIDATORS.get(capability.schemas.args);
  if (precompiled !== undefined) return { issues: precompiled(call.args) };
  const checked = await schemas.check([capability.schemas.args], canonicalText(call.args));
  return checked.get(capability.schemas.args) ?? { failed: 'lost' };
}
