import { isSecret, type Registry } from '../../capability/registry.ts';
import { toolOf } from '../../content/symbols.ts';
import type { Outcome } from '../../outcome.ts';
import type { Read } from '../../protocol/read.ts';

/**
 * Whether a proposal begins a secret step: it calls a capability that marks its arguments or its result as secret, alone
 * or as one operation of a message. Arguments that are refused are secret, too. Where a run has such a capability, a
 * proposal that calls nothing known may have been meant for it: bytes that are refused, a name that nobody has.
 */
export function beginsSecret(registry: Registry, read: Outcome<Read>): boolean {
  if (!registry.hasSecrets) return false;
  if (!read.ok) return true;
  if ('call' in read.value) return isSecret(read.value.call.capability);
  const { last } = read.value;
  if (last.kind !== 'work') return false;
  return last.message.ops.some(({ type, target }) => type === 'EXECUTE' && isSecretOrUnknown(registry, target));
}

function isSecretOrUnknown({ capabilities }: Registry, target: string): boolean {
  const capability = capabilities.get(toolOf(target) ?? '');
  return capability === undefined || isSecret(capability);
}
