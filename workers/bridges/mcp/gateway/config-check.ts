import { isObject, type JsonObject, type JsonValue, pointerTo } from '../../../../core/json/value.ts';

/** The part of JSON Schema that `CONFIG_SCHEMA` is written in. */
export interface ConfigSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: ConfigSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly ConfigSchema[];
  readonly additionalProperties?: false | ConfigSchema;
  readonly propertyNames?: ConfigSchema;
}

/** A member that a schema does not accept. */
export interface SchemaFault {
  readonly pointer: string;
  readonly message: string;
}

const KINDS: { readonly [type: string]: readonly [string, (value: JsonValue) => boolean] } = {
  object: ['an object', isObject],
  array: ['a list', Array.isArray],
  string: ['a text', (value) => typeof value === 'string'],
  boolean: ['true or false', (value) => typeof value === 'boolean'],
  integer: ['a whole number', Number.isSafeInteger],
};

/**
 * All places where a value breaks a schema. The keywords are those of `CONFIG_SCHEMA`; `oneOf` and `required` without
 * properties are checked by `readConfiguration`, which has a text for them.
 */
export function faultsOf(schema: ConfigSchema, value: JsonValue, pointer = ''): readonly SchemaFault[] {
  const kind = KINDS[schema.type ?? ''];
  if (kind !== undefined && !kind[1](value)) return [{ pointer, message: `Write ${kind[0]} here` }];
  if (schema.enum?.some((each) => each === value) === false)
    return [{ pointer, message: `Write ${listed(schema.enum)} here` }];
  if (typeof value === 'string') return textFaults(schema, value, pointer);
  if (typeof value === 'number' && value < (schema.minimum ?? value))
    return [{ pointer, message: `Write ${schema.minimum} or more here` }];
  if (typeof value === 'number' && value > (schema.maximum ?? value))
    return [{ pointer, message: `Write ${schema.maximum} or less here` }];
  if (isList(value))
    return [
      ...lengthFaults(schema, value, pointer),
      ...value.flatMap((each, at) => inner(schema.items, each, pointerTo(pointer, at))),
    ];
  return isObject(value) ? memberFaults(schema, value, pointer) : [];
}

function lengthFaults(
  { minItems = 0, maxItems = Infinity }: ConfigSchema,
  { length }: readonly JsonValue[],
  pointer: string,
): readonly SchemaFault[] {
  if (length >= minItems && length <= maxItems) return [];
  return [{ pointer, message: `Write ${minItems} to ${maxItems} entries here` }];
}

function textFaults({ minLength = 0, pattern }: ConfigSchema, value: string, pointer: string): readonly SchemaFault[] {
  if (value.length < minLength) return [{ pointer, message: 'Write a text that is not empty here' }];
  if (pattern === undefined || new RegExp(pattern, 'u').test(value)) return [];
  return [{ pointer, message: `Write a text of the form ${pattern} here` }];
}

function memberFaults(schema: ConfigSchema, value: JsonObject, pointer: string): readonly SchemaFault[] {
  const { properties = {}, required = [], additionalProperties: more, propertyNames: names } = schema;
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  const faults = Object.entries(value).flatMap(([name, each]) => {
    const at = pointerTo(pointer, name);
    if (Object.hasOwn(properties, name)) return inner(properties[name], each, at);
    if (more === false) return [{ pointer: at, message: unknown(name, Object.keys(properties)) }];
    return [...(names === undefined ? [] : textFaults(names, name, at)), ...inner(more, each, at)];
  });
  return [...missing.map((name) => ({ pointer, message: `Add the member "${name}" here` })), ...faults];
}

function inner(schema: ConfigSchema | false | undefined, value: JsonValue, pointer: string): readonly SchemaFault[] {
  return schema === undefined || schema === false ? [] : faultsOf(schema, value, pointer);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function unknown(name: string, names: readonly string[]): string {
  return `Remove the member ${JSON.stringify(name)}, or write ${listed(names)}`;
}

function listed(values: readonly JsonValue[]): string {
  return values
    .map((each) => JSON.stringify(each))
    .join(', ')
    .replace(/, (?=[^,]*$)/u, ' or ');
}
