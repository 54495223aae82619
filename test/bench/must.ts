import type { Outcome } from '../../core/index.ts';

/** The value of an outcome that cannot be a refusal here, since only the accepting way is measured. */
export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
}
