import type { Effect } from '../../../../core/capability/guard.ts';
import type { McpTool } from './api.ts';

const ORDER: readonly Effect[] = ['pure', 'read', 'write', 'egress'];

type Hints = NonNullable<McpTool['annotations']>;

/**
 * The effect of a tool. Hints are a stranger's word, so they only make the program's effect stricter: a tool that says
 * that it changes or destroys is at least `write`, and a tool that says that it reaches the open world is `egress`. With
 * `trustHints`, the hints of a tool that has hints decide.
 */
export function effectOf({ annotations = {} }: McpTool, given: Effect, trustHints: boolean): Effect {
  if (trustHints && annotations.readOnlyHint !== undefined) return trusted(annotations);
  const hinted = strictestHint(annotations);
  return ORDER.indexOf(hinted) > ORDER.indexOf(given) ? hinted : given;
}

function strictestHint({ readOnlyHint, destructiveHint, openWorldHint }: Hints): Effect {
  if (openWorldHint === true) return 'egress';
  return readOnlyHint === false || destructiveHint === true ? 'write' : 'pure';
}

/** The protocol's default for `openWorldHint` is true; a tool that reads is taken at its word. */
function trusted({ readOnlyHint, openWorldHint }: Hints): Effect {
  if (readOnlyHint === true) return openWorldHint === true ? 'egress' : 'read';
  return openWorldHint === false ? 'write' : 'egress';
}
