import type { JsonObject, JsonValue } from '../../../../core/json/value.ts';
import { choice, type Grammar, later, literal, many, matching, nothing, sequence } from './grammar.ts';

/**
 * The grammar of the JSON that a proposal schema permits, without white space and with members in any order. It holds
 * to types, members, constants, patterns and lengths of texts; the bounds of numbers stay with the runtime's check.
 */
export function formOf(schema: JsonObject): Grammar {
  return new Form(schema).value(schema);
}

type Schema = JsonValue | undefined;

class Form {
  private readonly known = new Map<JsonValue, Grammar>();

  private readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  value(schema: Schema): Grammar {
    if (!isObject(schema)) return this.free();
    const known = this.known.get(schema);
    if (known !== undefined) return known;
    // a schema may hold itself by a reference
    this.known.set(
      schema,
      later(() => made),
    );
    const made = this.make(schema);
    this.known.set(schema, made);
    return made;
  }

  private make(schema: JsonObject): Grammar {
    const { const: constant, enum: values, anyOf, oneOf, type, properties, $ref } = schema;
    if (typeof $ref === 'string') return this.value(this.definition($ref));
    if (constant !== undefined) return literal(JSON.stringify(constant));
    if (Array.isArray(values)) return choice(values.map((value) => literal(JSON.stringify(value))));
    const branches = listOf(anyOf ?? oneOf);
    if (branches.length > 0) return choice(branches.map((branch) => this.branch(schema, branch, branches)));
    const types = listOf(type);
    if (types.length > 0) return choice(types.map((name) => this.make({ ...schema, type: name })));
    return this.typed(type ?? (properties === undefined ? undefined : 'object'), schema);
  }

  /** A branch narrows the members that stand beside it: members that only other branches require are left out. */
  private branch(
    { anyOf: _any, oneOf: _one, ...beside }: JsonObject,
    branch: JsonValue,
    all: readonly JsonValue[],
  ): Grammar {
    const { properties } = beside;
    if (!isObject(branch) || !isObject(properties)) return this.value(branch);
    const own = textsOf(branch['required']);
    const others = all.flatMap((other) => (isObject(other) ? textsOf(other['required']) : []));
    const kept = Object.entries(properties).filter(([name]) => own.includes(name) || !others.includes(name));
    const required = [...textsOf(beside['required']), ...own];
    return this.make({ ...beside, properties: Object.fromEntries(kept), required });
  }

  private typed(type: Schema, schema: JsonObject): Grammar {
    if (type === 'object') return this.object(schema);
    if (type === 'array') return this.array(schema);
    if (type === 'string') return text(schema);
    if (type === 'integer' || type === 'number') return number(schema);
    if (type === 'boolean') return choice([literal('true'), literal('false')]);
    return type === 'null' ? literal('null') : this.free();
  }

  private object(schema: JsonObject): Grammar {
    const { properties, additionalProperties } = schema;
    if (!isObject(properties)) return additionalProperties === false ? literal('{}') : this.freeObject();
    const required = new Set(textsOf(schema['required']));
    return sequence([literal('{'), this.members(Object.entries(properties), required, true), literal('}')]);
  }

  /** The members that are left, in any order; the required ones cannot be left out. */
  private members(
    left: readonly (readonly [string, Schema])[],
    required: ReadonlySet<string>,
    first: boolean,
  ): Grammar {
    const one = left.map(([name, schema]) => {
      const others = left.filter(([other]) => other !== name);
      const key = literal(`${first ? '' : ','}${JSON.stringify(name)}:`);
      return sequence([key, this.value(schema), later(() => this.members(others, required, false))]);
    });
    return left.some(([name]) => required.has(name)) ? choice(one) : choice([nothing, ...one]);
  }

  private array({ items, minItems, maxItems }: JsonObject): Grammar {
    const most = countOf(maxItems);
    if (most === 0) return literal('[]');
    const item = this.value(items);
    const least = countOf(minItems) ?? 0;
    const more = many(sequence([literal(','), item]), Math.max(0, least - 1), most === undefined ? most : most - 1);
    const full = sequence([item, more]);
    return sequence([literal('['), least > 0 ? full : choice([nothing, full]), literal(']')]);
  }

  /** Any JSON. */
  private free(): Grammar {
    const list = later(() => this.array({}));
    const object = later(() => this.freeObject());
    const words = ['true', 'false', 'null'].map(literal);
    return choice([quoted(plainText()), number({ type: 'number' }), list, object, ...words]);
  }

  private freeObject(): Grammar {
    const member = sequence([quoted(plainText()), literal(':'), later(() => this.free())]);
    const more = many(sequence([literal(','), member]));
    return sequence([literal('{'), choice([nothing, sequence([member, more])]), literal('}')]);
  }

  private definition(reference: string): Schema {
    const names = reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((name) => name !== '');
    return names.reduce<Schema>((value, name) => (isObject(value) ? value[unescaped(name)] : undefined), this.root);
  }
}

function unescaped(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function isObject(value: Schema): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: Schema): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}

function textsOf(value: Schema): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function countOf(value: Schema): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function text({ pattern, minLength, maxLength }: JsonObject): Grammar {
  const known = typeof pattern === 'string' ? patternGrammar(pattern) : undefined;
  return quoted(known ?? plainText(countOf(minLength), countOf(maxLength)));
}

const digit = matching((character) => character >= '0' && character <= '9');
const nonzero = matching((character) => character >= '1' && character <= '9');

function number({ type, minimum }: JsonObject): Grammar {
  const sign = typeof minimum === 'number' && minimum >= 0 ? nothing : many(literal('-'), 0, 1);
  const whole = choice([literal('0'), sequence([nonzero, many(digit)])]);
  const fraction = many(sequence([literal('.'), many(digit, 1)]), 0, 1);
  return sequence(type === 'integer' ? [sign, whole] : [sign, whole, fraction]);
}

/** Regular expressions of schemas as grammars: characters, classes, groups, choices and counts. */

const DIGIT = /^\d$/;
const CLASSES: ReadonlyMap<string, RegExp> = new Map([
  ['d', DIGIT],
  ['w', /^\w$/],
  ['s', /^ $/],
]);
/** Characters that a string of JSON may hold as they are. */
const isPlain = (character: string): boolean => character >= ' ' && character !== '"' && character !== '\\';

/** The grammar of a whole string that a pattern describes; undefined for a pattern with other parts. */
function patternGrammar(pattern: string): Grammar | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined;
  try {
    const reader = new PatternReader(pattern.slice(1, -1));
    const grammar = reader.choice();
    return reader.ended ? grammar : undefined;
  } catch (error) {
    if (error instanceof UnknownPattern) return undefined;
    throw error;
  }
}

class UnknownPattern extends Error {}

class PatternReader {
  private readonly pattern: string;
  private at = 0;

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get ended(): boolean {
    return this.at === this.pattern.length;
  }

  choice(): Grammar {
    const all = [this.sequence()];
    while (this.took('|')) all.push(this.sequence());
    return choice(all);
  }

  private sequence(): Grammar {
    const all: Grammar[] = [];
    while (!this.ended && this.next !== '|' && this.next !== ')') all.push(this.counted(this.atom()));
    return sequence(all);
  }

  private get next(): string {
    return this.pattern.charAt(this.at);
  }

  private took(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  private atom(): Grammar {
    if (this.took('(')) return this.group();
    if (this.took('[')) return this.set();
    if (this.took('.')) return matching(isPlain);
    const character = this.one();
    return matching(character);
  }

  private group(): Grammar {
    if (!this.took('?:') && this.next === '?') throw new UnknownPattern();
    const inner = this.choice();
    if (!this.took(')')) throw new UnknownPattern();
    return inner;
  }

  /** A character, or a class behind a backslash. */
  private one(): (character: string) => boolean {
    if (this.took('\\')) {
      const escaped = this.taken();
      const known = CLASSES.get(escaped);
      if (known !== undefined) return (character) => known.test(character);
      if (/[A-Za-z0-9]/.test(escaped)) throw new UnknownPattern();
      return (character) => character === escaped;
    }
    if (/[*+?{}^$]/.test(this.next)) throw new UnknownPattern();
    const plain = this.taken();
    return (character) => character === plain;
  }

  private taken(): string {
    const character = this.next;
    if (character === '') throw new UnknownPattern();
    this.at++;
    return character;
  }

  private set(): Grammar {
    const negated = this.took('^');
    const parts: ((character: string) => boolean)[] = [];
    while (!this.took(']')) parts.push(this.range());
    return matching((character) => isPlain(character) && parts.some((holds) => holds(character)) !== negated);
  }

  private range(): (character: string) => boolean {
    const from = this.next;
    if (from === '\\' || this.pattern[this.at + 1] !== '-' || this.pattern[this.at + 2] === ']') return this.one();
    this.at += 2;
    const to = this.taken();
    return (character) => character >= from && character <= to;
  }

  private counted(grammar: Grammar): Grammar {
    const counts = /^(?:\{(\d+)(?:(,)(\d*))?\}|([*+?]))/.exec(this.pattern.slice(this.at));
    if (counts === null) return grammar;
    const [whole, least = '0', comma, most = '', sign] = counts;
    this.at += whole.length;
    if (sign !== undefined) return many(grammar, sign === '+' ? 1 : 0, sign === '?' ? 1 : undefined);
    const from = Number(least);
    return many(grammar, from, comma === undefined ? from : most === '' ? undefined : Number(most));
  }
}

/** A string of JSON with this inside. */
function quoted(inner: Grammar): Grammar {
  const quote = matching((character) => character === '"');
  return sequence([quote, inner, quote]);
}

/** Text of a string without escapes, between two lengths. */
function plainText(least = 0, most?: number): Grammar {
  return most === 0 ? nothing : many(matching(isPlain), least, most);
}
