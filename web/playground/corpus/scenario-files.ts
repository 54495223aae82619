import { SallyportError } from '../../../core/index.ts';
import type { Content } from '../../../workers/api.ts';
import type { PlaygroundScenario } from '../scenario.ts';

export type Papers = Pick<PlaygroundScenario, 'files' | 'symbols'>;

/**
 * Adds a scenario's papers to the content and names their places. A file that is already there stays as it is, changed
 * or not.
 */
export async function addPapers(content: Content, { files, symbols }: Papers): Promise<void> {
  const there = new Set((await content.files()).map(({ path }) => path));
  const missing = Object.entries(files).filter(([path]) => !there.has(path));
  if (missing.length > 0)
    await content.add(missing.map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })));
  const named = new Set((await content.symbols()).map(({ symbol_id }) => symbol_id));
  for (const row of symbols) {
    if (named.has(row.symbol_id)) continue;
    await content.define(row).catch((error: unknown) => {
      // laid out twice at once, here or in another tab: the name is there, which is all that is wanted
      if (!(error instanceof SallyportError) || error.code !== 'symbol_twice') throw error;
    });
  }
}
