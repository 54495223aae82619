import type { Outcome } from '../../core/index.ts';

/** The value of an outcome that cannot be a refusal here; what is measured has to be the way that accepts. */
export function must<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
}
