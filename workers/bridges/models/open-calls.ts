import { isObject, type JsonObject, type JsonValue } from '../../../core/json/value.ts';
import { valueOf } from '../../../core/protocol/call-text.ts';
import { own } from './own.ts';

/** A call of a tool; `args` is the text of the arguments, unchanged. */
export interface ChatCall {
  readonly name: string;
  readonly args: string;
  /** The server's own data about the call, which some servers demand back, for example a thought signature. */
  readonly extra?: JsonObject;
}

interface OpenCall {
  name: string;
  readonly args: string[];
  extra?: JsonObject;
}

/**
 * Joins the pieces of an answer's calls. The call of a piece is found by index and id in constant time: a server may
 * send a million.
 */
export class OpenCalls {
  private readonly all: OpenCall[] = [];
  /** The newest call of each index under its id, and under no id the newest of any id. */
  private readonly newest = new Map<JsonValue | undefined, Map<string | undefined, OpenCall>>();

  /**
   * Adds a piece, and returns what a person who watches is told of it. A piece that names a tool begins a call, unless
   * it repeats or continues the name of the call with its index and id. A piece without a name continues a call.
   * `source`: the text of the piece, so that arguments that came as an object keep their spelling.
   */
  add(piece: JsonValue, source?: string): string {
    const { index, id, function: made, extra_content: extra } = isObject(piece) ? own(piece) : {};
    const { name: told, arguments: given } = isObject(made) ? own(made) : {};
    const name = typeof told === 'string' ? told : '';
    const args = argumentsOf(given, source);
    const key = typeof id === 'string' && id !== '' ? id : undefined;
    const known = this.find(index, key, name);
    const call = known ?? { name: '', args: [] };
    if (name !== call.name) call.name += name;
    call.args.push(args);
    if (extra !== undefined && isObject(extra)) call.extra = extra;
    this.keep(index, key, call, known === undefined);
    return known === undefined ? `${name} ${args}` : args;
  }

  get whole(): readonly ChatCall[] {
    return this.all.map(({ name, args, extra }) => ({ name, args: args.join(''), ...(extra && { extra }) }));
  }

  private find(index: JsonValue | undefined, id: string | undefined, name: string): OpenCall | undefined {
    const calls = this.newest.get(index);
    const same = id === undefined ? undefined : calls?.get(id);
    if (same !== undefined) return same;
    const last = calls?.get(undefined);
    if (last === undefined || name === '') return last;
    // a call without an index is whole in a single piece; another id beside a name is another call
    const isOther = index === undefined || (id !== undefined && last.name !== '');
    const hasBegun = last.name !== name && last.args.some((text) => text !== '');
    return isOther || (hasBegun && last.name !== '') ? undefined : last;
  }

  private keep(index: JsonValue | undefined, id: string | undefined, call: OpenCall, isNew: boolean): void {
    const known = this.newest.get(index) ?? new Map<string | undefined, OpenCall>();
    if (id !== undefined) known.set(id, call);
    if (isNew) {
      known.set(undefined, call);
      this.all.push(call);
    }
    this.newest.set(index, known);
  }
}

/**
 * Text of the arguments. Arguments that came as a value keep the spelling of their source, so that the gate sees a
 * member that is said twice and a number that no double holds.
 */
function argumentsOf(given: JsonValue | undefined, source: string | undefined): string {
  if (given === undefined) return '';
  if (typeof given === 'string') return given;
  const made = source && valueOf(source, 'function');
  return (made && valueOf(made, 'arguments')) ?? JSON.stringify(given);
}

/** The texts of the elements of a well-formed text of an array. */
export function elementsOf(array: string): readonly string[] {
  const elements: string[] = [];
  let [depth, from] = [0, 1];
  for (let at = 0; at < array.length; at++) {
    const c = array[at];
    // to the quote that ends the string
    if (c === '"')
      do at += array[at] === '\\' ? 2 : 1;
      while (at < array.length && array[at] !== '"');
    else if (c === '{' || c === '[') depth++;
    else if (c === '}' || c === ']') depth--;
    if ((depth === 1 && c === ',') || (depth === 0 && c === ']')) {
      elements.push(array.slice(from, at).trim());
      from = at + 1;
    }
  }
  return elements.filter((text) => text !== '');
}
