import {
  type Capability,
  type CapabilityDefinition,
  define,
  type Grant,
  makeGrant,
  makePolicy,
  makeRegistry,
  type Outcome,
  type Policy,
  pass,
  type Refused,
  type Registry,
  refuse,
  SallyportError,
} from '../core/index.ts';
import type { CapabilityRow, GrantOption } from './api.ts';
import type { Ports } from './ports.ts';
import { prepareCapability, prepareSchema } from './prepare.ts';

/** What is registered, enabled and granted: what a run takes a snapshot of when it starts. */
export interface Catalogue {
  register(definition: CapabilityDefinition, enable: boolean): Promise<Outcome<CapabilityRow>>;
  enable(name: string, on: boolean): Outcome<void>;
  /** The name is resolved to the definition registered now; a later one of the same name has no part in it. */
  grant(option: GrantOption): Promise<Outcome<void>>;
  rows(): readonly CapabilityRow[];
  snapshot(guarded: boolean): Outcome<{ readonly registry: Registry; readonly policy: Policy }>;
}

export function makeCatalogue({ schemas, sandbox }: Pick<Ports, 'schemas' | 'sandbox'>): Catalogue {
  const capabilities = new Map<string, Capability>();
  const enabled = new Set<string>();
  const grants: Grant[] = [];

  async function register(definition: CapabilityDefinition, enable: boolean): Promise<Outcome<CapabilityRow>> {
    const defined = define(definition);
    if (!defined.ok) return defined;
    const { hash, manifest } = defined.value;
    if (capabilities.has(manifest.name)) return refuse('capability_twice', { name: manifest.name });
    const prepared = await prepareCapability(schemas, defined.value);
    if (!prepared.ok) return prepared;
    const loaded = await sandbox.load({ hash, ...manifest }).catch(sourceRefused);
    if ('ok' in loaded) return loaded;
    capabilities.set(manifest.name, defined.value);
    if (enable) enabled.add(hash);
    return pass(row(defined.value));
  }

  async function grant(option: GrantOption): Promise<Outcome<void>> {
    const capability = capabilities.get(option.capability);
    if (capability === undefined) return refuse('unknown_capability', { name: option.capability });
    const prepared = option.where === undefined ? pass(undefined) : await prepareSchema(schemas, option.where);
    if (!prepared.ok) return prepared;
    grants.push(makeGrant({ name: capability.manifest.name, hash: capability.hash }, option));
    return pass(undefined);
  }

  function enable(name: string, on: boolean): Outcome<void> {
    const capability = capabilities.get(name);
    if (capability === undefined) return refuse('unknown_capability', { name });
    if (on) enabled.add(capability.hash);
    else enabled.delete(capability.hash);
    return pass(undefined);
  }

  function row({ hash, manifest }: Capability): CapabilityRow {
    const { name, version, description, effect, source, args, result } = manifest;
    const schemas = { args, ...(result === undefined ? {} : { result }) };
    return { name, version, description, effect, hash, enabled: enabled.has(hash), source, ...schemas };
  }

  function snapshot(guarded: boolean): ReturnType<Catalogue['snapshot']> {
    const registry = makeRegistry([...capabilities.values()]);
    return registry.ok ? pass({ registry: registry.value, policy: makePolicy(enabled, grants, guarded) }) : registry;
  }

  return { register, enable, grant, rows: () => [...capabilities.values()].map(row), snapshot };
}

/** A source that cannot be loaded is its author's mistake, and an answer like any other: it has to cross to the page. */
function sourceRefused(error: unknown): Refused {
  if (!(error instanceof SallyportError)) throw error;
  const { code: cause, message, line, column } = error;
  return refuse('source_refused', {
    cause,
    reason: message,
    ...(line === undefined || column === undefined ? {} : { line, column }),
  });
}
