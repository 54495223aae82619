import type { SchemaVerdict } from '../../capability/check.ts';
import type { JsonValue } from '../../json/value.ts';
import type { RunFacts } from '../state.ts';

/** Results of the precompiled validators; all other validators run outside. */
export function checkHere(
  { precompiled }: RunFacts,
  schemas: readonly string[],
  value: JsonValue,
): Map<string, SchemaVerdict> {
  const results = new Map<string, SchemaVerdict>();
  for (const hash of schemas) {
    const check = precompiled.get(hash);
    if (check !== undefined) results.set(hash, { issues: check(value) });
  }
  return results;
}
