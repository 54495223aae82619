import type { Registry } from '../../../core/capability/registry.ts';
import { type Symbols, toolSymbol } from '../../../core/content/symbols.ts';
import { refuse } from '../../../core/errors.ts';
import { type Outcome, pass, type Refused } from '../../../core/outcome.ts';
import { type BatchItem, BatchQueue } from '../../async.ts';
import type { LedgerStore } from '../../store/store.ts';

/** Rows of symbols that one read takes: a store with fewer symbols answers for any number of names at once. */
const FEW = 256;

/**
 * Says of a symbol whether the store has it: a capability that is registered later cannot take its name. Names that are
 * asked together share a read.
 */
export function definedSymbols(store: Pick<LedgerStore, 'all' | 'get'>): (symbol: string) => Promise<Outcome<boolean>> {
  const asked = new BatchQueue<string, Outcome<boolean>>({
    sizeOf: (waiting) => waiting.length,
    work: (batch) => answer(store, batch),
  });
  return (symbol) => asked.add(symbol);
}

async function answer(
  store: Pick<LedgerStore, 'all' | 'get'>,
  batch: readonly BatchItem<string, Outcome<boolean>>[],
): Promise<void> {
  try {
    const few = batch.length > 1 ? await store.all('symbols', undefined, FEW) : undefined;
    const names = few?.ok && few.value.length < FEW ? new Set(few.value.map(([key]) => key)) : undefined;
    const said = batch.map(async ({ item }) => (names ? pass(names.has(item)) : isDefined(store, item)));
    (await Promise.all(said)).forEach((outcome, at) => batch[at]?.result.resolve(outcome));
  } catch (error) {
    for (const { result } of batch) result.reject(error);
  }
}

async function isDefined(store: Pick<LedgerStore, 'get'>, symbol: string): Promise<Outcome<boolean>> {
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
