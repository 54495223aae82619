import {
  defineSymbol,
  exportSymbols,
  importSymbols,
  listSymbols,
  readSymbol,
  type Symbols,
} from '../../../core/content/symbols.ts';
import type { SymbolRow } from '../../../core/content/target.ts';
import { refuse } from '../../../core/errors.ts';
import { encodeText } from '../../../core/json/utf8.ts';
import { isObject, type JsonValue } from '../../../core/json/value.ts';
import { type Outcome, pass } from '../../../core/outcome.ts';
import type { ContentRepository } from './repository.ts';

/** How a service runs work on the committed state: `inTurn` without other changes, `fresh` for reading. */
export interface ContentTurns {
  inTurn<T>(work: () => Promise<Outcome<T>>): Promise<Outcome<T>>;
  fresh<T>(work: () => Outcome<T> | Promise<Outcome<T>>): Promise<Outcome<T>>;
}

/** Calls of the content service about symbols. */
export interface SymbolService {
  defineSymbol(symbol: JsonValue): Promise<Outcome<SymbolRow>>;
  undefineSymbol(symbol_id: string): Promise<Outcome<void>>;
  listSymbols(): Promise<Outcome<readonly SymbolRow[]>>;
  exportSymbols(): Promise<Outcome<string>>;
  importSymbols(text: string): Promise<Outcome<readonly SymbolRow[]>>;
}

/** Calls that define symbols, and list them. A symbol cannot have the name of a capability. */
export function symbolService(
  repository: ContentRepository,
  { inTurn, fresh }: ContentTurns,
  isTool: (name: string) => boolean,
): SymbolService {
  const name = (rows: readonly SymbolRow[]): Promise<Outcome<void>> =>
    repository.put({ symbols: new Map(rows.map((row) => [row.symbol_id, row])) });
  return {
    defineSymbol: (symbol) =>
      inTurn(async () => {
        const row = readSymbol(isObject(symbol) ? symbol : null);
        const defined = row.ok ? defineSymbol(repository.symbols, row.value, repository.corpus, isTool) : row;
        if (!defined.ok) return defined;
        const done = await name([defined.value]);
        return done.ok ? defined : done;
      }),
    undefineSymbol: (symbol) =>
      inTurn(async () => {
        if (!repository.symbols.has(symbol)) return refuse('symbol_unknown', { symbol });
        return repository.put({ symbols: new Map([[symbol, undefined]]) });
      }),
    listSymbols: () => fresh(() => pass(listSymbols(repository.symbols))),
    exportSymbols: () => fresh(() => pass(exportSymbols(repository.symbols))),
    importSymbols: (text) =>
      inTurn(async () => {
        const all = importSymbols(repository.symbols, encodeText(text), repository.corpus, isTool);
        if (!all.ok) return all;
        const rows = newIn(all.value, repository.symbols);
        const done = await name(rows);
        return done.ok ? pass(rows) : done;
      }),
  };
}

function newIn(all: Symbols, before: Symbols): readonly SymbolRow[] {
  return [...all.values()].filter((row) => !before.has(row.symbol_id));
}
