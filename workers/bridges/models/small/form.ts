import type { JsonObject, JsonValue } from '../../../../core/json/value.ts';
import { choice, type Grammar, later, literal, many, matching, nothing, sequence } from './grammar.ts';
import { patternGrammar, plainText, quoted } from './pattern.ts';

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
