import type { JsonValue } from '../../../../core/index.ts';
import type { CopiedSetup } from '../copied-setup.ts';
import { literalOf, quoted } from '../literal.ts';

/** A member with its value, as a line of an options object. */
function member(name: string, value: unknown): string {
  return `  ${name}: ${literalOf(value as JsonValue, '  ')},\n`;
}

/** The options of `openRuntime` that are data. */
export function authorityLines({ capabilities, grants, hold }: CopiedSetup): string {
  const held = hold === undefined ? '' : member('hold', hold);
  return `${member('capabilities', capabilities)}${member('grants', grants)}${held}`;
}

/** The options of `start`; `model` is a variable. */
export function startLines({ dialect, task, limits, labels = [], proposer }: CopiedSetup): string {
  const model =
    proposer.kind === 'script' ? `  model: fromScript(${literalOf(proposer.script, '  ')}),\n` : '  model,\n';
  const bounds = limits === undefined ? '' : member('limits', limits);
  const begins = labels.length === 0 ? '' : member('labels', labels);
  return `${member('dialect', dialect)}${member('task', task)}${begins}${bounds}${model}`;
}

/** Adds the papers, where a run reads them by messages. */
export function contentLines({ files, symbols }: CopiedSetup): string {
  if (Object.keys(files).length === 0) return '';
  return `
const papers = Object.entries(${literalOf(files)});
const there = new Set((await runtime.content.files()).map(({ path }) => path));
const missing = papers.filter(([path]) => !there.has(path));
const encoder = new TextEncoder();
if (missing.length > 0) await runtime.content.add(missing.map(([path, text]) => ({ path, bytes: encoder.encode(text) })));
const named = new Set((await runtime.content.symbols()).map(({ symbol_id }) => symbol_id));
await Promise.all([
${symbols.map((row) => `  named.has(${literalOf(row.symbol_id)}) || runtime.content.define(${literalOf(row as unknown as JsonValue, '  ')}),\n`).join('')}]);
`;
}

/** A line for each tool that the code cannot hold. */
export function leftLines({ left }: CopiedSetup): string {
  return left
    .map((name) => `// The tool ${quoted(name)} is a function of another program: add it with defineTool.\n`)
    .join('');
}
