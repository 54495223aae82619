import type { Capability } from '../../core/capability/capability.ts';
import { schemaHash } from '../../core/capability/define.ts';
import { ownArgs, wideArgs } from '../../core/capability/hold.ts';
import type { Power } from '../../core/capability/power.ts';
import { type Code, refuse } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { RunFacts } from '../../core/run/state.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import { NOT_COMPILED } from '../../core/schema/refusals.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { SchemaPort } from '../ports.ts';

/** Has a schema judged, unless it is built in: a validator from the build needs no judgement. */
export async function prepareSchema(
  schemas: SchemaPort,
  schema: JsonObject,
  hash: string = schemaHash(schema),
): Promise<Outcome<void>> {
  if (VALIDATORS.has(hash)) return pass(undefined);
  const registered = await schemas.register(schema).catch(misuseRefusal);
  return registered.ok ? pass(undefined) : registered;
}

/** Turns misuse into a value: of a thrown error only the message would cross to the page. */
export function misuseRefusal(error: unknown): Refused {
  if (!(error instanceof SallyportError)) throw error;
  const { code, message, details } = error;
  return { ok: false, refusal: { class: 'definition', code: code as Code, message, details } };
}

/** The schemas of a capability, or of a power. */
export async function prepareSubject(
  schemas: SchemaPort,
  { manifest: { args, result }, schemas: hashes }: Capability | Power,
): Promise<Outcome<void>> {
  const prepared = await prepareSchema(schemas, args, hashes.args);
  return prepared.ok && result !== undefined ? prepareSchema(schemas, result, hashes.result) : prepared;
}

/**
 * The schemas of arguments in a run that can hold, as far as they are wanted: as they are written with handles, and with
 * their values where the definition has another schema.
 */
export async function prepareHandles(
  schemas: SchemaPort,
  capability: Capability,
  isWanted: (hash: string) => boolean = () => true,
): Promise<Outcome<void>> {
  const all = [wideArgs(capability), ownArgs({ holding: true }, capability)];
  const wanted = all.filter(({ hash }) => hash !== capability.schemas.args && isWanted(hash));
  for (const { schema, hash } of wanted) {
    const prepared = await prepareSchema(schemas, schema, hash);
    if (!prepared.ok) return prepared;
  }
  return pass(undefined);
}

/** Compiles the schemas of a subject that were judged, before their first check. */
export async function compileSubject(
  schemas: SchemaPort,
  { schemas: { args, result = args } }: Capability | Power,
): Promise<Outcome<void>> {
  const uncompiled = [...new Set([args, result])].filter((hash) => !VALIDATORS.has(hash));
  const failed = await schemas.check([], '', uncompiled);
  return failed.size === 0 ? pass(undefined) : refuse('schema_refused', { rule: 'compile', reason: NOT_COMPILED });
}

/**
 * Registers all schemas that a foreign or earlier run is checked by: those of its capabilities, its powers and its
 * grants.
 */
export async function prepareFacts(
  schemas: SchemaPort,
  { registry, policy, powers, holding }: RunFacts,
): Promise<Outcome<void>> {
  for (const subject of [...registry.capabilities.values(), ...(powers?.powers.values() ?? [])]) {
    const prepared = await prepareSubject(schemas, subject);
    if (!prepared.ok) return prepared;
  }
  if (holding)
    for (const capability of registry.capabilities.values()) {
      const prepared = await prepareHandles(schemas, capability);
      if (!prepared.ok) return prepared;
    }
  for (const { where } of policy.grants) {
    const prepared = where === undefined ? pass(undefined) : await prepareSchema(schemas, where);
    if (!prepared.ok) return prepared;
  }
  return pass(undefined);
}
