import type { Capability } from '../../core/capability/capability.ts';
import { schemaHash } from '../../core/capability/define.ts';
import type { Power } from '../../core/capability/power.ts';
import type { Code } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/value.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { RunFacts } from '../../core/run/state.ts';
import { SallyportError } from '../../core/sallyport-error.ts';
import { VALIDATORS } from '../../core/schema/validators.generated.js';
import type { SchemaPort } from '../ports.ts';

/**
 * Makes a validator for a schema. Built-in schemas have validators from the build; other schemas are checked, then
 * compiled.
 */
export async function prepareSchema(schemas: SchemaPort, schema: JsonObject): Promise<Outcome<void>> {
  if (VALIDATORS.has(schemaHash(schema))) return pass(undefined);
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
export async function prepareSubject(schemas: SchemaPort, { manifest }: Capability | Power): Promise<Outcome<void>> {
  const prepared = await prepareSchema(schemas, manifest.args);
  return prepared.ok && manifest.result !== undefined ? prepareSchema(schemas, manifest.result) : prepared;
}

/**
 * Registers all schemas that a foreign or earlier run is checked by: those of its capabilities, its powers and its
 * grants.
 */
export async function prepareFacts(
  schemas: SchemaPort,
  { registry, policy, powers }: RunFacts,
): Promise<Outcome<void>> {
  for (const subject of [...registry.capabilities.values(), ...(powers?.powers.values() ?? [])]) {
    const prepared = await prepareSubject(schemas, subject);
    if (!prepared.ok) return prepared;
  }
  for (const { where } of policy.grants) {
    const prepared = where === undefined ? pass(undefined) : await prepareSchema(schemas, where);
    if (!prepared.ok) return prepared;
  }
  return pass(undefined);
}
