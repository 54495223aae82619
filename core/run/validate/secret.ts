import { isSecret, type Registry } from '../../capability/registry.ts';
import { toolOf } from '../../content/symbols.ts';
import type { Outcome } from '../../outcome.ts';
import type { Read } from '../../protocol/read.ts';

/**
 * Whether a proposal begins a secret step: it calls a capability that marks its arguments or its result as secret,
 * alone or as an operation of a message. Rejected arguments are secret, too. If a run has a capability of this kind, a
 * proposal with undecodable bytes or an unknown name may have been meant for it, and is also secret.
 */
export function beginsSecret(registry: Registry, read: Outcome<Read>): boolean {
  if (!registry.hasSecrets) return false;
  if (!read.ok) return true;
  if (read.value.kind === 'call') return isSecret(read.value.call.capability);
  if (read.value.kind !== 'work') return false;
  return read.value.message.ops.some(({ type, target }) => type === 'EXECUTE' && isSecretOrUnknown(registry, target));
}

function isSecretOrUnknown({ capabilities }: Registry, target: string): boolean {
  const capability = capabilities.get(toolOf(target) ?? '');
  return capability === undefined || isSecret(capability);
}
