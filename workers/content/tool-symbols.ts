import type { Registry } from '../../core/capability/registry.ts';
import { type Symbols, toolSymbol } from '../../core/content/symbols.ts';
import { refuse } from '../../core/errors.ts';
import { type Outcome, pass, type Refused } from '../../core/outcome.ts';
import type { LedgerStore } from '../store/store.ts';

/** True for a symbol in the store: a capability that is registered later cannot take its name. */
export async function isDefined(store: Pick<LedgerStore, 'get'>, symbol: string): Promise<Outcome<boolean>> {
  const row = await store.get('symbols', symbol);
  return row.ok ? pass(row.value !== undefined) : row;
}

/**
 * Refuses with `symbol_twice` a registry in which a capability has the name of a symbol. Another tab may have defined
 * the symbol since, or a program before the resumed run; a message could mean either.
 */
export function nameTwice({ capabilities }: Registry, symbols: Symbols): Refused | undefined {
  const symbol = [...capabilities.keys()].map(toolSymbol).find((each) => symbols.has(each));
  return symbol === undefined ? undefined : refuse('symbol_twice', { symbol });
}
