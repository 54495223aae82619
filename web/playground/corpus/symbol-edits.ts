import type { SymbolRow } from '../../../core/index.ts';
import type { Content } from '../../../workers/api.ts';
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
  return {
    define: async (row) => {
      const done = await attempt(async () => {
        await content.define(row);
        await readSymbols();
        tell(`${row.symbol_id} is defined.`);
        return true;
      });
      return done === true;
    },
    undefine: (symbol_id) => attempt(() => content.undefine(symbol_id).then(readSymbols)),
    importSymbols: (text) =>
      attempt(async () => {
        const rows = await content.importSymbols(text);
        await readSymbols();
        tell(`${rows.length} symbols were taken in.`);
      }),
    exportSymbols: () => attempt(() => content.exportSymbols()),
  };
}
