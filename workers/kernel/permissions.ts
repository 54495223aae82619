import type { Capability } from '../../core/capability/capability.ts';
import type { Grant, Revocation } from '../../core/capability/policy.ts';

/** The enabled capabilities, the grants, and the permissions that were revoked since this kernel began. */
export class Permissions {
  /** Hashes of the enabled capabilities. */
  readonly enabled: Set<string>;
  grants: readonly Grant[] = [];
  readonly #revokedGrants = new Set<string>();
  readonly #revokedCapabilities = new Set<string>();

  constructor(enabled: readonly Capability[]) {
    this.enabled = new Set(enabled.map(({ hash }) => hash));
  }

  enable({ hash }: Capability): void {
    this.enabled.add(hash);
    this.#revokedCapabilities.delete(hash);
  }

  disable({ hash }: Pick<Capability, 'hash'>): Revocation {
    this.enabled.delete(hash);
    return this.#revoke({ grants: [], capabilities: [hash] });
  }

  add(grant: Grant): Grant {
    this.#revokedGrants.delete(grant.id);
    this.grants = [...this.grants, grant];
    return grant;
  }

  revoke(id: string): Revocation {
    this.grants = this.grants.filter((each) => each.id !== id);
    return this.#revoke({ grants: [id], capabilities: [] });
  }

  /** Disables a capability, or withdraws a power, and revokes its grants. */
  forget({ hash }: Pick<Capability, 'hash'>): Revocation {
    this.enabled.delete(hash);
    const held = this.grants.filter(({ capability_hash }) => capability_hash === hash);
    this.grants = this.grants.filter((each) => !held.includes(each));
    return this.#revoke({ grants: held.map(({ id }) => id), capabilities: [hash] });
  }

  /** All revocations that no later grant or `enable` has restored. */
  revoked(): Revocation {
    return { grants: [...this.#revokedGrants], capabilities: [...this.#revokedCapabilities] };
  }

  #revoke(revocation: Revocation): Revocation {
    for (const id of revocation.grants) this.#revokedGrants.add(id);
    for (const hash of revocation.capabilities) this.#revokedCapabilities.add(hash);
    return revocation;
  }
}
