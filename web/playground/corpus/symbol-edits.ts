import type { SymbolRow } from '../../../core/index.ts';
import type { Content } from '../../../workers/api.ts';
import { corpus } from '../../texts/en/corpus.ts';
import type { CopyReader } from './content-copy.ts';
import type { NoticeLine } from './notice.ts';

/** A person's changes to the table of symbols. */
export interface SymbolEdits {
  define(row: SymbolRow): Promise<boolean>;
  undefine(symbol_id: string): Promise<void>;
  importSymbols(text: string): Promise<void>;
  exportSymbols(): Promise<string | undefined>;
}

export function openSymbolEdits(content: Content, { readSymbols }: CopyReader, notice: NoticeLine): SymbolEdits {
  const { attempt, tell } = notice;

  /** Defines the symbols that have gone since, and forgets the new ones. A symbol that is there keeps its row. */
  const restore = async (before: readonly SymbolRow[]): Promise<void> => {
    const was = new Set(before.map(({ symbol_id }) => symbol_id));
    const now = new Set((await content.symbols()).map(({ symbol_id }) => symbol_id));
    for (const symbol_id of now) if (!was.has(symbol_id)) await content.undefine(symbol_id);
    for (const row of before) if (!now.has(row.symbol_id)) await content.define(row);
    await readSymbols();
  };
  /** Changes symbols, and offers to take the change back. */
  const change = (act: () => Promise<() => string>, undone: () => string): Promise<void> =>
    attempt(async () => {
      const before = await content.symbols();
      const told = await act();
      await readSymbols();
      const undo = (): Promise<void> =>
        attempt(async () => {
          await restore(before);
          tell(undone);
        });
      tell(told, undo);
    });
  return {
    define: async (row) => {
      let isDone = false;
      await change(async () => {
        await content.define(row);
        isDone = true;
        return () => corpus().symbols.defined(row.symbol_id);
      }, restored);
      return isDone;
    },
    undefine: (symbol_id) =>
      change(
        async () => {
          await content.undefine(symbol_id);
          return () => corpus().symbols.forgotten(symbol_id);
        },
        () => corpus().back(symbol_id),
      ),
    importSymbols: (text) =>
      change(async () => {
        const { length } = await content.importSymbols(text);
        return () => corpus().symbols.imported(length);
      }, restored),
    exportSymbols: () => attempt(() => content.exportSymbols()),
  };
}

const restored = (): string => corpus().symbols.restored;
