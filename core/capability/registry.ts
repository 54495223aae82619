import { refuse } from '../errors.ts';
import { structureHash } from '../hash.ts';
import { canonicalText } from '../json/canonical.ts';
import { type Outcome, pass } from '../outcome.ts';
import type { Proposal } from '../protocol/proposal.ts';
import type { Capability } from './capability.ts';
import type { Effect } from './guard.ts';

/** A frozen set of capabilities, found by exact name. A run holds one snapshot; its hash is in every verdict. */
export interface Registry {
  readonly hash: string;
  readonly capabilities: ReadonlyMap<string, Capability>;
  /** Canonical text of all manifests, by name: enough to make a verdict again. */
  readonly text: string;
  /** True if a capability of the registry marks its arguments or its result as secret. */
  readonly hasSecrets: boolean;
  /** The tools whose effect a person has declared, by name. */
  readonly declared: readonly DeclaredTool[];
}

/** A tool whose effect a person has declared. */
export interface DeclaredTool {
  readonly capability: string;
  readonly capability_hash: string;
  /** Hash of the definition that it was said of, as its source gives it. */
  readonly definition: string;
  readonly effect: Effect;
}

/** A snapshot of these capabilities. Refuses two capabilities with the same name. */
export function makeRegistry(capabilities: readonly Capability[]): Outcome<Registry> {
  const sorted = [...capabilities].sort((a, b) => (a.manifest.name < b.manifest.name ? -1 : 1));
  const byName = new Map(sorted.map((capability) => [capability.manifest.name, capability]));
  const twin = sorted.find((capability) => byName.get(capability.manifest.name) !== capability);
  if (twin !== undefined) return refuse('capability_twice', { name: twin.manifest.name });
  const text = canonicalText(sorted.map(({ manifest }) => manifest));
  const hash = structureHash('registry', canonicalText(sorted.map((capability) => capability.hash)));
  const hasSecrets = sorted.some(isSecret);
  return pass({ hash, capabilities: byName, text, hasSecrets, declared: sorted.flatMap(declaredIn) });
}

function declaredIn({ hash, manifest: { name, effect, host } }: Capability): readonly DeclaredTool[] {
  if (host?.declared === undefined) return [];
  return [{ capability: name, capability_hash: hash, definition: host.declared, effect }];
}

/** True for a capability that marks its arguments or its result as secret: its whole step is. */
export function isSecret({ manifest: { secret = [] } }: Capability): boolean {
  return secret.length > 0;
}

export type Call = Extract<Proposal, { kind: 'call' }>;

/** A call whose capability exists. Made by `bind` alone. */
export interface Bound {
  readonly call: Call;
  readonly capability: Capability;
  readonly [bound]: true;
}
declare const bound: unique symbol;

/**
 * FemtoClaw Protocol 7: the name must equal a registered name, code unit by code unit. Inherited names (`constructor`)
 * are not there, because the registry is a map.
 */
export function bind(call: Call, registry: Registry): Outcome<Bound> {
  const capability = registry.capabilities.get(call.name);
  if (capability !== undefined) return pass({ call, capability } as Bound);
  return refuse('unknown_capability', { name: call.name }, { step: 'capability', pointer: call.at.name });
}
