import { typeText } from '../../../core/capability/code-tool.ts';
import { HELD_READ } from '../../../core/capability/held-read.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import type { JsonObject } from '../../../core/json/value.ts';
import { HANDLES } from '../../../core/run/observe.ts';
import type { ToolRow } from '../../api.ts';

type Described = Pick<ToolRow, 'name' | 'description' | 'args' | 'result'>;

/**
 * A tool of a session that holds, as hosts list it. No host is told the schema of its result: it would check a handle by
 * it. The type stands in the description, so that a model can write `at`.
 */
export function heldTool<R extends Described>(row: R, isForeign = false): R {
  const { result: _, ...own } = row;
  return { ...own, args: lean(row.args), description: described(row, isForeign) } as R;
}

/** A definition that no place refers to only makes a list longer. */
function lean({ $defs, ...args }: JsonObject): JsonObject {
  return $defs === undefined || !canonicalText(args).includes('"$ref":') ? args : { ...args, $defs };
}

function described({ name, description, result }: Described, isForeign: boolean): string {
  if (name === HELD_READ.manifest.name) return `${description}\n\n${HANDLES}`;
  const type = result === undefined ? (isForeign ? CONTENT : undefined) : typeText(result);
  return type === undefined ? description : `${description}\n\nResult: ${type}`;
}

/** Value of a tool of another MCP server that declares no schema of its result. */
const CONTENT =
  '{ readonly content: readonly { readonly type: string; readonly text?: string }[]; readonly structuredContent?: unknown }';
