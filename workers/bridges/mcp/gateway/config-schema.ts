import { AUTHOR_TERM_NAMES, GRANT_TERMS } from '../../../../core/capability/grant-terms.ts';
import { isObject, type JsonObject, type JsonValue, pointerTo } from '../../../../core/json/value.ts';
import { RUN_LIMIT_ROWS } from '../../../../core/limits.ts';

const EFFECT = { enum: ['pure', 'read', 'write', 'egress'] } as const;
const LABELS = { type: 'array', items: { enum: ['private', 'untrusted'] } } as const;
const HOLD = { enum: ['untrusted', 'private', 'all'] } as const;
const TEXT = { type: 'string', minLength: 1 } as const;
const TEXTS = { type: 'object', additionalProperties: { type: 'string' } } as const;
const COUNT = { type: 'integer', minimum: 1 } as const;
const FLAG = { type: 'boolean' } as const;

const TOOL = {
  type: 'object',
  description: 'Terms of a single tool. They replace the terms of its server.',
  additionalProperties: false,
  properties: {
    effect: { ...EFFECT, description: 'What a call may do to the world.' },
    labels: { ...LABELS, description: 'Marks of the data that a call returns.' },
    hold: {
      ...HOLD,
      description:
        'Results of the tool that no model reads: all, or those that its labels say this of. It adds to what its server and the whole hold.',
    },
    enabled: { ...FLAG, description: 'False: the tool is not offered.' },
    reverse: {
      type: 'object',
      description: 'How a call is taken back: by a call of another tool of the same server.',
      additionalProperties: false,
      required: ['tool', 'args'],
      properties: {
        tool: { ...TEXT, description: 'Name of that tool, without the prefix. It may be one that is not offered.' },
        args: {
          type: 'object',
          description:
            'By the places of its arguments, where their values are in the call, as JSON pointers: {"/id": "/result/id", "/path": "/args/path"}.',
          propertyNames: { pattern: '^(/([^~/]|~[01])+)+$' },
          additionalProperties: { type: 'string', pattern: '^/(args|result)(/([^~/]|~[01])*)*$' },
        },
      },
    },
  },
} as const;

const SERVER = {
  type: 'object',
  description: 'A server, as hosts configure it, with the terms of its tools.',
  additionalProperties: false,
  oneOf: [{ required: ['command'] }, { required: ['url'] }],
  properties: {
    type: { enum: ['stdio', 'http', 'streamable-http'], description: 'Taken for hosts that write it.' },
    command: { ...TEXT, description: 'Program of a server that is a child process.' },
    args: { type: 'array', items: { type: 'string' } },
    cwd: TEXT,
    env: { ...TEXTS, description: 'Variables of the child. A value names a key as ${NAME}.' },
    url: { type: 'string', pattern: '^https?://', description: 'Address of a server behind streamable HTTP.' },
    headers: { ...TEXTS, description: 'Headers of each request. A value names a key as ${NAME}.' },
    disabled: { ...FLAG, description: 'True: the server is not started.' },
    prefix: {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{0,32}$',
      description:
        'Word before the names of its tools; absent: the name of the server. Empty, for a server that is alone: hosts see the names without a word, and grants name the server.',
    },
    effect: { ...EFFECT, description: 'Effect of its tools; absent: egress.' },
    labels: { ...LABELS, description: 'Labels of its tools; absent: private and untrusted.' },
    hold: { ...HOLD, description: 'Results of its tools that no model reads: all, or those with this label.' },
    trustHints: { ...FLAG, description: 'True: the hints of the server decide about the effects of its tools.' },
    timeoutMs: COUNT,
    numbers: { enum: ['text'], description: 'text: numbers of its answers that no double holds are taken as texts.' },
    instructions: { ...FLAG, description: 'True: its instructions are passed on to hosts, marked as its own words.' },
    resources: { ...FLAG, description: 'True: tools list and read its resources.' },
    prompts: { ...FLAG, description: 'True: tools list and read its prompts.' },
    tools: {
      type: 'object',
      description: 'Terms by the name of a tool, without its prefix.',
      additionalProperties: TOOL,
    },
  },
} as const;

/** The caller of a session proposes: limits of the requests to a model do not concern it. */
const CALLER_LIMITS = Object.entries(RUN_LIMIT_ROWS).flatMap(([name, { caller }]) => (caller ? [name] : []));

/** Words for terms that are written otherwise here. */
const GATEWAY_WORDS: { readonly [name: string]: string } = {
  for: 'Subjects of the issuer in "auth" that the grant is for. Absent: everybody.',
};

const GRANT = {
  type: 'object',
  description: 'A standing answer about a tool.',
  additionalProperties: false,
  required: ['tool', 'mode'],
  properties: {
    tool: { ...TEXT, description: 'Name of the tool with its prefix, for example files.read_file.' },
    ...Object.fromEntries(
      AUTHOR_TERM_NAMES.flatMap((name) => {
        const { schema } = GRANT_TERMS[name].written;
        const description = GATEWAY_WORDS[name];
        return schema === undefined ? [] : [[name, { ...schema, ...(description && { description }) }]];
      }),
    ),
    definition: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'Hash of the definition that the grant is for. Absent: the pinned definition.',
    },
  },
} as const;

const DECLARED = {
  type: 'object',
  description: 'What a tool does, in the words of a person who knows it. Remove the entry to take it back.',
  additionalProperties: false,
  required: ['tool', 'effect', 'definition'],
  properties: {
    tool: { ...TEXT, description: 'Name of the tool with its prefix.' },
    effect: { ...EFFECT, description: 'What a call may do to the world. A stricter hint of the server counts.' },
    definition: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'Hash of the definition that it is said of.',
    },
  },
} as const;

/** The configuration of `sallyport mcp` as a JSON Schema, published as `sallyport/mcp.schema.json`. */
export const CONFIG_SCHEMA: ConfigSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Configuration of sallyport mcp',
  type: 'object',
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    mcpServers: {
      type: 'object',
      description: 'The servers behind the gate, by name.',
      propertyNames: { pattern: '^[A-Za-z0-9 ._-]{1,64}$' },
      additionalProperties: SERVER,
    },
    grants: { type: 'array', items: GRANT },
    effects: { type: 'array', items: DECLARED },
    limits: {
      type: 'object',
      description: 'Limits of a run.',
      additionalProperties: false,
      properties: Object.fromEntries(CALLER_LIMITS.map((name) => [name, COUNT])),
    },
    hold: {
      ...HOLD,
      description: 'Results that no model reads, of every server: all, or those with this label. A model gets handles.',
    },
    notify: {
      type: 'object',
      description: 'A message about each open question, by Standard Webhooks: no arguments, labels, path or token.',
      additionalProperties: false,
      required: ['url', 'secret'],
      properties: {
        url: { ...TEXT, description: 'Address of https, or of this machine. It may name a key as ${NAME}.' },
        secret: { ...TEXT, description: 'whsec_ and 24 to 64 bytes in base64, or ${NAME}. It signs each message.' },
      },
    },
    guard: { ...FLAG, description: 'False: the guard for private and untrusted content is off.' },
    auth: {
      type: 'object',
      description: 'With --http: access tokens of an issuer, in the place of the token. Each person has a session.',
      additionalProperties: false,
      required: ['issuer', 'audience'],
      properties: {
        issuer: { ...TEXT, description: 'Exact "iss" of the tokens: an address whose metadata name the keys.' },
        audience: { ...TEXT, description: 'Exact "aud" of the tokens: the address as its clients write it.' },
        labels: { enum: ['fresh'], description: 'fresh: labels of a person’s runs before do not count in a new one.' },
      },
    },
  },
};

/** The part of JSON Schema that `CONFIG_SCHEMA` is written in. */
interface ConfigSchema {
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
interface SchemaFault {
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
