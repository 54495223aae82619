import { sha256Text } from '../../../core/hash.ts';
import { canonicalText } from '../../../core/json/canonical.ts';
import { type JsonObject, type JsonValue, pointerTo } from '../../../core/json/value.ts';
import { visibleLine } from '../../../core/text/visible.ts';

/** A tool as its server declares it, with the place that its arguments go to. Every text in it is the server's. */
export interface ServerDefinition {
  /** Name of the server in the configuration. Two servers may have the same origin, with other variables. */
  readonly server: string;
  readonly origin: string;
  readonly name: string;
  readonly declaration: JsonObject;
}

/** A member that differs between two declarations. Texts are visible lines; an absent side has no such member. */
export interface DefinitionChange {
  readonly pointer: string;
  readonly before?: string;
  readonly after?: string;
}

const PURPOSE = 'sallyport-mcp-definition';

/** Hash by which a definition is pinned, and by which a grant of the configuration names it. */
export function definitionHash({ origin, name, declaration }: Omit<ServerDefinition, 'server'>): string {
  return sha256Text(`${PURPOSE}\n${canonicalText({ origin, name, declaration })}`);
}

/** The members that two declarations do not share, in the order of their pointers. */
export function changesBetween(before: JsonObject, after: JsonObject): readonly DefinitionChange[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  const pointers = [...new Set([...old.keys(), ...now.keys()])].sort();
  return pointers
    .filter((pointer) => old.get(pointer) !== now.get(pointer))
    .map((pointer) => {
      const [was, is] = [old.get(pointer), now.get(pointer)];
      return { pointer, ...(was !== undefined && { before: was }), ...(is !== undefined && { after: is }) };
    });
}

/** The values that hold no other value, by their visible pointers. A text is quoted, so that its blanks are seen. */
function leavesOf(value: JsonValue, pointer = '', leaves: Map<string, string> = new Map()): Map<string, string> {
  const members = typeof value === 'object' && value !== null ? Object.entries<JsonValue>(value as JsonObject) : [];
  for (const [name, each] of members) leavesOf(each, pointerTo(pointer, name), leaves);
  if (members.length === 0) leaves.set(visibleLine(pointer), visibleLine(JSON.stringify(value)));
  return leaves;
}
