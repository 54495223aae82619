import { isObject, type JsonObject } from '../json/value.ts';
import { demand, type OptionType, type OptionTypes, optionsOf, TEXT } from '../option.ts';
import { refusalError } from '../sallyport-error.ts';
import { comment, memberName, typeOf } from '../schema/typescript.ts';
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
  'a list of tools',
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
const NAMES = ${JSON.stringify(names)};
const put = (at, key, value) => {
  Object.defineProperty(at, key, { value, enumerable: true, configurable: true, writable: true });
  return value;
};
const own = (at, key) => (Object.hasOwn(at, key) ? at[key] : undefined);
export default async ({ program }, powers) => {
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
  return (await new Program('tools', program)(tools)) ?? null;
};
`;
}
