import { sha256Text } from '../../../../core/hash.ts';
import { canonicalText } from '../../../../core/json/canonical.ts';
import { isObject, type JsonObject, type JsonValue, member, pointerTo } from '../../../../core/json/value.ts';
import { countLookalike } from '../../../../core/text/lookalike.ts';
import { escapeOf, visibleLine } from '../../../../core/text/visible.ts';

/** A tool as its server declares it, with the place that its arguments go to. Every text in it is the server's. */
export interface ServerDefinition {
  /** Name of the server in the configuration. Two servers may have the same origin, with other variables. */
  readonly server: string;
  readonly origin: string;
  /** Name with the prefix, by which pins, grants, settings and calls name the tool. */
  readonly tool: string;
  /** The server's own name. */
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
export function definitionHash({
  origin,
  name,
  declaration,
}: Pick<ServerDefinition, 'origin' | 'name' | 'declaration'>): string {
  return sha256Text(`${PURPOSE}\n${canonicalText({ origin, name, declaration })}`);
}

/**
 * The members that two declarations do not share, each once, in the order of their pointers. Two declarations with
 * different hashes have a row at least.
 */
export function changesBetween(before: JsonObject, after: JsonObject): readonly DefinitionChange[] {
  return [...differences(before, after, '')];
}

function* differences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  pointer: string,
): Iterable<DefinitionChange> {
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const name of names) yield* differences(member(before, name), member(after, name), pointerTo(pointer, name));
  } else if (isList(before) && isList(after)) {
    const length = Math.max(before.length, after.length);
    for (let at = 0; at < length; at++) yield* differences(before[at], after[at], pointerTo(pointer, at));
  } else {
    const [was, is] = [before, after].map((value) => (value === undefined ? undefined : canonicalText(value)));
    if (was !== is) yield { pointer: visibleLine(pointer), ...shownApart(was, is) };
  }
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * JSON texts as lines. Two that read alike are shown with each letter beyond ASCII as its number: an `é` of one character
 * and an `é` of two are the same picture.
 */
function shownApart(before: string | undefined, after: string | undefined): Pick<DefinitionChange, 'before' | 'after'> {
  const isAlike = before?.normalize('NFKC') === after?.normalize('NFKC') || countLookalike(`${before} ${after}`) > 0;
  const shown = (text: string): string => {
    const line = visibleLine(text);
    return isAlike ? line.replace(/[^\x20-\x7e]/gu, escapeOf) : line;
  };
  return {
    ...(before !== undefined && { before: shown(before) }),
    ...(after !== undefined && { after: shown(after) }),
  };
}
