import type { Playground } from '../playground.ts';
import type { GuideFacts } from './steps.ts';

/** Reads the facts of the open run; reading them inside an effect or a view follows them. */
export function guideFacts({ session, selection, chosen }: Playground): GuideFacts {
  const open = session.value;
  const records = open?.records.value ?? [];
  const count = (...kinds: readonly string[]): number => records.filter(({ kind }) => kinds.includes(kind)).length;
  return {
    run: open?.id,
    receipts: count('receipt'),
    answers: count('approval', 'consent'),
    stops: (open?.steps.value ?? []).filter(({ stopped }) => stopped !== undefined).length,
    showsReceipt: selection.tab.value === 'receipt' && selection.record.value !== undefined,
    isModel: chosen.value === 'you',
  };
}
