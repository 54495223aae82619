import type { Payload } from '../../../core/run/effect.ts';
import type { EffectOf } from './call-scope.ts';

/** The result and the reply that a write with a receipt names. The caller of a session needs one of them. */
export function repliesIn({ drafts, payloads }: EffectOf<'append'>): readonly Payload[] {
  const named = new Set<string>();
  for (const { kind, body } of drafts) {
    if (kind === 'observation') named.add(body.payload.sha256);
    if (kind !== 'receipt') continue;
    for (const { result } of body.receipt.actions)
      if ('sha256' in result && typeof result['sha256'] === 'string') named.add(result['sha256']);
  }
  return payloads.filter(({ ref }) => named.has(ref.sha256));
}
