import { isObject, type JsonObject, type JsonValue, tokensIn } from '../json/value.ts';
import { demand, type OptionType, type OptionTypes, optionsOf, TEXT } from '../option.ts';
import { refusalError } from '../sallyport-error.ts';
import { decodeFragment } from '../schema/fragment.ts';
import { visibleText } from '../text/visible.ts';
import type { CapabilityManifest } from './capability.ts';
import { type CapabilityDefinition, define } from './define.ts';
import type { Effect } from './guard.ts';

/** A tool as a program sees it. */
type ProgramTool = Pick<CapabilityManifest, 'name' | 'description' | 'args' | 'result'> & { readonly effect: Effect };

export interface CodeToolOptions {
  readonly name: string;
  /** Tools that a program may call: definitions, or rows of `runtime.capabilities.list()`. */
  readonly tools: readonly ProgramTool[];
  /** Sentence about the purpose, in front of the declarations. */
  readonly description?: string;
  readonly version?: string;
}

const TOOLS: OptionType = [
  'a list of definitions of tools, not of names',
  (value) => Array.isArray(value) && value.every((each) => isObject(each) && typeof each['name'] === 'string'),
];
const OPTIONS: OptionTypes = { name: TEXT, tools: TOOLS, description: TEXT, version: TEXT };

/** UTF-16 units of a program. */
const PROGRAM_UNITS = 65_536;

/**
 * A capability through which a model sends a program instead of a single call. The program is the body of an async
 * function. It runs on a fresh heap in the sandbox, and calls the tools as `await tools.fs.read({ path: 'a' })`. Each
 * call inside it passes the gate of its tool: schema, grant, guard, question, record. A program waits outside of the
 * sandbox while a person decides. Its description holds TypeScript declarations of the tools, made from their schemas.
 * Throws `SallyportError`: `option_invalid`, `definition_invalid`.
 *
 * @example defineCodeTool({ name: 'program', tools: [readFile, listFolder] })
 */
export function defineCodeTool(options: CodeToolOptions): CapabilityDefinition {
  const { name, tools, description, version = '1.0.0' } = optionsOf(options, OPTIONS, ['name', 'tools']);
  const definition: CapabilityDefinition = {
    name,
    version,
    description: [description ?? 'Runs a program.', GUIDE, declarationsOf(tools)].join('\n\n'),
    args: {
      type: 'object',
      properties: {
        program: { type: 'string', maxLength: PROGRAM_UNITS, description: 'Body of an async JavaScript function.' },
      },
      required: ['program'],
      additionalProperties: false,
    },
    // each call inside has the effect and the labels of its tool
    effect: 'read',
    labels: [],
    tools: tools.map((tool) => tool.name),
    source: sourceFor(tools.map((tool) => tool.name)),
  };
  const made = define(definition);
  if (!made.ok) throw refusalError(made.refusal);
  return definition;
}

/**
 * The arguments of a code tool in a run that can hold: its program computes on values that the model has not read, as
 * `values.name`. Undefined for another capability, which is told by its source.
 */
export function argsWithValues({ args, tools, source }: CapabilityManifest): JsonObject | undefined {
  if (tools === undefined || source !== sourceFor(tools) || !isObject(args['properties'])) return undefined;
  return { ...args, properties: { ...args['properties'], values: VALUES } };
}

const VALUES: JsonObject = {
  type: 'object',
  description: 'Values by name, as handles: in the program {"mail":{"$held":"h12"}} is the constant values.mail.',
};

const GUIDE =
  'The program is the body of an async JavaScript function and returns a JSON value. It calls the tools of the object `tools`, and nothing else is there: no network, no files, no timers. A refused call throws an error whose name is the code.';

/** TypeScript declarations of the object `tools`. Throws `option_invalid` for a list of other values. */
export function declarationsOf(tools: readonly ProgramTool[]): string {
  demand('tools', tools, TOOLS);
  const aliases = new Map<string, string>();
  const tree = treeOf(tools.map((tool) => tool.name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const take = (schema: JsonObject | undefined, prefix: string): string => {
    if (schema === undefined) return 'unknown';
    const text = typeOf(schema, prefix);
    for (const [alias, type] of text.aliases) aliases.set(alias, type);
    return text.type;
  };
  const write = ({ tool, members }: ToolTree): string => {
    const known = tool === undefined ? undefined : byName.get(tool);
    const prefix = `T${[...byName.keys()].indexOf(tool ?? '')}`;
    const call = known && `((args: ${take(known.args, `${prefix}A`)}) => Promise<${take(known.result, `${prefix}R`)}>)`;
    const inner = [...members].map(([part, below]) => {
      const described = below.tool === undefined ? undefined : byName.get(below.tool)?.description;
      return `${comment(described ?? '')}readonly ${memberName(part)}: ${write(below)};`;
    });
    return [call, inner.length > 0 ? `{ ${inner.join(' ')} }` : undefined].filter(Boolean).join(' & ') || '{}';
  };
  const object = `declare const tools: ${write(tree)};`;
  // within a literal of a type, an escape is the same character
  return visibleText([...[...aliases].map(([alias, type]) => `type ${alias} = ${type};`), object].join('\n'));
}

/** The type of the values of a schema, for a description of a tool whose result no caller reads. */
export function typeText(schema: JsonObject): string {
  const { type, aliases } = typeOf(schema, 'T');
  return visibleText([type, ...[...aliases].map(([alias, meant]) => `type ${alias} = ${meant}`)].join('; '));
}

/** Names with dots as a tree. A name may be a tool and the beginning of another name. */
interface ToolTree {
  tool?: string;
  readonly members: Map<string, ToolTree>;
}

function treeOf(names: readonly string[]): ToolTree {
  const root: ToolTree = { members: new Map() };
  for (const name of names) {
    let at = root;
    for (const part of name.split('.')) {
      const below: ToolTree = at.members.get(part) ?? { members: new Map() };
      at.members.set(part, below);
      at = below;
    }
    at.tool = name;
  }
  return root;
}

/** Guest source that builds the object `tools` and runs the program with it. */
function sourceFor(names: readonly string[]): string {
  return `const Program = (async () => {}).constructor;
const NAMES = ${JSON.stringify([...names].sort())};
const put = (at, key, value) => {
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
};
const own = (at, key) => (Object.hasOwn(at, key) ? at[key] : undefined);
export default async ({ program, values }, powers) => {
  const tools = Object.create(null);
  for (const name of NAMES) {
    const parts = name.split('.');
    const last = parts.pop();
    let at = tools;
    for (const part of parts) at = own(at, part) ?? put(at, part, Object.create(null));
    const below = own(at, last) ?? {};
    const call = put(at, last, (args = {}) => powers.tools.call(name, args));
    for (const key of Object.keys(below)) put(call, key, below[key]);
  }
  const run = values === undefined ? new Program('tools', program) : new Program('tools', 'values', program);
  return (await run(tools, values)) ?? null;
};
`;
}

/** A TypeScript type for the values of a schema, and the aliases that its references need. */
interface TypeText {
  readonly type: string;
  /** Declarations by name, for example `A_Node` to `{ next?: A_Node }`. */
  readonly aliases: ReadonlyMap<string, string>;
}

/**
 * Writes the values of a JSON Schema as a TypeScript type. Each value that the schema accepts has the type; the type may
 * accept more, because it has no bounds and no patterns. `prefix` begins the names of the aliases.
 */
function typeOf(schema: JsonValue, prefix: string): TypeText {
  const writer = new TypeWriter(isObject(schema) ? schema : {}, prefix);
  const type = writer.write(schema);
  return { type, aliases: writer.aliases };
}

class TypeWriter {
  readonly aliases = new Map<string, string>();
  readonly #root: JsonObject;
  readonly #prefix: string;
  readonly #names = new Map<string, string>();

  constructor(root: JsonObject, prefix: string) {
    this.#root = root;
    this.#prefix = prefix;
  }

  write(schema: JsonValue | undefined): string {
    if (schema === false) return 'never';
    if (!isObject(schema)) return 'unknown';
    const parts = [this.#own(schema), ...this.#combined(schema)].filter((part) => part !== 'unknown');
    return parts.length === 0 ? 'unknown' : parts.map((part) => grouped(part, parts.length > 1)).join(' & ');
  }

  #combined({ anyOf, oneOf, allOf, $ref }: JsonObject): readonly string[] {
    return [
      ...[anyOf, oneOf].flatMap((list) =>
        Array.isArray(list) ? union(listed(list).map((each) => this.write(each))) : [],
      ),
      ...listed(allOf).map((each) => this.write(each)),
      ...(typeof $ref === 'string' ? [this.#reference($ref)] : []),
    ];
  }

  /** The type of the keywords of the schema itself. */
  #own(schema: JsonObject): string {
    const { type, enum: values } = schema;
    if ('const' in schema) return JSON.stringify(schema['const']);
    if (Array.isArray(values)) return union(listed(values).map((value) => JSON.stringify(value)));
    if (Array.isArray(type)) return union(texts(type).map((each) => this.#named(each, schema)));
    if (typeof type === 'string') return this.#named(type, schema);
    // keywords for objects or lists say nothing about values of other types
    return 'unknown';
  }

  #named(type: string, schema: JsonObject): string {
    switch (type) {
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      case 'number':
      case 'integer':
        return 'number';
      case 'array':
        return this.#list(schema);
      case 'object':
        return this.#object(schema);
      default:
        return 'unknown';
    }
  }

  #list({ items, prefixItems }: JsonObject): string {
    const rest = `readonly ${grouped(this.write(items ?? true), true)}[]`;
    if (!Array.isArray(prefixItems)) return rest;
    const first = listed(prefixItems).map((each) => `(${this.write(each)})?`);
    return items === false
      ? `readonly [${first.join(', ')}]`
      : `readonly [${[...first, `...${rest.slice(9)}`].join(', ')}]`;
  }

  #object({ properties, required, additionalProperties, patternProperties }: JsonObject): string {
    const needed = new Set(texts(required));
    const known = isObject(properties) ? Object.entries(properties) : [];
    const members = known.map(([name, each]) => {
      const note = isObject(each) && typeof each['description'] === 'string' ? comment(each['description']) : '';
      return `${note}readonly ${memberName(name)}${needed.has(name) ? '' : '?'}: ${this.write(each)}`;
    });
    const others = [...needed].filter((name) => !known.some(([each]) => each === name));
    const more = others.map((name) => `readonly ${memberName(name)}: unknown`);
    const isOpen = additionalProperties !== false || patternProperties !== undefined;
    // an index signature covers the named members, too
    const index = !isOpen
      ? []
      : [
          `readonly [name: string]: ${known.length + more.length > 0 ? 'unknown' : this.write(additionalProperties ?? true)}`,
        ];
    const all = [...members, ...more, ...index];
    return all.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${all.join('; ')} }`;
  }

  /** An alias for a local reference, which may refer to itself. */
  #reference(ref: string): string {
    const known = this.#names.get(ref);
    if (known !== undefined) return known;
    const target = resolve(this.#root, ref);
    if (target === undefined) return 'unknown';
    const name = `${this.#prefix}_${this.#names.size + 1}`;
    this.#names.set(ref, name);
    this.aliases.set(name, this.write(target));
    return name;
  }
}

function resolve(root: JsonObject, ref: string): JsonValue | undefined {
  const pointer = ref.startsWith('#') ? decodeFragment(ref.slice(1)) : undefined;
  if (pointer === undefined || !/^(?:\/|$)/.test(pointer)) return undefined;
  return tokensIn(pointer).reduce<JsonValue | undefined>((at, key) => {
    if (Array.isArray(at)) return (at as readonly JsonValue[])[Number(key)];
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, root);
}

function listed(list: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]) : [];
}

function texts(list: JsonValue | undefined): readonly string[] {
  return listed(list).filter((each) => typeof each === 'string');
}

function union(types: readonly string[]): string {
  const distinct = [...new Set(types)];
  if (distinct.length === 0) return 'never';
  return distinct.includes('unknown')
    ? 'unknown'
    : distinct.map((type) => grouped(type, distinct.length > 1)).join(' | ');
}

/** The type in brackets where it stands beside another one. */
function grouped(type: string, isBeside: boolean): string {
  return isBeside && /[ |&]/.test(type) && !/^\{[^{}]*\}$/.test(type) ? `(${type})` : type;
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A description is a stranger's text: it stays inside its comment, on one line. */
function comment(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('*/', '* /').trim();
  return line === '' ? '' : `/** ${line} */ `;
}
