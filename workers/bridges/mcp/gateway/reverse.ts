import type { Revert } from '../../../../core/capability/author.ts';
import { valueAt } from '../../../../core/capability/hold.ts';
import type { RevertedCall } from '../../../../core/capability/revert.ts';
import { isObject, type JsonObject, type JsonValue, tokensIn } from '../../../../core/json/value.ts';
import { hasPlace } from '../../../../core/schema/widen.ts';
import { ToolError } from '../../../../core/tool-error.ts';
import type { ToolDefinition } from '../../../api.ts';

/** How a call of a tool is taken back, in the configuration: by a call of another tool of the same server. */
export interface ConfiguredReverse {
  /** Name of that tool, without the prefix of the server. */
  readonly tool: string;
  /** By the places of its arguments, where the values are in `{args, result}` of the call: `{"/id": "/result/id"}`. */
  readonly args: Readonly<Record<string, string>>;
}

/** What is wrong with a `reverse`, as the end of a sentence; undefined where it fits the schemas of both tools. */
export function reverseFault(
  { tool, args }: ConfiguredReverse,
  of: ToolDefinition,
  by: ToolDefinition | undefined,
): string | undefined {
  if (by === undefined) return `its server has no tool ${tool}`;
  const places = Object.keys(args);
  for (const place of places) {
    if (!hasPlace(by.args, place)) return `the arguments of ${tool} have no ${place}`;
    const outer = places.find((other) => other !== place && place.startsWith(`${other}/`));
    if (outer !== undefined) return `${place} is a part of ${outer}, which is given whole`;
  }
  for (const from of Object.values(args)) {
    const [part, ...rest] = tokensIn(from);
    const schema = part === 'args' ? of.args : of.result;
    if (rest.length > 0 && schema !== undefined && !hasPlace(schema, from.slice(`/${part}`.length)))
      return `the tool has no ${from}`;
  }
  const { required } = by.args;
  const missing = (Array.isArray(required) ? (required as readonly JsonValue[]) : []).find(
    (name) => !places.some((place) => tokensIn(place)[0] === name),
  );
  return missing === undefined ? undefined : `${tool} needs the argument ${JSON.stringify(missing)}`;
}

/** Takes a call back by a call of `by`. Other terms make another tool; so does another definition of `by`, if it is given. */
export function reverserOf({ tool, args }: ConfiguredReverse, by: ToolDefinition, definition?: string): Revert {
  return {
    terms: { tool, args, ...(definition !== undefined && { definition }) },
    run: (done: RevertedCall, io) => by.run(reversed(args, done) as never, io),
  };
}

/** The arguments of the call that takes back. Throws `ToolError` where the call has nothing at a pointer. */
function reversed(args: ConfiguredReverse['args'], { args: given, result }: RevertedCall): JsonObject {
  const from: JsonObject = { args: given, result };
  const rows = Object.entries(args).map(([place, pointer]) => {
    const value = valueAt(from, pointer);
    if (value === undefined)
      throw new ToolError('nothing_there', `The call that is taken back has nothing at ${pointer}`);
    return [tokensIn(place), value] as const;
  });
  const made = placed(rows);
  return isObject(made) ? made : {};
}

/** The value with these values at these places: a token is the name of a member. */
function placed(rows: readonly (readonly [readonly string[], JsonValue])[]): JsonValue {
  const [only] = rows;
  if (only?.[0].length === 0) return only[1];
  const names = new Set(rows.map(([[name = '']]) => name));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      placed(rows.flatMap(([[first, ...rest], value]) => (first === name ? [[rest, value] as const] : []))),
    ]),
  );
}
