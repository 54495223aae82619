import { CALL_LIMITS, CAPABILITY_LIMITS, type CallLimits } from '../core/limits.ts';
import { misuse } from '../core/sallyport-error.ts';
import { adoptRealm, buildRealm, type RealmSource, type Script } from './build.ts';
import { type Aside, SandboxCall } from './call.ts';
import type { Engine } from './engine.ts';
import { type CallInput, type ParkedCall, unbegun } from './park.ts';
import { ENTRIES, PRELUDE, SOURCE_FILE } from './prelude.ts';
import type { Realm } from './realm.ts';
import type { GivenImage } from './stored-image.ts';

/** The members of a capability that the sandbox needs. */
export interface GuestSource {
  readonly name: string;
  readonly source: string;
  readonly powers?: readonly string[];
  readonly limits?: Partial<CallLimits>;
}

/** A capability with its image: calls start from it, each on an identical heap. */
export class CapabilityRealm {
  readonly name: string;
  readonly limits: CallLimits;
  readonly powers: readonly string[];
  readonly realm: Realm;

  constructor(source: GuestSource, limits: CallLimits, realm: Realm) {
    this.name = source.name;
    this.powers = source.powers ?? [];
    this.limits = limits;
    this.realm = realm;
  }

  get imageHash(): string {
    return this.realm.imageHash;
  }

  /** A call that has not begun. Calls that wait do not stand in each other's way: each has a heap of its own. */
  prepare(input: CallInput, aside?: Aside): SandboxCall {
    return new SandboxCall(this.realm, this.powers, unbegun(this.limits, input), aside);
  }

  /** Goes on with a call that was parked; throws `image_refused` unless it matches the digest. */
  unpark(parked: ParkedCall, digest: string, aside?: Aside): SandboxCall {
    return SandboxCall.unpark(this.realm, this.powers, parked, digest, aside);
  }
}

/** Loads a capability whose image was kept, without running its source. Throws `image_refused`. */
export function adoptCapability(engine: Engine, source: GuestSource, image: GivenImage): CapabilityRealm {
  const limits = { ...CALL_LIMITS, ...source.limits };
  return new CapabilityRealm(source, limits, adoptRealm(engine, realmSource(source, limits), limits, image));
}

/** Loads a capability. Throws a `SallyportError` when its source, a name or a limit is not acceptable. */
export function loadCapability(engine: Engine, source: GuestSource): CapabilityRealm {
  const limits = { ...CALL_LIMITS, ...source.limits };
  checkSource(source);
  return new CapabilityRealm(source, limits, buildRealm(engine, realmSource(source, limits), limits));
}

/** What a capability's realm starts from, before anything of the capability. */
export const BARE: RealmSource = { prelude: { name: 'prelude.js', text: PRELUDE }, entries: ENTRIES };

export function realmSource(
  { source, powers = [] }: GuestSource,
  { powerCalls, consoleBytes }: CallLimits,
): RealmSource & { readonly module: Script } {
  const told = { powers, powerCalls, consoleBytes };
  const setup = [{ entry: 'setup', text: JSON.stringify(told) }];
  return { ...BARE, setup, module: { name: SOURCE_FILE, text: source } };
}

const NAME = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3}$/;

/** Throws where the length of a source or the name of a power is not acceptable. */
export function checkSource({ source, powers = [] }: GuestSource): void {
  const used = new TextEncoder().encode(source).length;
  const limit = CAPABILITY_LIMITS.sourceBytes;
  if (used > limit) throw misuse('source_too_long', { limit, used });
  for (const name of powers) if (!NAME.test(name)) throw misuse('name_invalid', { name });
}
